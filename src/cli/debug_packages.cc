#include "cli/debug_packages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/files.h"
#include "base/text.h"
#include "profile/nameless.h"
#include "profile/names.h"
#include "report/text/format.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

/// Whether a list of files has a line for `file`; dpkg may know it without the /usr that other folders were merged
/// into.
bool lists(std::string_view list, std::string_view file) {
  constexpr std::string_view kMerged = "/usr";
  const bool is_merged = file.starts_with("/usr/");
  if (is_merged) file.remove_prefix(kMerged.size());
  for (std::size_t at = 0; at < list.size(); ++at) {
    // Many times as fast as string_view's own, which looks for the first byte: each path has it several times.
    const void* const found = ::memmem(list.data() + at, list.size() - at, file.data(), file.size());
    if (found == nullptr) return false;
    at = static_cast<std::size_t>(static_cast<const char*>(found) - list.data());
    std::string_view before = list.substr(0, at);
    if (is_merged && before.ends_with(kMerged)) before.remove_suffix(kMerged.size());
    if ((before.empty() || before.back() == '\n') && list.substr(at + file.size()).starts_with('\n')) return true;
  }
  return false;
}

/// The package that each file belongs to; of several the first by name.
std::vector<std::string> packages_of(const std::vector<std::string>& files, const fs::path& dpkg) {
  std::vector<std::string> owners(files.size());
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(dpkg / "info", code)) {
    if (entry.path().extension() != ".list") continue;
    const std::string list = read_file(entry.path()).value_or("");
    const std::string name = entry.path().stem().string();
    const std::string package = name.substr(0, name.find(':'));
    for (std::size_t i = 0; i < files.size(); ++i) {
      if ((owners[i].empty() || package < owners[i]) && lists(list, files[i])) owners[i] = package;
    }
  }
  return owners;
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

std::vector<std::string> debug_packages_of(const std::vector<std::string>& objects, const fs::path& dpkg) {
  std::vector<std::string> packages = packages_of(objects, dpkg);
  for (std::string& package : packages) {
    if (package.empty()) continue;
    // Two that are older than the archive of debug symbols have one package for all that is built of them.
    const std::string source = source_of(package, dpkg);
    if (source.starts_with("python3.")) {
      package = source + "-dbg";
    } else if (source == "glibc") {
      package = "libc6-dbg";
    } else {
      package += "-dbgsym";
    }
  }
  return packages;
}

std::string nameless_note(const Profile& profile, std::size_t event, const fs::path& dpkg) {
  constexpr double kLeast = 0.01;
  const auto total = static_cast<double>(profile.totals[event]);
  const auto share_of = [&](const NamelessObject& one) { return static_cast<double>(one.cost) / total; };
  std::vector<NamelessObject> nameless = nameless_objects(profile, event);
  std::erase_if(nameless, [&](const NamelessObject& one) { return share_of(one) < kLeast; });
  if (nameless.empty()) return {};
  std::vector<std::string> objects;
  objects.reserve(nameless.size());
  for (const NamelessObject& one : nameless) objects.push_back(one.object);
  const std::vector<std::string> packages = debug_packages_of(objects, dpkg);
  std::vector<std::string> texts;
  texts.reserve(nameless.size());
  for (std::size_t i = 0; i < nameless.size(); ++i) {
    texts.push_back(fmt::format("{} ({}{})", base_name(objects[i]), format_share(share_of(nameless[i])),
                                packages[i].empty() ? "" : ", named by " + packages[i]));
  }
  const bool has_package = std::ranges::any_of(packages, [](const std::string& package) { return !package.empty(); });
  return fmt::format("code without names is in {}{}", join(texts, ", "),
                     has_package ? "; install the package and measure again" : "");
}

}  // namespace tally::cli
