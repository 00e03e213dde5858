#include "engine/prepared_hosts.h"

namespace tally {

Result<const PreparedHost*> PreparedHosts::of(const HostKind& kind) {
  if (const auto found = prepared_.find(kind); found != prepared_.end()) return &found->second;
  const ResolvedToolchain& toolchain = toolchains_.at(kind.toolchain);
  if (kind.language == Language::cpp && !builder_.warm_up_settled(kind.toolchain)) return nullptr;
  if (kind.language == Language::python && !*toolchain.interpreter) {
    return std::unexpected(toolchain.interpreter->error());
  }
  auto spec = host_spec(kind, toolchain, builder_.warm_up(kind.toolchain), surroundings_, settings_);
  if (!spec) return std::unexpected(spec.error());
  HostKey key = key_of(*spec);
  return &prepared_.emplace(kind, PreparedHost{std::move(key), *std::move(spec)}).first->second;
}

std::set<HostKey> PreparedHosts::keys_of(const std::function<bool(const HostKind&)>& wanted) const {
  std::set<HostKey> keys;
  for (const auto& [kind, host] : prepared_) {
    if (wanted(kind)) keys.insert(host.key);
  }
  return keys;
}

}  // namespace tally
