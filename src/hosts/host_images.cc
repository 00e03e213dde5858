#include "hosts/host_images.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <thread>

#include "base/byte_count.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/output_place.h"
#include "base/text.h"
#include "build/identity.h"
#include "json/text.h"

namespace tally {

namespace fs = std::filesystem;

namespace {

constexpr auto kLongestHold = std::chrono::seconds(2);
constexpr auto kAbandoned = std::chrono::hours(1);
constexpr std::uint64_t kLeastFree = std::uint64_t{1} << 30;  // bytes that are left to others

/// Where programs may not lie, an image could be written, and not be mapped.
bool takes_images(const fs::path& folder) {
  struct statvfs disk{};
  if (::statvfs(folder.c_str(), &disk) != 0 || (disk.f_flag & ST_NOEXEC) != 0) return false;
  return static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize > kLeastFree;
}

constexpr std::string_view kSeal = "tally image 2";

/// Since the machine was started.
const std::string& this_boot() {
  static const std::string boot(trim(read_file("/proc/sys/kernel/random/boot_id").value_or("")));
  return boot;
}

/// As long as a file is this one, nobody has written to it.
std::string identity(const struct stat& info) {
  return fmt::format("{} {} {}.{:09} {}.{:09}", info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
                     info.st_ctim.tv_sec, info.st_ctim.tv_nsec);
}

struct Seal {
  std::string boot;
  std::string identity;
  ImageAbout about;
};

std::string seal_text(const std::string& identity, const ImageAbout& about) {
  return fmt::format("{}\n{}\n{}\n{}\n", kSeal, this_boot(), identity, json::to_text(to_json(about)));
}

std::optional<Seal> read_seal(const fs::path& path) {
  const std::string text = read_file(path).value_or("");
  const std::vector<std::string_view> lines = split(text, '\n');
  constexpr std::size_t kLines = 5;  // the last one is empty
  if (lines.size() != kLines || lines[0] != kSeal) return std::nullopt;
  const auto object = json::parse(lines[3]);
  if (!object) return std::nullopt;
  auto about = image_about(*object);
  if (!about) return std::nullopt;
  return Seal{std::string(lines[1]), std::string(lines[2]), *std::move(about)};
}

bool is_ours_alone(const struct stat& info) {
  constexpr mode_t kOthers = 077;
  return S_ISREG(info.st_mode) && info.st_uid == ::geteuid() && (info.st_mode & kOthers) == 0;
}

/// The first processor's, without what changes by the second.
std::string processor() {
  const std::string text = read_file("/proc/cpuinfo").value_or("");
  std::string kept;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) break;
    if (!line.contains("MHz") && !line.starts_with("bogomips")) kept.append(line).push_back('\n');
  }
  return kept;
}

std::string this_machine() {
  Digest digest;
  utsname kernel{};
  ::uname(&kernel);
  digest.add(static_cast<const char*>(kernel.release)).add(static_cast<const char*>(kernel.version));
  digest.add(static_cast<const char*>(kernel.machine)).add(static_cast<const char*>(kernel.nodename));
  digest.add(processor());
  digest.add(fmt::format("{} {}", ::sysconf(_SC_NPROCESSORS_CONF), ::sysconf(_SC_NPROCESSORS_ONLN)));
  for (const auto which : {RLIMIT_NOFILE, RLIMIT_DATA, RLIMIT_AS}) {
    rlimit limit{};
    ::getrlimit(which, &limit);
    digest.add(fmt::format("{} {}", limit.rlim_cur, limit.rlim_max));
  }
  digest.add(fmt::format("{} {}", ::geteuid(), ::getegid()));
  return digest.hex();
}

std::optional<ImageAbout> about_carried(const fs::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  const auto line = first_line(fd.get(), path);
  const auto object = line ? json::parse(*line) : std::unexpected(line.error());
  const auto about = object ? image_about(*object) : std::unexpected(object.error());
  return about ? std::optional(*about) : std::nullopt;
}

std::uint64_t bytes_on_disk(const fs::path& path) {
  struct stat info{};
  constexpr std::uint64_t kBlock = 512;
  return ::lstat(path.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_blocks) * kBlock : 0;
}

/// Digests, without their paths.
std::set<std::string> libraries_of(const std::optional<ImageAbout>& about) {
  std::set<std::string> digests;
  if (!about) return digests;
  for (const auto& [path, digest] : about->origin.libraries) digests.insert(digest);
  return digests;
}

bool has_all_libraries(const HostImages& images, const ImageOrigin& origin) {
  return std::ranges::all_of(origin.libraries, [&](const auto& one) { return images.has_library(one.second); });
}

}  // namespace

Result<std::uint64_t> HostImages::quota_of(std::string_view text) {
  if (trim(text).empty()) return kUsualQuota;
  if (trim(text) == "off") return 0;
  auto bytes = parse_bytes(std::string(text), "--images (or TALLY_IMAGES)");
  if (!bytes) bytes.error().hint = "write a size such as 500M or 2G, or write off";
  return bytes;
}

std::string HostImages::key(const std::string& specification) {
  return Digest().add(specification).add(this_machine()).hex();
}

std::optional<UniqueFd> HostImages::alone() const {
  UniqueFd folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto until = std::chrono::steady_clock::now() + kLongestHold;
  while (folder && ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) break;  // a file system without locks
    if (std::chrono::steady_clock::now() >= until) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return folder;
}

std::optional<UniqueFd> HostImages::open(const std::string& key) const {
  const std::optional<UniqueFd> lock = alone();
  if (!lock) return std::nullopt;
  UniqueFd fd(::open(image(key).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info{};
  if (!fd || ::fstat(fd.get(), &info) != 0) return std::nullopt;
  const std::optional<Seal> known = read_seal(seal(key));
  bool fits = is_ours_alone(info) && known && known->identity == identity(info);
  if (fits && known->boot != this_boot()) {
    fits = file_digest(image(key)) == known->about.digest && has_all_libraries(*this, known->about.origin) &&
           write_file(seal(key), seal_text(known->identity, known->about)).has_value();
  }
  if (!fits) {
    remove(key);
    return std::nullopt;
  }
  ::utimensat(AT_FDCWD, seal(key).c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  return fd;
}

std::optional<std::string> HostImages::place_for_new(const std::string& key) const {
  if (!make_folder(folder_)) return std::nullopt;
  struct stat info{};
  if (::lstat(folder_.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != ::geteuid()) return std::nullopt;
  ::chmod(folder_.c_str(), 0700);
  if (!takes_images(folder_)) return std::nullopt;
  static std::atomic<unsigned> count = 0;
  return (folder_ / fmt::format("{}.{}.{}.new", key, ::getpid(), ++count)).string();
}

bool HostImages::publish(const std::string& key, const std::string& written, const ImageOrigin& origin,
                         std::string* why) const {
  std::error_code code;
  if (!fs::exists(written, code)) {
    if (why != nullptr) *why = read_file(written + ".not").value_or("");
    discard(written);
    return false;
  }
  struct stat info{};
  const auto bytes = file_digest(written);
  ImageAbout about{.origin = origin, .machine = ImageMachine::here(), .digest = bytes.value_or(""), .bytes = 0};
  const std::optional<UniqueFd> lock = alone();
  if (!lock) {
    if (why != nullptr) *why = "another tally keeps the folder of images locked";
    discard(written);
    return false;
  }
  // The seal of an older image does not fit it: should this process end here, nobody takes either.
  const bool is_named =
      bytes && ::rename(written.c_str(), image(key).c_str()) == 0 && ::lstat(image(key).c_str(), &info) == 0;
  about.bytes = static_cast<std::uint64_t>(info.st_size);
  if (!is_named || !write_file(seal(key), seal_text(identity(info), about))) {
    discard(written);
    remove(key);
    return false;
  }
  make_room(key);
  return true;
}

void HostImages::discard(const std::string& written) {
  ::unlink(written.c_str());
  ::unlink((written + ".not").c_str());
}

void HostImages::remove(const std::string& key) const {
  ::unlink(image(key).c_str());
  ::unlink(seal(key).c_str());
}

void HostImages::leave_out(std::vector<std::string>& mapped) const {
  std::error_code code;
  const fs::path real = fs::canonical(folder_, code);
  if (!code) std::erase_if(mapped, [&](const std::string& path) { return fs::path(path).parent_path() == real; });
}

std::optional<ImageAbout> HostImages::about(const std::string& key) const {
  auto known = read_seal(seal(key));
  return known ? std::optional(std::move(known->about)) : std::nullopt;
}

Status HostImages::locked(const std::string& written) const {
  discard(written);
  return fail(ErrorKind::io, "another tally keeps the folder locked", folder_.string(),
              "let it end, or remove it if it is stopped");
}

Status HostImages::publish_carried(const std::string& content, const std::string& written) const {
  const std::optional<UniqueFd> lock = alone();
  if (!lock) return locked(written);
  if (::rename(written.c_str(), carried(content).c_str()) != 0) {
    Error error = errno_error("keep a carried image", carried(content).string());
    discard(written);
    return std::unexpected(std::move(error));
  }
  make_room(content);
  return {};
}

Status HostImages::publish_library(const std::string& digest, const std::string& written) const {
  const std::optional<UniqueFd> lock = alone();
  if (!lock) return locked(written);
  if (::rename(written.c_str(), library(digest).c_str()) == 0) return {};
  Error error = errno_error("keep a library of an image", library(digest).string());
  discard(written);
  return std::unexpected(std::move(error));
}

bool HostImages::has_library(const std::string& digest) const {
  struct stat info{};
  return ::lstat(library(digest).c_str(), &info) == 0 && is_ours_alone(info) && file_digest(library(digest)) == digest;
}

std::uint64_t HostImages::library_bytes() const {
  std::uint64_t bytes = 0;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, code)) {
    if (entry.path().extension() == ".library") bytes += bytes_on_disk(entry.path());
  }
  return bytes;
}

std::vector<HostImages::Image> HostImages::list() const {
  std::vector<Image> images;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, code)) {
    const std::string key = entry.path().stem().string();
    const bool is_carried = entry.path().extension() == ".carried";
    if (!is_carried && entry.path().extension() != ".image") continue;
    std::error_code gone;
    const auto used = fs::last_write_time(is_carried ? entry.path() : seal(key), gone);
    const auto known = is_carried ? about_carried(entry.path()) : about(key);
    images.push_back({.key = key,
                      .host = known ? known->origin.host : "",
                      .bytes = bytes_on_disk(entry.path()),
                      .used = gone ? fs::file_time_type::min() : used,
                      .is_carried = is_carried,
                      .libraries = libraries_of(known)});
  }
  std::ranges::sort(images, std::greater(), &Image::used);
  return images;
}

std::size_t HostImages::clear() const {
  const std::vector<Image> images = list();
  for (const Image& one : images) remove_one(one);
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, code)) {
    const fs::path extension = entry.path().extension();
    if (extension == ".new" || extension == ".not" || extension == ".library") ::unlink(entry.path().c_str());
  }
  return images.size();
}

void HostImages::make_room(const std::string& keep) const {
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, code)) {
    const bool is_new = entry.path().extension() == ".new" || entry.path().extension() == ".not";
    std::error_code gone;
    const auto written = fs::last_write_time(entry.path(), gone);
    if (is_new && !gone && fs::file_time_type::clock::now() - written > kAbandoned) ::unlink(entry.path().c_str());
  }
  std::uint64_t bytes = 0;
  std::set<std::string> used;
  for (const Image& one : list()) {
    std::set<std::string> more;
    std::ranges::set_difference(one.libraries, used, std::inserter(more, more.end()));
    bytes += one.bytes;
    for (const std::string& digest : more) bytes += bytes_on_disk(library(digest));
    if (bytes > quota_ && one.key != keep) {
      remove_one(one);
    } else {
      used.merge(more);
    }
  }
  remove_unused_libraries(used);
}

void HostImages::remove_unused_libraries(const std::set<std::string>& used) const {
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, code)) {
    if (entry.path().extension() != ".library" || used.contains(entry.path().stem().string())) continue;
    std::error_code gone;
    const auto written = fs::last_write_time(entry.path(), gone);
    // An image that is being taken brings its libraries first.
    if (!gone && fs::file_time_type::clock::now() - written > kAbandoned) ::unlink(entry.path().c_str());
  }
}

void HostImages::remove_one(const Image& one) const {
  if (one.is_carried) {
    ::unlink(carried(one.key).c_str());
  } else {
    remove(one.key);
  }
}

}  // namespace tally
