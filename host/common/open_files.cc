#include "open_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

#include "protocol/descriptors.h"

namespace tally::host::open_files {
namespace {

constexpr int kFirst = protocol::kControlSocket + 1;
constexpr int kEnd = protocol::kLeastPrivate;  // from here on they are ours

/// What the runner has handed over, by number, before anything else was opened. A number may be another file's later.
struct Given {
  dev_t device = 0;
  ino_t file = 0;
};
constexpr int kLastGiven = 20;  // and the folders of preloaded libraries
Given g_given[kLastGiven + protocol::kPreloadFolders];
std::uint64_t g_noted[kEnd / 64];

Given* given(int number) {
  if (number < kLastGiven) return &g_given[number];
  const int folder = number - protocol::kFirstPreloadFolder;
  return folder >= 0 && folder < protocol::kPreloadFolders ? &g_given[kLastGiven + folder] : nullptr;
}

bool is_noted(int number) { return (g_noted[number / 64] >> (number % 64) & 1U) != 0; }

/// A program that was not started by a runner has no socket there.
__attribute__((constructor(101))) void note_given() {
  struct stat about{};
  if (::fstat(protocol::kControlSocket, &about) != 0 || !S_ISSOCK(about.st_mode)) return;
  for (int number = kFirst; number < kEnd; ++number) {
    Given* const one = given(number);
    if (one != nullptr && ::fstat(number, &about) == 0) *one = {about.st_dev, about.st_ino};
  }
}

}  // namespace

void note() {
  for (int number = kFirst; number < kEnd; ++number) {
    struct stat about{};
    if (::fstat(number, &about) != 0) continue;
    const Given* const one = given(number);
    if (one != nullptr && one->device == about.st_dev && one->file == about.st_ino) continue;
    g_noted[number / 64] |= std::uint64_t{1} << (number % 64);
  }
}

void close_others(unsigned first, unsigned last) {
  for (int number = kFirst; number < kEnd; ++number) {
    const auto kept = static_cast<unsigned>(number);
    if (!is_noted(number) || kept < first || kept > last) continue;
    if (kept > first) ::close_range(first, kept - 1, 0);
    first = kept + 1;
  }
  if (first <= last) ::close_range(first, last, 0);
}

void part() {
  for (int number = kFirst; number < kEnd; ++number) {
    struct stat about{};
    if (!is_noted(number) || ::fstat(number, &about) != 0 || !S_ISREG(about.st_mode)) continue;
    const int flags = ::fcntl(number, F_GETFL);
    if ((flags & O_ACCMODE) != O_RDONLY) continue;
    char path[32];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", number);
    const off_t place = ::lseek(number, 0, SEEK_CUR);
    const int own = ::open(path, flags | O_CLOEXEC);
    if (own < 0) continue;  // it is not for this user to open
    ::lseek(own, place, SEEK_SET);
    ::dup3(own, number, (::fcntl(number, F_GETFD) & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
    ::close(own);
  }
}

}  // namespace tally::host::open_files
