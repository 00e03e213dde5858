#include "comparison/version_namespaces.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "profile/rules.h"

namespace tally {
namespace {

bool is_in_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// "v10", "lts_20230802", "json_abi_v3_11_2".
bool says_version(std::string_view identifier) {
  const std::size_t digits = identifier.find_last_not_of("0123456789_") + 1;
  if (digits == 0 || digits >= identifier.size() || identifier.back() == '_') return false;
  if (std::string_view("0123456789").contains(identifier[digits])) {
    const std::string_view word = identifier.substr(0, digits);
    return word == "v" || word.ends_with("_v");
  }
  return identifier.substr(0, digits) == "lts";
}

using NamesByKey = std::map<std::string, std::set<std::string>>;

NamesByKey names_of(const Profile& profile) {
  NamesByKey names;
  for (const auto& function : profile.functions) {
    const std::string name = standardize(FunctionKey{"", "", std::string(profile.name_of(function))}).name;
    names[without_versions(name)].insert(name);
  }
  return names;
}

}  // namespace

std::string without_versions(std::string_view name) {
  std::string result;
  while (!name.empty()) {
    const auto end = static_cast<std::size_t>(std::ranges::find_if_not(name, is_in_identifier) - name.begin());
    const std::string_view identifier = name.substr(0, end);
    name.remove_prefix(end);
    if (name.starts_with("::") && says_version(identifier)) {
      name.remove_prefix(2);
      continue;
    }
    result += identifier;
    if (identifier.empty()) {
      result += name.front();
      name.remove_prefix(1);
    }
  }
  return result;
}

VersionNamespaces::VersionNamespaces(const Profile& before, const Profile& after) {
  const NamesByKey later = names_of(after);
  for (const auto& [key, names] : names_of(before)) {
    const auto found = later.find(key);
    if (found == later.end() || names.size() != 1 || found->second.size() != 1) continue;
    if (*names.begin() != *found->second.begin()) renamed_.emplace(*names.begin(), *found->second.begin());
  }
}

std::string VersionNamespaces::of(const std::string& name) const {
  const auto found = renamed_.find(name);
  return found == renamed_.end() ? name : found->second;
}

}  // namespace tally
