#include "closed_folders.h"

#include "protocol/host_image.h"

namespace tally::counter {

namespace {

HChar g_folders[protocol::image::kFolders];  ///< Each ended by a null, after the last one another; empty: none.
HChar g_looked_for[256];                     ///< The first path; empty: none.

/// In a folder of the list, or such a folder itself.
bool is_closed(const HChar* path) {
  for (const HChar* folder = g_folders; *folder != 0; folder += VG_(strlen)(folder) + 1) {
    const SizeT length = VG_(strlen)(folder);
    if (VG_(strncmp)(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0)) return true;
  }
  return false;
}

/// At once: where the guest fails of that, it is the reason.
void note(UWord name) {
  const auto* const path = reinterpret_cast<const HChar*>(name);  // NOLINT(performance-no-int-to-ptr): the guest's
  if (path == nullptr || *path != '/' || !is_closed(path)) return;
  VG_(strncpy)(g_looked_for, path, sizeof g_looked_for - 1);
  constexpr Int kStandardError = 2;
  HChar text[sizeof g_looked_for + 256];
  const UInt length =
      VG_(sprintf)(text, "tally: %s%s, and its image brought along only what the start of its host had loaded\n",
                   protocol::image::kLooksFor, g_looked_for);
  VG_(write)(kStandardError, text, static_cast<Int>(length));
}

}  // namespace

void close_folders(const HChar* list) {
  VG_(strncpy)(g_folders, list, sizeof g_folders - 2);
  for (HChar* at = g_folders; *at != 0; ++at) {
    if (*at == ':') *at = 0;
  }
  g_looked_for[0] = 0;
}

void watch_closed_folders(UInt number, const UWord* arguments, SysRes result) {
  constexpr UWord kBadAddress = 14;
  const bool has_path = !sr_isError(result) || sr_Err(result) != kBadAddress;
  if (g_folders[0] == 0 || g_looked_for[0] != 0 || !has_path) return;
  switch (number) {
    case 2:   // open
    case 4:   // stat
    case 6:   // lstat
    case 21:  // access
    case 59:  // execve
    case 80:  // chdir
    case 89:  // readlink
      return note(arguments[0]);
    case 257:  // openat
    case 262:  // newfstatat
    case 267:  // readlinkat
    case 269:  // faccessat
    case 332:  // statx
    case 437:  // openat2
    case 439:  // faccessat2
      return note(arguments[1]);
    default:
      return;
  }
}

void end_if_it_has_looked() {
  if (g_looked_for[0] != 0) VG_(exit)(1);
}

}  // namespace tally::counter
