#include "cli/site_folder.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <string_view>

#include "base/files.h"
#include "base/output_place.h"
#include "base/unique_fd.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

/// Says that a folder is a site of ours, which a later run may write into.
constexpr const char* kMark = "tallymark-site.json";
constexpr const char* kData = "data";

Error cannot(const char* what, const fs::path& path, const std::error_code& code) {
  return {ErrorKind::io, std::string(what) + ": " + code.message(), path.string(), "name another folder with -o DIR"};
}

/// A new folder, an empty one, or a site of ours.
Status check_is_ours(const fs::path& folder) {
  std::error_code code;
  if (!fs::exists(folder, code) && !code) return {};
  if (fs::exists(folder / kMark, code)) return {};
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    if (at->path().filename().string().starts_with('.')) continue;
    return fail(ErrorKind::input, "holds something, and is not a site of tally history", folder.string(),
                "name a new folder with -o DIR");
  }
  if (code) return std::unexpected(cannot("cannot be read", folder, code));
  return {};
}

/// Until it goes, nobody else writes this site: what one takes away as left over the other's page may load. Where the
/// disk grants no locks, it holds none.
UniqueFd alone_in(const fs::path& folder) {
  UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (opened && ::flock(opened.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  return opened;
}

/// Called by its content, so that the same size is the same file; a crash may have left it shorter.
bool is_there(const fs::path& path, const SiteFile& file) {
  if (!file.name.starts_with("data/")) return false;
  std::error_code code;
  return fs::file_size(path, code) == file.text.size() && !code;
}

/// Data of earlier sites, and what a killed writer left of its own.
void remove_others(const fs::path& folder, const std::vector<SiteFile>& files) {
  std::set<fs::path> kept;
  for (const SiteFile& file : files) kept.insert(folder / file.name);
  std::vector<fs::path> others;
  std::error_code code;
  for (fs::directory_iterator at(folder / kData, code), end; !code && at != end; at.increment(code)) {
    if (!kept.contains(at->path())) others.push_back(at->path());
  }
  for (const fs::path& path : others) fs::remove(path, code);
}

}  // namespace

Status write_site_folder(const fs::path& folder, const std::vector<SiteFile>& files) {
  std::error_code code;
  if (!fs::exists(folder, code)) {
    if (Status made = make_folder(folder); !made) return made;
  }
  const UniqueFd alone = alone_in(folder);
  if (Status ours = check_is_ours(folder); !ours) return ours;
  if (Status written = write_file(folder / kMark, "{\"tallymark_site\": 1}\n"); !written) return written;
  for (const SiteFile& file : files) {
    const fs::path path = folder / file.name;
    if (is_there(path, file)) continue;
    if (Status written = write_file(path, file.text); !written) return written;
  }
  remove_others(folder, files);
  return {};
}

}  // namespace tally::cli
