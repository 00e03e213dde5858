/// The names in a folder now, for programs that have no C library.
#pragma once

#include "protocol/folder_names.h"
#include "system.h"

namespace tally::host {

/// `path` may be of anything.
inline bool is_record_at(const char* path) {
  constexpr long kWaitsForNobody = 04000;  // O_NONBLOCK
  const long file = system::call(system::kOpen, system::address(path), system::kOpenOnly | kWaitsForNobody);
  if (file < 0) return false;
  char head[protocol::kRecordHead];
  const long size = system::call(system::kRead, file, system::address(head), sizeof head);
  system::call(system::kClose, file);
  return size > 0 && protocol::is_record(head, static_cast<std::uint64_t>(size));
}

/// `path` ends in a slash. False: it cannot be listed.
inline bool read_names(const char* path, protocol::FolderNames& names) {
  constexpr long kFolder = 0200000;  // O_DIRECTORY
  const long folder = system::call(system::kOpen, system::address(path), system::kOpenOnly | kFolder);
  if (folder < 0) return false;
  char whole[4096 + 256];
  std::uint64_t length = 0;
  while (path[length] != 0 && length < 4096) whole[length] = path[length], ++length;
  char entries[16384];
  long size = 0;
  while ((size = system::call(system::kGetdents, folder, system::address(entries), sizeof entries)) > 0) {
    for (long at = 0; at < size;) {
      // struct linux_dirent64: an inode, an offset, its own length, a type, a name.
      const char* const entry = entries + at;
      at += *reinterpret_cast<const std::uint16_t*>(entry + 16);
      const char* const name = entry + 19;
      if (protocol::may_be_record(name)) {
        std::uint64_t end = length;
        for (const char* from = name; *from != 0; ++from) whole[end++] = *from;
        whole[end] = 0;
        if (is_record_at(whole)) continue;
      }
      names.add(name);
    }
  }
  system::call(system::kClose, folder);
  return size == 0;
}

}  // namespace tally::host
