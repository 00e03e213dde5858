#include "folder_lists.h"

#include "image/system.h"
#include "protocol/first_modules.h"
#include "results.h"

namespace tally::counter {

namespace {

namespace system = host::system;

/// The kernel's struct linux_dirent64.
struct Entry {
  ULong inode;
  Long next;  ///< The place after it, in the kernel's own terms.
  UShort size;
  UChar kind;
  HChar name[1];
};

/// A folder that is being listed.
struct List {
  Int descriptor;
  UChar* bytes;  ///< Entries, sorted.
  SizeT size;
  SizeT at;  ///< What comes next.
  List* other;
};

List* g_lists = nullptr;

bool g_first_modules_alone = false;

/// Added to an offset in one of these lists, it makes what the guest takes for the kernel's (d_off).
constexpr Long kPlaces = 0x7a11'0000'0000'0000;

List* list_of(UWord descriptor) {
  for (List* list = g_lists; list != nullptr; list = list->other) {
    if (list->descriptor == static_cast<Int>(descriptor)) return list;
  }
  return nullptr;
}

void forget(UWord first, UWord last) {
  for (List** at = &g_lists; *at != nullptr;) {
    List* const list = *at;
    if (static_cast<UWord>(list->descriptor) < first || static_cast<UWord>(list->descriptor) > last) {
      at = &list->other;
      continue;
    }
    *at = list->other;
    VG_(free)(list->bytes);
    VG_(free)(list);
  }
}

Entry* entry_at(UChar* bytes) { return reinterpret_cast<Entry*>(bytes); }

Int by_name(const void* first, const void* second) {
  return VG_(strcmp)((*static_cast<Entry* const*>(first))->name, (*static_cast<Entry* const*>(second))->name);
}

bool is_first_module(const HChar* name) {
  SizeT length = 0;
  while (name[length] != '\0' && name[length] != '.') ++length;
  if (length == 0) return true;  // "." and ".."
  for (const HChar* const module : host::kFirstModules) {
    if (VG_(strlen)(module) == length && VG_(strncmp)(module, name, length) == 0) return true;
  }
  return false;
}

/// Packages of the start's own are listed whole, and so is what the library has compiled, which some of its modules do
/// without.
bool is_searched_for_modules(Int descriptor) {
  HChar link[40];
  HChar path[4096];
  VG_(sprintf)(link, "/proc/self/fd/%d", descriptor);
  const SSizeT length = VG_(readlink)(link, path, sizeof path - 1);
  if (length <= 0) return false;
  path[length] = '\0';
  if (VG_(strncmp)(path, "/proc/", 6) == 0) return false;  // nobody keeps a module there
  const HChar* const slash = VG_(strrchr)(path, '/');  // which leaves out the first character: null for the root folder
  return slash == nullptr || !is_first_module(slash + 1);
}

/// The entries of `from` by their names, all or those of first modules, in `to`: how many bytes they take.
SizeT sort(UChar* to, UChar* from, SizeT size, bool first_modules_alone) {
  SizeT count = 0;
  for (SizeT at = 0; at < size; at += entry_at(from + at)->size) ++count;
  auto** entries = static_cast<Entry**>(VG_(malloc)("tally.folders", count * sizeof(Entry*)));
  count = 0;
  for (SizeT at = 0; at < size; at += entry_at(from + at)->size) entries[count++] = entry_at(from + at);
  VG_(ssort)(static_cast<void*>(entries), count, sizeof(Entry*), by_name);
  if (first_modules_alone) {
    SizeT kept = 0;
    for (SizeT i = 0; i < count; ++i) {
      if (is_first_module(entries[i]->name)) entries[kept++] = entries[i];
    }
    count = kept;
  }
  SizeT at = 0;
  for (SizeT i = 0; i < count; ++i) {
    VG_(memcpy)(to + at, entries[i], entries[i]->size);
    Entry* const copy = entry_at(to + at);
    at += copy->size;
    copy->next = kPlaces + static_cast<Long>(at);
  }
  VG_(free)(static_cast<void*>(entries));
  return at;
}

/// All of a folder, of which the kernel has given the first piece.
List* read_rest(UWord descriptor, UWord piece, SizeT size) {
  constexpr SizeT kRoom = SizeT{32} << 10U;
  static UChar more[kRoom];
  auto* whole = static_cast<UChar*>(VG_(malloc)("tally.folders", size));
  VG_(memcpy)(whole, reinterpret_cast<const void*>(piece), size);  // NOLINT(performance-no-int-to-ptr): the guest's
  for (;;) {
    const long given = system::call(system::kGetdents, static_cast<long>(descriptor), system::address(more), kRoom);
    if (given <= 0) break;
    whole = static_cast<UChar*>(VG_(realloc)("tally.folders", whole, size + static_cast<SizeT>(given)));
    VG_(memcpy)(whole + size, more, given);
    size += static_cast<SizeT>(given);
  }
  auto* const list = static_cast<List*>(VG_(malloc)("tally.folders", sizeof(List)));
  *list = {static_cast<Int>(descriptor), static_cast<UChar*>(VG_(malloc)("tally.folders", size)), size, 0, g_lists};
  list->size = sort(list->bytes, whole, size, g_first_modules_alone && is_searched_for_modules(list->descriptor));
  VG_(free)(whole);
  return g_lists = list;
}

/// As many of the next entries as there is room for: how many bytes they take, or an error.
Word give(List& list, UWord to, SizeT room) {
  constexpr Word kInvalid = -22;
  SizeT size = 0;
  while (list.at + size < list.size) {
    const SizeT next = entry_at(list.bytes + list.at + size)->size;
    if (size + next > room) break;
    size += next;
  }
  if (size == 0 && list.at < list.size) return kInvalid;
  VG_(memcpy)(reinterpret_cast<void*>(to), list.bytes + list.at, size);  // NOLINT(performance-no-int-to-ptr)
  list.at += size;
  return static_cast<Word>(size);
}

void list_sorted(ThreadId thread, const UWord* arguments, SysRes result) {
  if (sr_isError(result)) return;
  List* list = list_of(arguments[0]);
  if (list == nullptr) {
    if (sr_Res(result) == 0) return;
    list = read_rest(arguments[0], arguments[1], sr_Res(result));
  }
  if (!VG_(am_is_valid_for_client)(arguments[1], arguments[2], VKI_PROT_READ | VKI_PROT_WRITE)) return;
  answer(thread, give(*list, arguments[1], static_cast<UInt>(arguments[2])));
}

void go_to(ThreadId thread, const UWord* arguments) {
  List* const list = list_of(arguments[0]);
  if (list == nullptr) return;
  const auto wanted = static_cast<Long>(arguments[1]);
  constexpr UWord kFromStart = 0;
  if (arguments[2] != kFromStart || wanted < kPlaces) return forget(arguments[0], arguments[0]);
  const auto place = static_cast<SizeT>(wanted - kPlaces);
  list->at = place < list->size ? place : list->size;
  answer(thread, wanted);
}

}  // namespace

Bool take_folder_lists_option(const HChar* argument) {
  if (VG_(strcmp)(argument, host::kFirstModulesOption) != 0) return False;
  g_first_modules_alone = true;
  return True;
}

void list_whole_folders() { g_first_modules_alone = false; }

void hide_library_files(ThreadId thread, UInt number, const UWord* arguments, SysRes result) {
  constexpr const HChar* kHidden[] = {"/usr/share/locale/locale.alias", "/usr/share/zoneinfo/UTC"};
  const HChar* const path = g_first_modules_alone ? opened_path(number, arguments, result) : nullptr;
  if (path == nullptr) return;
  for (const HChar* const hidden : kHidden) {
    if (VG_(strcmp)(path, hidden) == 0) return answer_not_found(thread, result);
  }
}

void sort_folder_lists(ThreadId thread, UInt number, const UWord* arguments, SysRes result) {
  switch (number) {
    case system::kGetdents:
      return list_sorted(thread, arguments, result);
    case system::kLseek:
      return go_to(thread, arguments);
    case system::kClose:
      return forget(arguments[0], arguments[0]);
    case system::kDup2:
    case system::kDup3:
      return forget(arguments[1], arguments[1]);
    case system::kCloseRange:
      return forget(arguments[0], static_cast<UInt>(arguments[1]));
    default:
      return;
  }
}

}  // namespace tally::counter
