/// Matches functions whose namespace has another version on either side: fmt::v10::format is fmt::v11::format. Pure.
///
/// Libraries put what belongs to one version into an inline namespace of its own (fmt's v10, abseil's lts_20230802,
/// nlohmann's json_abi_v3_11_2); held by the letter, each of their functions were gone and a new one there.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "profile/profile.h"

namespace tally {

/// `name` without the namespaces that say a version, in its arguments too: "lib::f(lib::T)" of
/// "lib::v2::f(lib::v2::T)". A namespace says one when it is "v" or "lts_" with digits, or ends in "_v" with digits:
/// "v10", "json_abi_v3_11_2".
std::string without_versions(std::string_view name);

class VersionNamespaces {
 public:
  VersionNamespaces(const Profile& before, const Profile& after);

  /// What the earlier profile's function, by its standardized name, is called in the later one. Only where each side
  /// has exactly one function for a name without versions; any other stays what it is.
  [[nodiscard]] std::string of(const std::string& name) const;

 private:
  std::map<std::string, std::string> renamed_;
};

}  // namespace tally
