#include "report/text/versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/digest.h"
#include "base/text.h"

namespace tally {
namespace {

/// Where a version stands in the line.
enum class Rank { compiler, python, library, glibc, valgrind, package, file };

struct Named {
  Rank rank;
  std::string name;
  friend auto operator<=>(const Named&, const Named&) = default;
};

using Versions = std::map<Named, std::set<std::string>>;

VersionKind kind_of(Rank rank) {
  if (rank == Rank::package) return VersionKind::package;
  return rank == Rank::file ? VersionKind::file : VersionKind::main;
}

/// "26.1.0, 7efb2b1486ea…" of an installed package, and a digest alone where it has no version: its first figures do.
std::string short_version(std::string_view version) {
  constexpr std::size_t kShown = 8;
  const std::size_t comma = version.find(", ");
  if (comma != std::string_view::npos && is_digest(version.substr(comma + 2)))
    return std::string(version.substr(0, comma));
  if (is_digest(version)) return std::string(version.substr(0, kShown)) + "…";
  return std::string(version);
}

void add_fact(Versions& versions, std::string_view key, std::string_view value) {
  const auto add = [&](Rank rank, std::string_view name, std::string_view text) {
    versions[{rank, std::string(name)}].insert(short_version(text));
  };
  constexpr std::string_view kModule = "module.";
  constexpr std::string_view kPackage = "package.";
  constexpr std::string_view kVersion = ".version";
  constexpr std::string_view kValgrind = "valgrind-";
  if (key == "compiler") add(Rank::compiler, key, value);
  if (key == "python") add(Rank::python, "Python", value);
  if (key == "glibc") add(Rank::glibc, key, value);
  if (key == "valgrind")
    add(Rank::valgrind, "Valgrind", value.starts_with(kValgrind) ? value.substr(kValgrind.size()) : value);
  if (key.starts_with(kModule)) add(Rank::library, key.substr(kModule.size()), value);
  if (key.ends_with(kVersion)) add(Rank::library, key.substr(0, key.size() - kVersion.size()), value);
  if (key.starts_with(kPackage)) add(Rank::package, key.substr(kPackage.size()), value);
}

/// A required module is among the packages, too.
Versions versions_of_record(const Record& record) {
  Versions versions;
  for (const auto& [name, environment] : record.environments) {
    for (const auto& [key, value] : environment.facts) add_fact(versions, key, value);
    for (const auto& [key, value] : environment.subject) {
      add_fact(versions, key, value);
      if (is_digest(value)) versions[{Rank::file, key}].insert(short_version(value));
    }
  }
  std::erase_if(versions, [&](const auto& one) {
    return one.first.rank == Rank::package && versions.contains({Rank::library, one.first.name});
  });
  return versions;
}

/// PyTorch says its version twice, the module more of it than the library: the longer one has both.
std::string text_of(const Versions& versions, const Named& name) {
  const auto found = versions.find(name);
  if (found == versions.end()) return {};
  std::vector<std::string> texts;
  for (const std::string& text : found->second) {
    if (!texts.empty() && text.starts_with(texts.back())) texts.pop_back();
    texts.push_back(text);
  }
  return join(texts, " and ");
}

std::string change_text(const VersionPair& one) {
  // A compiler says its own name.
  const std::string name = one.name == "compiler" ? "" : one.name + " ";
  if (one.before == one.after) return name + one.after;
  return name + (one.before.empty() ? "none" : one.before) + " → " + (one.after.empty() ? "none" : one.after);
}

}  // namespace

std::vector<VersionPair> versions_of(const Record& base, const Record& next) {
  const Versions before = versions_of_record(base);
  const Versions after = versions_of_record(next);
  Versions both = before;
  both.insert(after.begin(), after.end());
  std::vector<VersionPair> pairs;
  for (const auto& [name, texts] : both)
    pairs.push_back({name.name, text_of(before, name), text_of(after, name), kind_of(name.rank)});
  return pairs;
}

std::string versions_line(const std::vector<VersionPair>& versions) {
  constexpr std::size_t kMost = 12;
  std::vector<std::string> parts;
  std::vector<std::string> packages;
  std::size_t of_one_side = 0;
  for (const VersionPair& one : versions) {
    if (one.kind == VersionKind::main) parts.push_back(change_text(one));
    if (one.kind != VersionKind::package || one.before == one.after) continue;
    if (one.before.empty() || one.after.empty()) {
      ++of_one_side;
    } else {
      packages.push_back(change_text(one));
    }
  }
  const std::size_t more = packages.size() - std::min(packages.size(), kMost);
  packages.resize(packages.size() - more);
  parts.insert(parts.end(), packages.begin(), packages.end());
  if (more > 0) parts.push_back(fmt::format("{} more packages that differ", more));
  if (of_one_side > 0)
    parts.push_back(fmt::format("{} {} on one side only", of_one_side, of_one_side == 1 ? "package" : "packages"));
  return join(parts, ", ");
}

std::string source_text(const std::optional<Source>& source) {
  constexpr std::size_t kShortId = 10;
  if (!source) return "no known commit";
  return source->commit.substr(0, kShortId) + (source->dirty ? " and changes that are not committed" : "");
}

}  // namespace tally
