#include "discovery/host_imports.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/contains.h"
#include "base/text.h"
#include "discovery/case_imports.h"

namespace tally {

namespace {

/// These bring in all that is used of them.
constexpr std::array<std::string_view, 4> kWholePackages = {"numpy", "pandas", "jax", "polars"};
/// Parts of these are imported one by one.
constexpr std::array<std::string_view, 3> kPackagesOfParts = {"scipy", "sklearn", "skimage"};

/// The simple statements of a text in their order, as far as a line shows them.
std::vector<std::string_view> simple_statements(std::string_view text) {
  std::vector<std::string_view> statements;
  for (const std::string_view line : split(text, '\n')) {
    for (const std::string_view part : split(line, ';')) {
      const std::string_view one = trim(part.substr(0, part.find('#')));
      if (!one.empty()) statements.push_back(one);
    }
  }
  return statements;
}

/// As a host imports it: of "scipy.sparse.linalg" "scipy.sparse". Nothing: it is none of these.
std::optional<std::string> module_for_host(std::string_view module) {
  const auto parts = split(module, '.');
  const std::string_view root = parts.front();
  if (contains(kWholePackages, root)) return std::string(root);
  if (!contains(kPackagesOfParts, root)) return std::nullopt;
  if (parts.size() == 1 || parts[1].starts_with('_')) return std::string(root);
  return fmt::format("{}.{}", root, parts[1]);
}

}  // namespace

std::vector<std::string> host_imports(std::string_view setup) {
  std::set<std::string> found;
  for (const std::string_view statement : simple_statements(setup)) {
    if (!statement.starts_with("import ") && !statement.starts_with("from ")) break;
    const auto imports = imports_in(statement);
    if (!imports) break;
    for (const std::string& one : *imports) {
      const std::string_view module = std::string_view(one).substr(0, one.find(':'));
      if (split(module, '.').front() == "torch") return {};
      if (const auto wanted = module_for_host(module)) found.insert(*wanted);
    }
  }
  const auto brings_numpy = [](const std::string& one) { return one != "numpy" && one != "polars"; };
  if (std::ranges::any_of(found, brings_numpy)) found.erase("numpy");
  for (const std::string_view package : kPackagesOfParts) {
    const bool has_part = std::ranges::any_of(
        found, [&](const std::string& one) { return one.starts_with(fmt::format("{}.", package)); });
    if (has_part) found.erase(std::string(package));
  }
  return {found.begin(), found.end()};
}

}  // namespace tally
