/// The inputs of each case's counts, as digests of contents. A record keeps them, so that a later run can see whether
/// the counts would be the same.
///
/// Known in three steps: settings, definitions and imported files before anything runs; what a compiler has made once
/// it is built; the environment, that is what the host was started with and has mapped, once a host is ready. Files
/// that a case loads by itself are noted as it is counted.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "build/file_digests.h"
#include "discovery/case_imports.h"
#include "hosts/host_spec.h"
#include "record/reuse.h"

namespace tally {

/// What was built for a case: nothing, for most.
struct MadeFiles {
  std::string library;   ///< Its shared object; empty: none.
  std::string artifact;  ///< The folder of its artifact.
};

class CountInputsFinder {
 public:
  /// Everything referred to outlives this. `environments` is as described before any host has started.
  CountInputsFinder(const Plan& plan, const Settings& settings, std::map<std::string, Environment> environments,
                    const std::map<std::string, ResolvedToolchain>& toolchains, const Tool& tool,
                    std::map<std::size_t, std::string> imports, FileDigests& digests);

  void on_host(const HostKind& kind, const HostSpec& spec, std::span<const std::string> mapped);

  /// Nothing where not all is known that the counts follow from. `loaded`: files that the case loads by itself.
  [[nodiscard]] std::optional<CountInputs> of(std::size_t index, const MadeFiles& made,
                                              std::span<const std::string> loaded);
  /// The same for an earlier run's case, whose files are read again.
  [[nodiscard]] std::optional<CountInputs> of(std::size_t index, const MadeFiles& made, const CountInputs& earlier);

 private:
  const Plan& plan_;
  const Settings& settings_;
  std::map<std::string, Environment> described_;
  const std::map<std::string, ResolvedToolchain>& toolchains_;
  const Tool& tool_;
  std::map<std::size_t, std::string> imports_;
  FileDigests& digests_;
  std::map<std::string, std::string> environments_;  ///< By environment_name(), once a host is ready.
};

}  // namespace tally
