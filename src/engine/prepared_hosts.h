/// The specification of each kind of host that a plan needs, made once.
///
/// Starts nothing: the pool does, by the key that a host has here.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "build/builder.h"
#include "hosts/host_pool.h"
#include "hosts/host_spec.h"

namespace tally {

struct PreparedHost {
  HostKey key;
  HostSpec spec;
};

class PreparedHosts {
 public:
  /// All outlive this.
  PreparedHosts(const Builder& builder, const std::map<std::string, ResolvedToolchain>& toolchains,
                const HostSurroundings& surroundings, const Settings& settings)
      : builder_(builder), toolchains_(toolchains), surroundings_(surroundings), settings_(settings) {}

  /// Null while its warm-up code is being compiled. An error: there is no such host (no interpreter, …).
  Result<const PreparedHost*> of(const HostKind& kind);

  /// The keys of all kinds for which this is true.
  [[nodiscard]] std::set<HostKey> keys_of(const std::function<bool(const HostKind&)>& wanted) const;

  /// True the first time that it is asked of a kind and a host that serves it.
  bool is_first_time(const HostKind& kind, HostId host) { return served_.emplace(kind, host).second; }

 private:
  const Builder& builder_;
  const std::map<std::string, ResolvedToolchain>& toolchains_;
  const HostSurroundings& surroundings_;
  const Settings& settings_;
  std::map<HostKind, PreparedHost> prepared_;
  std::set<std::pair<HostKind, HostId>> served_;
};

}  // namespace tally
