#include "process/mapped_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>

#include "base/files.h"

namespace tally {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A page that may be executed, of a new file.
class ExecutablePage {
 public:
  explicit ExecutablePage(const std::string& path) : path_(path) {
    std::ofstream(path) << std::string(4096, 0);
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    page_ = ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    EXPECT_NE(page_, MAP_FAILED);
    ::close(file);
  }
  ExecutablePage(const ExecutablePage&) = delete;
  ExecutablePage& operator=(const ExecutablePage&) = delete;
  ~ExecutablePage() {
    ::munmap(page_, 4096);
    ::unlink(path_.c_str());
  }

 private:
  std::string path_;
  void* page_ = nullptr;
};

std::string text_of_own_maps() { return read_file("/proc/self/maps").value(); }

TEST(MappedFiles, AreThoseOfTheKernelsText) {
  const std::string name = ::testing::TempDir() + "a library, " + std::to_string(::getpid());
  const ExecutablePage page(name);
  EXPECT_THAT(mapped_files(::getpid()), Contains(name));
  EXPECT_EQ(mapped_files(::getpid()), parse_mapped_files(text_of_own_maps()));
}

TEST(MappedFiles, WhatWasDeletedIsLeftOut) {
  const std::string name = ::testing::TempDir() + "deleted, " + std::to_string(::getpid());
  const ExecutablePage page(name);
  ::unlink(name.c_str());
  EXPECT_THAT(mapped_files(::getpid()), Not(Contains(HasSubstr("deleted, "))));
  EXPECT_EQ(mapped_files(::getpid()), parse_mapped_files(text_of_own_maps()));
}

TEST(MappedFiles, OfAProcessThatIsGoneThereAreNone) { EXPECT_THAT(mapped_files(0x7fffffff), IsEmpty()); }

TEST(MappedFiles, OfTheTextOnlyFilesThatAreExecutedCount) {
  EXPECT_THAT(parse_mapped_files("7f00-7f08 r-xp 00000000 fe:01 12    /usr/lib/libb.so\n"
                                 "7f08-7f09 r--p 00008000 fe:01 12    /usr/lib/libc.so\n"
                                 "7f10-7f18 r-xp 00000000 fe:01 13    /usr/lib/liba.so\n"
                                 "7f18-7f19 r-xp 00000000 fe:01 14    /usr/lib/old.so (deleted)\n"
                                 "7f20-7f21 r-xp 00000000 00:00 0     [vdso]\n"),
              ::testing::ElementsAre("/usr/lib/liba.so", "/usr/lib/libb.so"));
}

}  // namespace
}  // namespace tally
