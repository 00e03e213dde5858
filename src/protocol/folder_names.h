/// The names in a folder, as an image is compared with them: how many, and a sum that no order changes.
///
/// What a start of the same program brings about, or a run of tally's writes beside it, is no other folder: compiled
/// modules, pytest's cache, and a record with its journal and its profiles. Needs no C library.
#pragma once

#include <cstdint>

namespace tally::protocol {

/// So many bytes of a file are enough for is_record().
inline constexpr std::uint64_t kRecordHead = 256;

inline bool ends_with(const char* text, const char* ending) {
  const char* at = text;
  while (*at != 0) ++at;
  const char* last = ending;
  while (*last != 0) ++last;
  if (at - text < last - ending) return false;
  while (last != ending) {
    if (*--at != *--last) return false;
  }
  return true;
}

inline bool is_same(const char* one, const char* other) {
  while (*one != 0 && *one == *other) ++one, ++other;
  return *one == *other;
}

inline bool may_be_record(const char* name) { return ends_with(name, ".json"); }

/// By the first bytes of a file.
inline bool is_record(const char* bytes, std::uint64_t size) {
  constexpr char kMark[] = R"("tool": {"name":"tallymark")";
  constexpr std::uint64_t kLength = sizeof kMark - 1;
  for (std::uint64_t at = 0; at + kLength <= size; ++at) {
    std::uint64_t same = 0;
    while (same < kLength && bytes[at + same] == kMark[same]) ++same;
    if (same == kLength) return true;
  }
  return false;
}

/// Of a run, whatever is in it.
inline bool is_of_run(const char* name) {
  return ends_with(name, ".json.journal") || ends_with(name, ".json.profiles");
}

struct FolderNames {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;

  /// But for records, which the caller knows.
  void add(const char* name) {
    if (is_same(name, ".") || is_same(name, "..") || is_same(name, "__pycache__") || is_same(name, ".pytest_cache") ||
        is_of_run(name))
      return;
    std::uint64_t hash = 0xcbf2'9ce4'8422'2325;  // FNV-1a
    for (; *name != 0; ++name) hash = (hash ^ static_cast<unsigned char>(*name)) * 0x100'0000'01b3;
    ++count;
    sum += hash;
  }
};

}  // namespace tally::protocol
