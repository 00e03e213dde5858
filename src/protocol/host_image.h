/// A host as a file: what the counter writes of a host that is ready to serve (host/counter/image.cc), and the loader
/// makes another process of (host/image/loader.cc).
///
/// The head, tables, then memory: each run of pages at a multiple of the page's size, so that it can be mapped. Numbers
/// are this machine's, for an image is used where it was written. Both sides are programs without a C library.
#pragma once

#include <cstdint>

namespace tally::protocol::image {

/// The counter's option: where to write the image, once the host asks for it and has needed so long to start.
inline constexpr const char* kOption = "--host-image=";

/// With it: the host is a program of a user's, whose start may go by whatever it reads. So files that it opens to write
/// to as well and the names in folders that it lists are compared, too, and there is no image where that is not all.
inline constexpr const char* kOfProgramOption = "--host-image-of-program=yes";

/// The client request of a host that is about to serve ('T','I'). Nothing happens without the option.
inline constexpr unsigned kReadyToServe = 0x5449'0000;

/// Where the loader finds the image open.
inline constexpr int kDescriptor = 4;

/// What the loader exits with, after a line on standard error: then an ordinary start is the way.
inline constexpr int kRefused = 120;

inline constexpr std::uint64_t kMagic = 0x3247'4d49'594c'4154;  ///< "TALYIMG2": another layout has another number.
inline constexpr std::uint64_t kPage = 4096;

/// Where the loader lies, and where tables are composed: no part of an image.
inline constexpr std::uint64_t kLoader = 0x2000'0000'0000;
inline constexpr std::uint64_t kLoaderEnd = 0x2000'0400'0000;
inline constexpr std::uint64_t kTables = 0x3000'0000'0000;

enum class Backing : std::uint32_t {
  none,         ///< Anonymous memory.
  none_shared,  ///< Anonymous, shared with forked processes.
  file,         ///< A private mapping.
  file_shared,  ///< A shared one, which nobody writes to.
};

struct Mapping {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t offset;  ///< In its file.
  std::uint32_t access;  ///< PROT_*
  Backing backing;
  std::uint32_t file;  ///< Its number among the files.
  std::uint32_t runs;  ///< So many of the runs, after those of the mappings before.
};

/// Pages that the process had written to.
struct Run {
  std::uint64_t begin;
  std::uint64_t size;
  std::uint64_t at;    ///< In the image.
  std::uint64_t maps;  ///< 1: from the image; 0: copied.
};

/// What must be as it was: a program or library, and whatever else the process has read.
struct File {
  std::uint64_t inode;  ///< 0: there must be none. kListedFolder: its names, `size` and `changed` (folder_names.h).
  std::uint64_t size;
  std::int64_t changed;  ///< The inode's change, by the kernel's clock: seconds, and nanoseconds.
  std::int64_t changed_ns;
  std::uint64_t name;  ///< Where among the strings.
};

/// Of a folder whose name ends in a slash.
inline constexpr std::uint64_t kListedFolder = ~std::uint64_t{0};

enum class Open : std::uint32_t {
  as_given,   ///< By who starts the process.
  named,      ///< A file or a folder.
  content,    ///< A file without a name: its bytes are in the image.
  duplicate,  ///< Of one that is given.
};

struct Descriptor {
  std::int32_t number;
  Open kind;
  std::uint32_t flags;   ///< As open(2) has them.
  std::uint32_t closes;  ///< FD_CLOEXEC
  std::uint64_t offset;
  std::uint64_t name;  ///< Where among the strings.
  std::uint64_t at;    ///< Of its bytes in the image.
  std::uint64_t size;
  std::int64_t original;
};

/// The kernel's struct sigaction.
struct Signal {
  std::uint64_t handler;
  std::uint64_t flags;
  std::uint64_t restorer;
  std::uint64_t mask;
};
inline constexpr int kSignals = 64;

struct Limit {
  std::uint64_t now;
  std::uint64_t most;
};

/// Of one table: where it begins in the image, and how many entries it has.
struct Table {
  std::uint64_t at;
  std::uint64_t size;
};

struct Head {
  std::uint64_t magic;       ///< Written last of all.
  std::uint64_t table_size;  ///< Bytes of the head and of all tables, from the image's first on.
  std::uint64_t size;        ///< Of the image, in bytes.
  std::uint64_t resume;      ///< A function of the counter's, which is given a `Resumed`.
  Table mappings;
  Table runs;
  Table files;
  Table descriptors;
  Table strings;         ///< Each ended by a null.
  std::uint64_t folder;  ///< The working folder, where among the strings.
  std::uint64_t mask;    ///< umask(2)
  Limit data;            ///< RLIMIT_DATA, with which Valgrind keeps the kernel's break out of the way.
  Limit descriptor;      ///< RLIMIT_NOFILE
  char name[16];         ///< PR_SET_NAME
  Signal signals[kSignals + 1];
};

/// With this, after "tally: ", begins the line on standard error about a process that looks into one of the folders of
/// Resumed.
inline constexpr char kLooksFor[] = "it looks for ";

/// Room for the folders of Resumed.
inline constexpr std::uint64_t kFolders = std::uint64_t{16} << 10U;

/// What the new process continues with.
struct Resumed {
  const char* dump_name;  ///< --callgrind-out-file, the new host's own.
  const char* folders;    ///< In which it may not look for anything, with colons between; empty: none.
};

}  // namespace tally::protocol::image
