#include "read_files.h"

#include "image.h"
#include "image/folder_names.h"
#include "image/system.h"
#include "protocol/host_image.h"

namespace tally::counter {

namespace {

namespace system = host::system;

constexpr UInt kRoom = 1U << 15U;

ReadFile* g_files = nullptr;  ///< Null: none are kept.
UInt g_count = 0;
UInt* g_places = nullptr;  ///< By a hash of the name, twice as many: a number and 1; 0: none.

Bool g_of_program = False;
Bool g_is_full = False;
Bool g_is_in_child = False;
Bool g_makes_file = False;  ///< What the current call names is not there yet.
const HChar* g_dumps = nullptr;
SizeT g_dumps_length = 0;

/// What a child reads is not seen again: it says so, once.
void note_read_in_child() {
  g_files = nullptr;
  give_up_image("it has started a process that reads files");
}

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

bool is_made_up(const HChar* path) {
  return begins(path, "/proc/") || begins(path, "/sys/") || (begins(path, "/dev/") && !begins(path, "/dev/shm/")) ||
         (g_dumps_length != 0 && VG_(strncmp)(path, g_dumps, g_dumps_length) == 0);
}

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

/// A new entry for it; null: there is one, or no room.
ReadFile* add(const HChar* path) {
  UInt& place = place_of(path);
  if (place != 0) return nullptr;
  if (g_count == kRoom) {
    g_is_full = True;
    return nullptr;
  }
  ReadFile* const file = &g_files[g_count];
  *file = {.name = VG_(strdup)("tally.read", path)};
  place = ++g_count;
  return file;
}

bool is_known(const HChar* path) { return place_of(path) != 0; }

/// A run of tally's writes it, and the program has not opened it.
bool is_of_tally(const HChar* path) {
  return protocol::is_of_run(path) || VG_(strstr)(path, ".json.profiles/") != nullptr ||
         (protocol::may_be_record(path) && host::is_record_at(path));
}

void keep(const HChar* path, bool found, bool opened) {
  if (is_made_up(path) || is_known(path)) return;
  system::Stat about{};
  if (found && system::call(system::kStat, system::address(path), system::address(&about)) != 0) return;
  if (found && !about.is_regular() && !(about.is_folder() && holds_packages(path))) return;
  if (g_is_in_child) return note_read_in_child();
  if (g_of_program && found && !opened && is_of_tally(path)) return;
  ReadFile* const file = add(path);
  if (file != nullptr && found)
    *file = {.name = file->name,
             .inode = about.inode,
             .size = about.size,
             .changed = about.changed,
             .changed_ns = about.changed_ns};
}

/// Whole, whatever it is relative to; null: it cannot be, or none is kept. Until the next call.
const HChar* whole_path(Word folder, UWord name) {
  static HChar whole[4096];
  const auto* const path = reinterpret_cast<const HChar*>(name);  // NOLINT(performance-no-int-to-ptr): the guest's
  constexpr Word kWorkingFolder = -100;                           // AT_FDCWD
  if (*path == '/') return path;
  const bool is_here = static_cast<Int>(folder) == kWorkingFolder;
  if ((!is_here && !g_of_program) || *path == 0) return nullptr;
  HChar link[40];
  VG_(sprintf)(link, "/proc/self/fd/%d", static_cast<Int>(folder));
  // With its null, or without one.
  const long length =
      is_here ? system::call(system::kGetcwd, system::address(whole), sizeof whole) - 1
              : system::call(system::kReadlink, system::address(link), system::address(whole), sizeof whole);
  const SizeT rest = VG_(strlen)(path) + 1;
  if (length <= 0 || static_cast<SizeT>(length) + 1 + rest > sizeof whole) return nullptr;
  whole[length] = '/';
  VG_(memcpy)(whole + length + 1, path, rest);
  return whole;
}

void keep_named(Word folder, UWord name, bool found, bool opened) {
  if (const HChar* const path = whole_path(folder, name)) keep(path, found, opened);
}

constexpr UInt kOpen = 2;
constexpr UInt kExecve = 59;
constexpr UInt kMkdir = 83;
constexpr UInt kCreat = 85;
constexpr UInt kGetdents = 78;
constexpr UInt kOpenat = 257;
constexpr UInt kMkdirat = 258;
constexpr UInt kExecveat = 322;
constexpr UInt kOpenat2 = 437;
constexpr Word kHere = -100;

constexpr UWord kAccess = 3;
constexpr UWord kWriteOnly = 1;
constexpr UWord kCreates = 0100;
constexpr UWord kEmpties = 01000;

/// What is opened or made, and how: open(2)'s flags.
struct Opening {
  Word folder = kHere;
  UWord name = 0;  ///< 0: the call is none of these.
  UWord flags = 0;
};

Opening opening_of(UInt number, const UWord* arguments) {
  switch (number) {
    case kOpen:
      return {kHere, arguments[0], arguments[1]};
    case kOpenat:
      return {static_cast<Word>(arguments[0]), arguments[1], arguments[2]};
    case kOpenat2:  // struct open_how begins with flags
      return {static_cast<Word>(arguments[0]), arguments[1],
              *reinterpret_cast<const UWord*>(arguments[2])};  // NOLINT(performance-no-int-to-ptr)
    case kCreat:
      return {kHere, arguments[0], kWriteOnly | kCreates | kEmpties};
    case kMkdir:
      return {kHere, arguments[0], kWriteOnly | kCreates};
    case kMkdirat:
      return {static_cast<Word>(arguments[0]), arguments[1], kWriteOnly | kCreates};
    default:
      return {};
  }
}

void keep_opened(const Opening& opening, bool found) {
  if (!g_of_program) {
    if ((opening.flags & (kAccess | kCreates)) == 0) keep_named(opening.folder, opening.name, found, true);
    return;
  }
  if (found && g_makes_file) {
    const HChar* const path = whole_path(opening.folder, opening.name);
    ReadFile* const own = path == nullptr || is_made_up(path) ? nullptr : add(path);
    if (own != nullptr) own->is_own = True;
    return;
  }
  // Nothing of what it was comes into the process.
  if ((opening.flags & kAccess) == kWriteOnly || (opening.flags & kEmpties) != 0) return;
  keep_named(opening.folder, opening.name, found, true);
}

void keep_listed(UWord descriptor) {
  HChar link[40];
  HChar path[4096];
  VG_(sprintf)(link, "/proc/self/fd/%d", static_cast<Int>(descriptor));
  const long length = system::call(system::kReadlink, system::address(link), system::address(path), sizeof path - 2);
  if (length <= 0) return;
  path[length] = 0;
  // A folder of packages is kept as it was opened.
  if (holds_packages(path)) return;
  ReadFile* own = nullptr;
  if (const UInt known = place_of(path); known != 0) own = &g_files[known - 1];
  if (own != nullptr && own->is_own) return;
  if (path[length - 1] != '/') path[length] = '/';
  path[length + 1] = 0;
  if (is_made_up(path) || protocol::is_of_run(path) || is_known(path)) return;
  if (VG_(strstr)(path, ".json.profiles/") != nullptr) return;
  protocol::FolderNames names;
  if (!host::read_names(path, names)) return;
  ReadFile* const list = add(path);
  if (list == nullptr) return;
  *list = {.name = list->name,
           .inode = protocol::image::kListedFolder,
           .size = names.count,
           .changed = static_cast<Long>(names.sum)};
}

}  // namespace

bool ReadFile::is(const host::system::Stat& about) const {
  return about.inode == inode && about.size == size && about.changed == changed && about.changed_ns == changed_ns;
}

void begin_keeping_read_files() {
  g_files = static_cast<ReadFile*>(VG_(calloc)("tally.read", kRoom, sizeof(ReadFile)));
  g_places = static_cast<UInt*>(VG_(calloc)("tally.read", SizeT{2} * kRoom, sizeof(UInt)));
}

void end_keeping_read_files() { g_files = nullptr; }

Bool take_read_files_option(const HChar* argument) {
  if (VG_(strcmp)(argument, protocol::image::kOfProgramOption) != 0) return False;
  g_of_program = True;
  return True;
}

void leave_out_dumps(const HChar* name) {
  const HChar* const slash = VG_(strrchr)(name, '/');
  g_dumps = name;
  g_dumps_length = slash == nullptr ? 0 : static_cast<SizeT>(slash - name) + 1;
}

void read_files_in_child() { g_is_in_child = g_of_program; }

void look_for_new_file(UInt number, const UWord* arguments) {
  if (g_files == nullptr || !g_of_program) return;
  if (g_is_in_child && (number == kExecve || number == kExecveat)) return note_read_in_child();
  const Opening opening = opening_of(number, arguments);
  g_makes_file = False;
  if (opening.name == 0 || (opening.flags & kCreates) == 0) return;
  const HChar* const path = whole_path(opening.folder, opening.name);
  system::Stat about{};
  if (path != nullptr && system::call(system::kStat, system::address(path), system::address(&about)) != 0)
    g_makes_file = True;
}

void keep_read_files(UInt number, const UWord* arguments, SysRes result) {
  if (g_files == nullptr) return;
  constexpr UWord kNoSuchFile = 2;
  const bool found = !sr_isError(result);
  if (!found && sr_Err(result) != kNoSuchFile) return;
  switch (number) {
    case kOpen:
    case kOpenat:
    case kCreat:
    case kMkdir:
    case kMkdirat:
      return keep_opened(opening_of(number, arguments), found);
    case kOpenat2:
      if (g_of_program) return keep_opened(opening_of(number, arguments), found);
      return keep_named(static_cast<Word>(arguments[0]), arguments[1], found, true);
    case 4:   // stat
    case 6:   // lstat
    case 21:  // access
      return keep_named(kHere, arguments[0], found, false);
    case 262:  // newfstatat
    case 269:  // faccessat
    case 332:  // statx
    case 439:  // faccessat2
      return keep_named(static_cast<Word>(arguments[0]), arguments[1], found, false);
    case kGetdents:
    case system::kGetdents:
      if (found && g_of_program && !g_is_in_child) keep_listed(arguments[0]);
      return;
    default:
      return;
  }
}

const HChar* why_reading_is_unknown() {
  constexpr UInt kWaitid = 247;
  constexpr long kAnyIsThere = 0x0100'0005;  // WNOHANG | WEXITED | WNOWAIT
  if (g_is_full) return "it has looked at too many files";
  if (!g_of_program) return nullptr;
  return system::call(kWaitid, 0, 0, 0, kAnyIsThere) == 0 ? "it has processes that it started" : nullptr;
}

UInt read_files() { return g_count; }

const ReadFile& read_file(UInt number) { return g_files[number]; }

}  // namespace tally::counter
