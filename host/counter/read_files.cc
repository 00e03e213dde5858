#include "read_files.h"

#include "image/system.h"

namespace tally::counter {

namespace {

namespace system = host::system;

constexpr UInt kRoom = 1U << 15U;

ReadFile* g_files = nullptr;  ///< Null: none are kept.
UInt g_count = 0;
UInt* g_places = nullptr;  ///< By a hash of the name, twice as many: a number and 1; 0: none.

UInt hash_of(const HChar* name) {
  UInt hash = 2166136261U;  // FNV-1a
  for (; *name != 0; ++name) hash = (hash ^ static_cast<UChar>(*name)) * 16777619U;
  return hash;
}

/// Where it is, or where it belongs.
UInt& place_of(const HChar* name) {
  for (UInt at = hash_of(name);; ++at) {
    UInt& place = g_places[at % (2 * kRoom)];
    if (place == 0 || VG_(strcmp)(g_files[place - 1].name, name) == 0) return place;
  }
}

bool begins(const HChar* text, const HChar* with) { return VG_(strncmp)(text, with, VG_(strlen)(with)) == 0; }

bool is_made_up(const HChar* path) { return begins(path, "/proc/") || begins(path, "/sys/") || begins(path, "/dev/"); }

/// Where Python's packages are installed.
bool holds_packages(const HChar* path) {
  SizeT length = VG_(strlen)(path);
  while (length > 1 && path[length - 1] == '/') --length;
  constexpr const HChar* kNames[] = {"/site-packages", "/dist-packages"};
  for (const HChar* name : kNames) {
    const SizeT size = VG_(strlen)(name);
    if (length >= size && VG_(strncmp)(path + length - size, name, size) == 0) return true;
  }
  return false;
}

void keep(const HChar* path, bool found) {
  if (g_count == kRoom || is_made_up(path)) return;
  UInt& place = place_of(path);
  if (place != 0) return;
  system::Stat about{};
  if (found && system::call(system::kStat, system::address(path), system::address(&about)) != 0) return;
  if (found && !about.is_regular() && !(about.is_folder() && holds_packages(path))) return;
  ReadFile& file = g_files[g_count];
  file.name = VG_(strdup)("tally.read", path);
  if (found) file = {file.name, about.inode, about.size, about.changed, about.changed_ns};
  place = ++g_count;
}

/// Whole, whatever it is relative to; a descriptor's folder is not asked.
void keep_named(Word folder, UWord name, bool found) {
  const auto* const path = reinterpret_cast<const HChar*>(name);  // NOLINT(performance-no-int-to-ptr): the guest's
  constexpr Word kWorkingFolder = -100;                           // AT_FDCWD
  if (*path == '/') return keep(path, found);
  if (static_cast<Int>(folder) != kWorkingFolder || *path == 0) return;
  HChar whole[4096];
  const long length = system::call(system::kGetcwd, system::address(whole), sizeof whole);
  const SizeT rest = VG_(strlen)(path) + 1;
  if (length <= 0 || static_cast<SizeT>(length) + rest > sizeof whole) return;
  whole[length - 1] = '/';
  VG_(memcpy)(whole + length, path, rest);
  keep(whole, found);
}

constexpr UWord kWrites = 3 | 0100;  // O_WRONLY, O_RDWR, O_CREAT

}  // namespace

bool ReadFile::is(const host::system::Stat& about) const {
  return about.inode == inode && about.size == size && about.changed == changed && about.changed_ns == changed_ns;
}

void begin_keeping_read_files() {
  g_files = static_cast<ReadFile*>(VG_(calloc)("tally.read", kRoom, sizeof(ReadFile)));
  g_places = static_cast<UInt*>(VG_(calloc)("tally.read", SizeT{2} * kRoom, sizeof(UInt)));
}

void end_keeping_read_files() { g_files = nullptr; }

void keep_read_files(UInt number, const UWord* arguments, SysRes result) {
  if (g_files == nullptr) return;
  constexpr UWord kNoSuchFile = 2;
  const bool found = !sr_isError(result);
  if (!found && sr_Err(result) != kNoSuchFile) return;
  constexpr Word kHere = -100;
  switch (number) {
    case 2:  // open
      if ((arguments[1] & kWrites) == 0) keep_named(kHere, arguments[0], found);
      return;
    case 257:  // openat
      if ((arguments[2] & kWrites) == 0) keep_named(static_cast<Word>(arguments[0]), arguments[1], found);
      return;
    case 4:   // stat
    case 6:   // lstat
    case 21:  // access
      return keep_named(kHere, arguments[0], found);
    case 262:  // newfstatat
    case 269:  // faccessat
    case 332:  // statx
    case 437:  // openat2
    case 439:  // faccessat2
      return keep_named(static_cast<Word>(arguments[0]), arguments[1], found);
    default:
      return;
  }
}

UInt read_files() { return g_count; }

const ReadFile& read_file(UInt number) { return g_files[number]; }

}  // namespace tally::counter
