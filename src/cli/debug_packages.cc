#include "cli/debug_packages.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/text.h"
#include "profile/nameless.h"
#include "profile/names.h"
#include "report/format.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

/// The package that a file belongs to; dpkg may know it without the /usr that other folders were merged into.
std::string package_of(const std::string& object, const fs::path& dpkg) {
  std::vector<std::string> lines{"\n" + object + "\n"};
  if (object.starts_with("/usr/")) lines.push_back("\n" + object.substr(4) + "\n");
  std::vector<std::string> owners;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(dpkg / "info", code)) {
    if (entry.path().extension() != ".list") continue;
    const std::string text = "\n" + read_file(entry.path()).value_or("");
    const bool owns = std::ranges::any_of(lines, [&](const auto& line) { return text.contains(line); });
    const std::string name = entry.path().stem().string();
    if (owns) owners.push_back(name.substr(0, name.find(':')));
  }
  return owners.empty() ? std::string() : std::ranges::min(owners);
}

/// The source package that a package was built of.
std::string source_of(const std::string& package, const fs::path& dpkg) {
  const std::string status = "\n" + read_file(dpkg / "status").value_or("");
  const std::size_t begin = status.find("\nPackage: " + package + "\n");
  if (begin == std::string::npos) return package;
  const std::string entry = status.substr(begin, status.find("\n\n", begin) - begin);
  constexpr std::string_view kSource = "\nSource: ";
  const std::size_t at = entry.find(kSource);
  if (at == std::string::npos) return package;
  const std::size_t name = at + kSource.size();
  return entry.substr(name, entry.find_first_of(" \n", name) - name);
}

}  // namespace

std::string debug_package_of(const std::string& object, const fs::path& dpkg) {
  const std::string package = package_of(object, dpkg);
  if (package.empty()) return {};
  // Two that are older than the archive of debug symbols have one package for all that is built of them.
  const std::string source = source_of(package, dpkg);
  if (source.starts_with("python3.")) return source + "-dbg";
  return source == "glibc" ? "libc6-dbg" : package + "-dbgsym";
}

std::string nameless_note(const Profile& profile, std::size_t event, const fs::path& dpkg) {
  constexpr double kLeast = 0.01;
  const auto total = static_cast<double>(profile.totals[event]);
  std::vector<std::string> objects;
  bool has_package = false;
  for (const NamelessObject& one : nameless_objects(profile, event)) {
    const double share = static_cast<double>(one.cost) / total;
    if (share < kLeast) continue;
    const std::string package = debug_package_of(one.object, dpkg);
    has_package = has_package || !package.empty();
    objects.push_back(fmt::format("{} ({}{})", base_name(one.object), format_share(share),
                                  package.empty() ? "" : ", named by " + package));
  }
  if (objects.empty()) return {};
  return fmt::format("code without names is in {}{}", join(objects, ", "),
                     has_package ? "; install the package and measure again" : "");
}

}  // namespace tally::cli
