/// The command lines of hosts. Pure, but for opening the files that a Python host is handed.
#pragma once

#include <string>
#include <vector>

#include "build/builder.h"
#include "execution/options.h"
#include "expansion/case.h"

namespace tally {

struct HostKind {
  std::string toolchain;
  Language language = Language::cpp;
  bool counted = false;  ///< Under Valgrind.
  unsigned hash_seed = 0;
  std::uint64_t environment_padding = 0;

  auto operator<=>(const HostKind&) const = default;
};

/// "python torch host under Valgrind"
std::string describe(const HostKind& kind);

/// Every flag is stated, for defaults have changed between versions.
std::vector<std::string> valgrind_flags(const ExecutionOptions& options);

/// The request without its CPUs. `control` becomes the host's control socket. `dumps` is the folder for Callgrind's
/// output.
Result<ProcessRequest> host_request(const HostKind& kind, const ToolchainHere& toolchain,
                                    const std::optional<BuiltCase>& warm_up, const ExecutionOptions& options,
                                    const std::string& dumps, UniqueFd control);

}  // namespace tally
