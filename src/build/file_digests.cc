#include "build/file_digests.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>
#include <tuple>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "build/identity.h"

namespace tally {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostRemembered = 100'000;  // 6 MB of text

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
}

}  // namespace

FileDigests::FileDigests(fs::path folder) : folder_(std::move(folder)) {
  const auto text = read_file(folder_ / "files");
  if (!text) return;
  for (const std::string_view line : split(*text, '\n')) {
    const auto words = split(line, ' ');
    Key key;
    auto& [device, inode, size, time] = key;
    if (words.size() == 5 && read_number(words[0], device) && read_number(words[1], inode) &&
        read_number(words[2], size) && read_number(words[3], time)) {
      known_[key] = words[4];
    }
  }
  if (known_.size() > kMostRemembered) known_.clear();
}

std::string FileDigests::of(const fs::path& path) {
  if (const auto there = elsewhere_.find(path.string()); there != elsewhere_.end()) return there->second;
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return "unreadable";
  const Key key{info.st_dev, info.st_ino, static_cast<std::uint64_t>(info.st_size),
                info.st_mtim.tv_sec * std::int64_t{1'000'000'000} + info.st_mtim.tv_nsec};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const auto digest = file_digest(path);
  if (!digest) return "unreadable";
  changed_ = true;
  return known_[key] = *digest;
}

std::string FileDigests::of_sources(const fs::path& place) {
  if (is_elsewhere(place)) return of(place);
  std::error_code code;
  if (!fs::is_directory(place, code)) return of(place);
  std::map<std::string, std::string> sources;
  for (auto entry = fs::recursive_directory_iterator(place, fs::directory_options::skip_permission_denied, code);
       entry != fs::recursive_directory_iterator(); entry.increment(code)) {
    if (entry->path().extension() == ".py")
      sources[entry->path().lexically_relative(place).string()] = of(entry->path());
  }
  Digest all;
  std::string text;
  for (const auto& [name, digest] : sources) {
    all.add(name).add(digest);
    text += fmt::format("{} {}\n", digest, name);
  }
  const fs::path kept = folder_ / "sources" / all.hex();
  if (!folder_.empty() && !fs::exists(kept, code)) std::ignore = write_file(kept, text);
  return all.hex();
}

std::map<std::string, std::string> FileDigests::sources_of(const std::string& digest) const {
  std::map<std::string, std::string> sources;
  const auto text = read_file(folder_ / "sources" / digest);
  if (!text) return sources;
  for (const std::string_view line : split(*text, '\n')) {
    const std::size_t blank = line.find(' ');
    if (blank != std::string_view::npos) sources.emplace(line.substr(blank + 1), line.substr(0, blank));
  }
  return sources;
}

Status FileDigests::save() {
  if (!changed_ || folder_.empty()) return {};
  std::string text;
  for (const auto& [key, digest] : known_) {
    const auto& [device, inode, size, time] = key;
    text += fmt::format("{} {} {} {} {}\n", device, inode, size, time, digest);
  }
  changed_ = false;
  return write_file(folder_ / "files", text);
}

}  // namespace tally
