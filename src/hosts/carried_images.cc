#include "hosts/carried_images.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "base/zstd.h"
#include "build/cache.h"
#include "build/file_digests.h"
#include "build/identity.h"
#include "hosts/image_files.h"
#include "json/text.h"

namespace tally {

namespace fs = std::filesystem;

namespace {

/// Paths and what their bytes were, as an export wrote them; without those that are no digest.
std::map<std::string, std::string> digests_in(const json::Value& pairs) {
  std::map<std::string, std::string> digests;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::string meaning = pairs[i][std::size_t{1}].text_or("");
    if (is_digest(meaning)) digests[pairs[i][std::size_t{0}].text_or("")] = meaning;
  }
  return digests;
}

/// What is read once, from its first byte to its last; it may be a pipe.
class Input {
 public:
  Input(UniqueFd fd, std::string path, const IsStopped& is_stopped)
      : fd_(std::move(fd)), path_(std::move(path)), is_stopped_(is_stopped), block_(kBlock, '\0') {}

  [[nodiscard]] Error damaged(const std::string& how) const {
    return {ErrorKind::input, "it is not a file of tally cache export, or is damaged: " + how,
            fmt::format("{}, byte {}", path_, at_), "write it anew: tally cache export"};
  }

  /// Up to `most` of the bytes that come next; empty at the end.
  Result<std::string_view> next(std::uint64_t most) {
    while (begin_ == end_) {
      if (auto unstopped = check_stop(is_stopped_); !unstopped) return std::unexpected(unstopped.error());
      // Nobody may ever write into a pipe.
      constexpr int kPatienceMs = 200;
      pollfd ready{fd_.get(), POLLIN, 0};
      if (::poll(&ready, 1, kPatienceMs) <= 0) continue;
      const ssize_t n = ::read(fd_.get(), block_.data(), block_.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return std::unexpected(errno_error("read", path_));
      if (n == 0) return std::string_view();
      begin_ = 0;
      end_ = static_cast<std::size_t>(n);
    }
    const std::string_view piece =
        std::string_view(block_).substr(begin_, std::min<std::uint64_t>(end_ - begin_, most));
    begin_ += piece.size();
    at_ += piece.size();
    return piece;
  }

  /// Without its end; nothing where the input has ended.
  Result<std::optional<std::string>> line() {
    constexpr std::size_t kMost = 100;
    std::string text;
    for (;;) {
      const auto piece = next(1);
      if (!piece) return std::unexpected(piece.error());
      if (piece->empty() && text.empty()) return std::nullopt;
      if (piece->empty() || text.size() > kMost) return std::unexpected(damaged("a line is missing"));
      if (*piece == "\n") return text;
      text += *piece;
    }
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 18U;
  UniqueFd fd_;
  std::string path_;
  IsStopped is_stopped_;
  std::string block_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t at_ = 0;  ///< From the first byte on.
};

/// "34567 0123456789abcdef0123456789abcdef"
std::optional<std::pair<std::uint64_t, std::string>> size_and_digest(std::string_view line) {
  std::uint64_t size = 0;
  const auto number = std::from_chars(line.data(), line.data() + line.size(), size);
  const auto length = static_cast<std::size_t>(number.ptr - line.data());
  if (number.ec != std::errc() || length == line.size() || line[length] != ' ') return std::nullopt;
  return std::pair(size, std::string(line.substr(length + 1)));
}

/// A file in the store that goes with this object, unless it got its name.
class NewImage {
 public:
  static Result<NewImage> create(const HostImages& images, const std::string& key) {
    const auto place = images.place_for_new(key);
    if (!place) {
      return fail(ErrorKind::io, "no image can be kept there: less than 1 GiB is left, or no program may lie there",
                  images.folder().string(), "set XDG_CACHE_HOME to a folder that has room");
    }
    UniqueFd file(::open(place->c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) return std::unexpected(errno_error("write", *place));
    return NewImage(*place, std::move(file));
  }
  NewImage(NewImage&& other) noexcept : path(std::exchange(other.path, {})), file(std::move(other.file)) {}
  NewImage& operator=(NewImage&&) = delete;
  ~NewImage() {
    if (!path.empty()) ::unlink(path.c_str());
  }

  std::string path;
  UniqueFd file;

 private:
  NewImage(std::string place, UniqueFd opened) : path(std::move(place)), file(std::move(opened)) {}
};

Status unpack(int from, const fs::path& path, std::uint64_t at, const ImageAbout& about, const NewImage& to) {
  Digest digest;
  std::uint64_t size = 0;
  FileBytes bytes(from, path, {}, at);
  const auto take = [&](std::string_view piece) -> Status {
    digest.add_raw(piece);
    size += piece.size();
    if (size > about.bytes) return fail(ErrorKind::input, "it is longer than it says", path.string());
    return write_all(to.file.get(), piece, to.path);
  };
  if (auto done = from_zstd([&] { return bytes.next(); }, take, path.string()); !done) return done;
  if (size != about.bytes || digest.hex() != about.digest)
    return fail(ErrorKind::input, "it has other bytes than were written", path.string());
  return {};
}

/// Whether it is one: the store has it then. An error (input): it has other bytes than it says.
Result<bool> import_library(const HostImages& images, const NewImage& packed, const std::string& line,
                            const json::Value& object) {
  const std::string* const digest = object["library"].text();
  if (digest == nullptr) return false;
  const std::uint64_t* const most = object["bytes"].whole();
  if (!is_digest(*digest) || most == nullptr)
    return fail(ErrorKind::input, "a library does not say what it is", packed.path);
  if (images.has_library(*digest)) return true;
  auto library = NewImage::create(images, "library");
  if (!library) return std::unexpected(library.error());
  const ImageAbout about{.digest = *digest, .bytes = *most};
  if (auto done = unpack(packed.file.get(), packed.path, line.size() + 1, about, *library); !done)
    return std::unexpected(done.error());
  if (auto published = images.publish_library(*digest, library->path); !published)
    return std::unexpected(published.error());
  return true;
}

/// Why an image of a host with such a folder is never one of a host here; empty: it may be, or nobody knows.
std::string why_elsewhere(std::string_view what, const std::string& there, const std::string& here) {
  if (there.empty() || there == here) return "";
  return fmt::format("{} lies in {} here, and lay in {} where it was made, which its process knows", what, here, there);
}

/// Nothing: it was a library.
Result<std::optional<CarriedImage>> import_one(const HostImages& images, const std::string& libexec, Input& input,
                                               std::uint64_t size, const std::string& digest) {
  const auto kept = NewImage::create(images, "carried");
  if (!kept) return std::unexpected(kept.error());
  Digest found;
  for (std::uint64_t left = size; left > 0;) {
    const auto piece = input.next(left);
    if (!piece) return std::unexpected(piece.error());
    if (piece->empty()) return std::unexpected(input.damaged("it ends early"));
    found.add_raw(*piece);
    left -= piece->size();
    if (auto written = write_all(kept->file.get(), *piece, kept->path); !written)
      return std::unexpected(written.error());
  }
  if (found.hex() != digest) return std::unexpected(input.damaged("an image has other bytes than were written"));
  const auto line = first_line(kept->file.get(), kept->path);
  const auto object = line ? json::parse(*line) : std::unexpected(line.error());
  if (object) {
    const auto is_library = import_library(images, *kept, *line, *object);
    if (!is_library && is_library.error().kind == ErrorKind::input)
      return std::unexpected(input.damaged(is_library.error().message));
    if (!is_library) return std::unexpected(is_library.error());
    if (*is_library) return std::nullopt;
  }
  const auto about = object ? image_about(*object) : std::unexpected(object.error());
  if (!about || !is_digest(about->origin.content) || (*object)["named"].array() == nullptr)
    return std::unexpected(input.damaged("an image does not say what it is of"));
  CarriedImage carried{.host = about->origin.host, .bytes = size, .why_not = {}};
  carried.why_not = why_unfit(about->machine, ImageMachine::here());
  if (carried.why_not.empty() && !libexec.empty()) {
    carried.why_not = why_elsewhere("tally", about->origin.own_folder, libexec);
    if (carried.why_not.empty())
      carried.why_not = why_elsewhere("the store of images", (*object)["store"].text_or(""), images.folder().string());
  }
  if (!carried.why_not.empty()) return std::optional(carried);
  if (auto published = images.publish_carried(about->origin.content, kept->path); !published)
    return std::unexpected(published.error());
  return std::optional(carried);
}

}  // namespace

Result<std::vector<CarriedImage>> import_images(const HostImages& images, const fs::path& from,
                                                const IsStopped& is_stopped, const std::string& libexec) {
  if (images.quota() == 0)
    return fail(ErrorKind::input, "images are switched off, so none is taken", HostImages::kVariable,
                "set it to a size such as 2G");
  UniqueFd fd(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) {
    Error error = errno_error("open", from.string());
    error.kind = ErrorKind::input;
    return std::unexpected(std::move(error));
  }
  Input input(std::move(fd), from.string(), is_stopped);
  const auto first = input.line();
  if (!first && first.error().kind != ErrorKind::input) return std::unexpected(first.error());
  const std::string magic = first && *first ? **first + "\n" : std::string();
  if (magic != kImagesMagic && magic != kImagesWithLibrariesMagic)
    return fail(ErrorKind::input, "it is not a file of tally cache export", from.string(),
                "write one where the images are: tally cache export FILE");
  std::vector<CarriedImage> report;
  std::uint64_t of_libraries = 0;
  for (;;) {
    const auto line = input.line();
    if (!line) return std::unexpected(line.error());
    if (!*line) return report;
    const auto about = size_and_digest(**line);
    if (!about) return std::unexpected(input.damaged("the length of an image is missing"));
    auto carried = import_one(images, libexec, input, about->first, about->second);
    if (!carried) return std::unexpected(carried.error());
    if (!*carried) {
      of_libraries += about->first;
      continue;
    }
    report.push_back(**std::move(carried));
    report.back().bytes += std::exchange(of_libraries, 0);
  }
}

namespace {

/// What each of them is now; an error: a file means something else here than it did there.
Result<std::map<std::string, ImageFile>> compare_files(const json::Array& named, FileDigests& digests) {
  std::map<std::string, ImageFile> files;
  for (const json::Value& one : named) {
    const std::string path = one[std::size_t{0}].text_or("");
    const std::string then = one[std::size_t{1}].text_or("");
    files[path] = ImageFile::now(path);
    const std::string now = meaning_of(path, digests);
    if (now == then) continue;
    const char* const how = now.empty()    ? "a file is not here that was there: "
                            : then.empty() ? "a file is here that was not there: "
                                           : "another file is here than was there: ";
    return fail(ErrorKind::failed, how + path);
  }
  return files;
}

/// Its libraries in the store by their paths there, and what it has of tally, which must be the same here.
Result<std::map<std::string, ImageFile>> files_of_brought(const HostImages& images, const ImageOrigin& origin,
                                                          const json::Array& named) {
  json::Array own;
  for (const json::Value& one : named) {
    if (lies_below(one[std::size_t{0}].text_or(""), origin.own_folder)) own.push_back(one);
  }
  FileDigests digests(digests_folder(images.folder().parent_path()));
  auto files = compare_files(own, digests);
  std::ignore = digests.save();
  if (!files) return files;
  for (const auto& [path, digest] : origin.libraries) {
    if (!images.has_library(digest)) return fail(ErrorKind::failed, "a library that it brought along is gone: " + path);
    (*files)[path] = ImageFile::now(images.library(digest).string());
  }
  return files;
}

Status adopt_with_libraries(const HostImages& images, int fd, const fs::path& path, const std::string& key,
                            const ImageAbout& about, const json::Array& named, std::size_t line) {
  const auto files = files_of_brought(images, about.origin, named);
  if (!files) return std::unexpected(files.error());
  const auto image = NewImage::create(images, key);
  if (!image) return std::unexpected(image.error());
  if (auto done = unpack(fd, path, line + 1, about, *image); !done) return done;
  if (auto done = replace_files_of_image(image->file.get(), image->path, *files); !done) return done;
  if (!images.publish(key, image->path, about.origin)) return fail(ErrorKind::io, "it cannot be kept", image->path);
  return {};
}

Status adopt_from(const HostImages& images, int fd, const fs::path& path, const std::string& key,
                  const ImageOrigin& origin) {
  const auto line = first_line(fd, path);
  if (!line) return std::unexpected(line.error());
  const auto object = json::parse(*line);
  if (!object) return std::unexpected(object.error());
  const auto about = image_about(*object);
  if (!about) return std::unexpected(about.error());
  const json::Array* const named = (*object)["named"].array();
  if (named == nullptr || about->origin.content != origin.content)
    return fail(ErrorKind::input, "it is damaged", path.string());
  if (const std::string why = why_unfit(about->machine, ImageMachine::here()); !why.empty())
    return fail(ErrorKind::failed, why);
  FileDigests digests(digests_folder(images.folder().parent_path()));
  if (!about->origin.libraries.empty())
    return adopt_with_libraries(images, fd, path, key, *about, *named, line->size());
  const auto now = compare_files(*named, digests);
  std::ignore = digests.save();
  if (!now) return std::unexpected(now.error());
  // What the host is made of here, it must have been made of there.
  for (const std::string& one : origin.files) {
    if (!now->contains(one)) return fail(ErrorKind::failed, "a file is here that was not there: " + one);
  }
  const auto image = NewImage::create(images, key);
  if (!image) return std::unexpected(image.error());
  if (auto done = unpack(fd, path, line->size() + 1, *about, *image); !done) return done;
  auto files = files_of_image(image->file.get(), image->path);
  if (!files) return std::unexpected(files.error());
  for (ImageFile& one : *files) {
    const auto known = now->find(one.path);
    if (known == now->end() && !is_list_alone(one.path))
      return fail(ErrorKind::input, "it does not say what was in " + one.path, path.string());
    one = known == now->end() ? ImageFile::now(one.path) : known->second;
  }
  if (auto set = set_files_of_image(image->file.get(), image->path, *files); !set) return set;
  if (!images.publish(key, image->path, origin)) return fail(ErrorKind::io, "it cannot be kept", image->path);
  return {};
}

}  // namespace

namespace {

/// This user's alone.
bool is_own(int fd) {
  struct stat info{};
  return ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == ::geteuid() && (info.st_mode & 077U) == 0;
}

Result<CarriedInstallation> installation_in(const HostImages& images, const std::string& content) {
  const fs::path path = images.carried(content);
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!is_own(fd.get())) return fail(ErrorKind::failed, "others may read or write it", path.string());
  const auto line = first_line(fd.get(), path);
  if (!line) return std::unexpected(line.error());
  const auto object = json::parse(*line);
  if (!object) return std::unexpected(object.error());
  const auto text = json::parse((*object)["installation"].text_or(""));
  if (!text) return std::unexpected(text.error());
  auto found = installation_from(*text);
  if (!found) return std::unexpected(found.error());
  auto digests = digests_in((*object)["named"]);
  digests.merge(digests_in((*object)["sources"]));
  return CarriedInstallation{.found = *std::move(found), .digests = FileDigests(std::move(digests))};
}

}  // namespace

std::vector<CarriedInstallation> carried_installations(const HostImages& images) {
  std::vector<CarriedInstallation> installations;
  for (const HostImages::Image& one : images.list()) {
    if (!one.is_carried || one.libraries.empty()) continue;
    if (auto found = installation_in(images, one.key)) installations.push_back(*std::move(found));
  }
  return installations;
}

Result<bool> adopt_image(const HostImages& images, const std::string& key, const ImageOrigin& origin) {
  const fs::path path = images.carried(origin.content);
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return false;
  const Status adopted = is_own(fd.get()) ? adopt_from(images, fd.get(), path, key, origin)
                                          : fail(ErrorKind::failed, "others may read or write it", path.string());
  if (!adopted) {
    // It was of other files, and will be; room may come.
    if (adopted.error().kind != ErrorKind::io) ::unlink(path.c_str());
    return fail(adopted.error().kind, "what was carried here does not fit: " + describe(adopted.error()));
  }
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  return true;
}

}  // namespace tally
