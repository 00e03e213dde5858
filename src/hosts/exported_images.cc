#include "hosts/exported_images.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "base/zstd.h"
#include "build/cache.h"
#include "build/identity.h"
#include "hosts/image_files.h"
#include "json/text.h"

namespace tally {

namespace fs = std::filesystem;

namespace {

/// Of each path what it means; a file that is none any more has "".
using Meanings = std::map<std::string, std::string>;

/// An error: what has changed since the image was written.
Result<Meanings> meanings_of(int fd, const fs::path& path, const ImageAbout& about, FileDigests& digests) {
  const auto files = files_of_image(fd, path);
  if (!files) return std::unexpected(files.error());
  Meanings meanings;
  for (const ImageFile& one : *files) {
    if (ImageFile::now(one.path) != one)
      return fail(ErrorKind::failed, "another file is there now than was: " + one.path);
    if (!is_list_alone(one.path)) meanings[one.path] = meaning_of(one.path, digests);
  }
  if (state_of_all(about.origin.files) != about.origin.state)
    return fail(ErrorKind::failed, "what it was made of has changed");
  for (const std::string& own : about.origin.files) meanings[own] = meaning_of(own, digests);
  return meanings;
}

/// An image as it is carried.
struct Packed {
  UniqueFd file;  ///< It has no name.
  std::uint64_t bytes = 0;
  Digest digest;
};

/// A line of JSON, then what comes, compressed.
Result<Packed> pack(const HostImages& images, json::Object object, const NextBytes& next) {
  const std::string folder = images.folder().string();
  Packed packed{.file = UniqueFd(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)), .digest = {}};
  if (!packed.file) return std::unexpected(errno_error("write a file in", folder));
  const auto take = [&](std::string_view piece) {
    packed.bytes += piece.size();
    packed.digest.add_raw(piece);
    return write_all(packed.file.get(), piece, folder);
  };
  if (auto written = take(json::to_text(std::move(object)) + '\n'); !written) return std::unexpected(written.error());
  if (auto written = to_zstd(next, take); !written) return std::unexpected(written.error());
  return packed;
}

json::Array pairs_of(const Meanings& meanings) {
  json::Array pairs;
  for (const auto& [name, meaning] : meanings) pairs.emplace_back(json::Array{name, meaning});
  return pairs;
}

/// Its length, its digest and its bytes.
Status append(NewFile& to, const Packed& packed, const fs::path& path, const IsStopped& is_stopped) {
  if (auto added = to.append(fmt::format("{} {}\n", packed.bytes, packed.digest.hex())); !added) return added;
  for (FileBytes bytes(packed.file.get(), path, is_stopped);;) {
    const auto piece = bytes.next();
    if (!piece) return std::unexpected(piece.error());
    if (piece->empty()) return {};
    if (auto added = to.append(*piece); !added) return added;
  }
}

/// Writes images into a file, one after the other.
class Exporter {
 public:
  Exporter(const HostImages& images, NewFile& file, const IsStopped& is_stopped, Brings brings)
      : images_(images),
        file_(file),
        is_stopped_(is_stopped),
        brings_(brings),
        digests_(digests_folder(images.folder().parent_path())) {}

  /// What it takes in the file.
  Result<std::uint64_t> add(const std::string& key, ImageAbout about) {
    const fs::path path = images_.image(key);
    if (const char* why = why_not(about.origin)) return fail(ErrorKind::failed, why);
    const auto image = images_.open(key);
    if (!image) return fail(ErrorKind::failed, "it is not what was written");
    const auto meanings = meanings_of(image->get(), path, about, digests_);
    if (!meanings) return std::unexpected(meanings.error());
    std::uint64_t bytes = 0;
    json::Value sources;
    if (brings_ == Brings::libraries) {
      sources = bring(about.origin, *meanings);
      const auto mapped = mapped_files_of_image(image->get(), path);
      if (!mapped) return std::unexpected(mapped.error());
      for (const std::string& one : *mapped) {
        if (lies_below(one, about.origin.own_folder)) continue;
        about.origin.libraries[one] = meanings->at(one);
        const auto added = add_library(one, meanings->at(one));
        if (!added) return std::unexpected(added.error());
        bytes += *added;
      }
      about.origin.folders = folders_of(about.origin, *meanings);
    }
    json::Object object = to_json(about);
    object["named"] = pairs_of(*meanings);
    object["store"] = images_.folder().string();
    if (!sources.is_null()) object["sources"] = std::move(sources);
    FileBytes memory(image->get(), path, is_stopped_);
    const auto packed = pack(images_, std::move(object), [&] { return memory.next(); });
    if (!packed) return std::unexpected(packed.error());
    if (auto added = append(file_, *packed, images_.folder(), is_stopped_); !added)
      return std::unexpected(added.error());
    return bytes + packed->bytes;
  }

  void save_digests() { std::ignore = digests_.save(); }

 private:
  [[nodiscard]] const char* why_not(const ImageOrigin& origin) const {
    if (!origin.libraries.empty()) return "it was carried here itself, and its libraries are not installed";
    if (brings_ == Brings::libraries && origin.installation.empty())
      return "it is no host of Python statements, or of an older tally: it cannot bring its libraries along";
    return nullptr;
  }

  /// Sources of modules, by folder. From now on the image is known by what it is, whatever starts the counter.
  json::Array bring(ImageOrigin& origin, const Meanings& meanings) {
    origin.content = origin.own_content;
    Meanings sources;
    const auto found = json::parse(origin.installation);
    const json::Object* const modules = found ? (*found)["discovery"]["modules"].object() : nullptr;
    for (const auto& [name, place] : modules != nullptr ? *modules : json::Object()) {
      const std::string folder = place.text_or("");
      if (!meanings.contains(folder)) sources[folder] = digests_.of_sources(folder);
    }
    return pairs_of(sources);
  }

  Result<std::uint64_t> add_library(const std::string& path, const std::string& digest) {
    if (!libraries_.insert(digest).second) return 0;
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return std::unexpected(errno_error("read", path));
    FileBytes bytes(file.get(), path, is_stopped_);
    Digest found;
    const auto next = [&]() -> Result<std::string_view> {
      auto piece = bytes.next();
      if (piece) found.add_raw(*piece);
      return piece;
    };
    std::error_code code;
    const auto packed =
        pack(images_, {{"library", digest}, {"bytes", static_cast<std::uint64_t>(fs::file_size(path, code))}}, next);
    if (!packed) return std::unexpected(packed.error());
    if (found.hex() != digest) return fail(ErrorKind::failed, "a file has changed while it was read: " + path);
    if (auto added = append(file_, *packed, images_.folder(), is_stopped_); !added)
      return std::unexpected(added.error());
    return packed->bytes;
  }

  /// Those in which modules and libraries are looked for, without those that lie in another one.
  static std::vector<std::string> folders_of(const ImageOrigin& origin, const Meanings& meanings) {
    // A library that is looked for by its name alone is first looked up there.
    std::set<std::string> all = {"/etc/ld.so.cache"};
    const auto installation = json::parse(origin.installation);
    for (const std::string& folder : json::texts_of(installation ? (*installation)["folders"] : json::Value()))
      all.insert(folder);
    for (const auto& [path, meaning] : meanings) {
      const fs::path file(path);
      const bool is_library = is_digest(meaning) && file.filename().string().contains(".so");
      if (is_library && !lies_below(path, origin.own_folder)) all.insert(file.parent_path().string());
    }
    std::vector<std::string> folders;
    for (const std::string& one : all) {
      const bool is_of_another =
          std::ranges::any_of(all, [&](const std::string& other) { return lies_below(one, other); });
      if (one.starts_with('/') && one != "/" && !is_of_another) folders.push_back(one);
    }
    return folders;
  }

  const HostImages& images_;
  NewFile& file_;
  IsStopped is_stopped_;
  Brings brings_;
  FileDigests digests_;
  std::set<std::string> libraries_;  ///< Those that are in the file.
};

}  // namespace

Result<std::vector<CarriedImage>> export_images(const HostImages& images, const std::string& filter, const fs::path& to,
                                                const IsStopped& is_stopped, Brings brings) {
  std::vector<CarriedImage> report;
  auto file = NewFile::create(to);
  if (!file) return std::unexpected(file.error());
  if (auto added = file->append(brings == Brings::libraries ? kImagesWithLibrariesMagic : kImagesMagic); !added)
    return std::unexpected(added.error());
  Exporter exporter(images, *file, is_stopped, brings);
  for (const HostImages::Image& one : images.list()) {
    if (one.is_carried || !glob_match(filter, one.host)) continue;
    const auto about = images.about(one.key);
    if (!about) continue;
    const auto bytes = exporter.add(one.key, *about);
    const ErrorKind kind = bytes ? ErrorKind::failed : bytes.error().kind;
    if (kind == ErrorKind::io || kind == ErrorKind::interrupted) return std::unexpected(bytes.error());
    if (!bytes) {
      report.push_back({.host = one.host, .why_not = bytes.error().message});
      continue;
    }
    report.push_back({.host = one.host, .bytes = *bytes, .why_not = {}});
  }
  exporter.save_digests();
  const bool is_empty = std::ranges::none_of(report, [](const CarriedImage& one) { return one.why_not.empty(); });
  if (is_empty) return report;
  if (auto published = file->publish(); !published) return std::unexpected(published.error());
  return report;
}

}  // namespace tally
