/// System calls of programs that have no C library, and whose memory Valgrind does not know of.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tally::host::system {

/// The number is that of the system call in the kernel's table for amd64; a negative result is an errno's.
inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return number;  // the result by now
}

enum Number : long {
  kRead = 0,
  kWrite = 1,
  kOpen = 2,
  kClose = 3,
  kStat = 4,
  kFstat = 5,
  kLstat = 6,
  kPoll = 7,
  kLseek = 8,
  kMmap = 9,
  kMprotect = 10,
  kMunmap = 11,
  kSigaction = 13,
  kSigmask = 14,
  kPread = 17,
  kPwrite = 18,
  kSelect = 23,
  kDup2 = 33,
  kNanosleep = 35,
  kExit = 60,
  kUname = 63,
  kFcntl = 72,
  kFtruncate = 77,
  kGetcwd = 79,
  kChdir = 80,
  kUnlink = 87,
  kReadlink = 89,
  kUmask = 95,
  kGettimeofday = 96,
  kSigaltstack = 131,
  kPrctl = 157,
  kGetdents = 217,
  kSetTidAddress = 218,
  kClockGettime = 228,
  kClockNanosleep = 230,
  kEpollWait = 232,
  kOpenat = 257,
  kNewfstatat = 262,
  kPselect = 270,
  kSetRobustList = 273,
  kGetRobustList = 274,
  kDup3 = 292,
  kPrlimit = 302,
  kMemfdCreate = 319,
  kCloseRange = 436,
};

// Of the calls' arguments.
inline constexpr long kPrivate = 0x02;
inline constexpr long kShared = 0x01;
inline constexpr long kFixed = 0x10;
inline constexpr long kAnonymous = 0x20;
inline constexpr long kNoReserve = 0x4000;
inline constexpr long kReadable = 1;
inline constexpr long kWritable = 2;
inline constexpr long kExecutable = 4;
inline constexpr long kOpenOnly = 02000000;  ///< O_CLOEXEC
inline constexpr long kNoFollow = 0400000;
inline constexpr long kSetAll = 2;          ///< SIG_SETMASK
inline constexpr long kLimitData = 2;       ///< RLIMIT_DATA
inline constexpr long kLimitFiles = 7;      ///< RLIMIT_NOFILE
inline constexpr long kSetName = 15;        ///< PR_SET_NAME
inline constexpr long kGetName = 16;        ///< PR_GET_NAME
inline constexpr long kGetTidAddress = 40;  ///< PR_GET_TID_ADDRESS
inline constexpr long kGetFlags = 1;        ///< F_GETFD
inline constexpr long kSetFlags = 2;        ///< F_SETFD
inline constexpr long kGetMode = 3;         ///< F_GETFL
inline constexpr long kDuplicate = 0;       ///< F_DUPFD

/// The kernel's struct stat.
struct Stat {
  std::uint64_t device, inode, links;
  std::uint32_t mode, user, group, padding;
  std::uint64_t special;
  std::uint64_t size, block, blocks;
  std::int64_t read, read_ns, written, written_ns, changed, changed_ns;
  std::int64_t unused[3];

  [[nodiscard]] std::uint32_t kind() const { return mode & 0170000U; }
  [[nodiscard]] bool is_regular() const { return kind() == 0100000U; }
  [[nodiscard]] bool is_folder() const { return kind() == 0040000U; }
  [[nodiscard]] bool is_device() const { return kind() == 0020000U; }
};

template <typename T>
long address(const T* of) {
  return reinterpret_cast<long>(of);
}

}  // namespace tally::host::system
