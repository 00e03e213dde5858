// What the second child of a process is spared, since the first one wrote it too.

#include "populated_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace tally::host {
namespace {

constexpr std::size_t kPage = 4096;

long faults() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_minflt;
}

class PopulatedPagesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    void* const at = ::mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(at, MAP_FAILED);
    ::madvise(at, kPages * kPage, MADV_NOHUGEPAGE);
    memory_ = static_cast<char*>(at);
    write(kPages, 'h');
    prepare_to_learn_pages();
  }
  void TearDown() override { ::munmap(memory_, kPages * kPage); }

  void write(std::size_t pages, char what) const {
    for (std::size_t i = 0; i < pages; ++i) const_cast<volatile char*>(memory_)[i * kPage] = what;
  }

  /// Of a child that writes so many pages and learns from it, if it is the first.
  [[nodiscard]] long faults_of_a_child(std::size_t pages) const {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    if (::fork() == 0) {
      populate_learned_pages();
      if (memory_[0] != 'h') ::_exit(1);
      const long before = faults();
      write(pages, 'c');
      const long between = faults() - before;
      learn_written_pages();
      ::_exit(::write(ends[1], &between, sizeof between) == sizeof between ? 0 : 1);
    }
    long between = -1;
    EXPECT_EQ(::read(ends[0], &between, sizeof between), static_cast<ssize_t>(sizeof between));
    ::close(ends[0]);
    ::close(ends[1]);
    ::wait(nullptr);
    return between;
  }

  static constexpr std::size_t kPages = 3000;
  char* memory_ = nullptr;
};

TEST_F(PopulatedPagesTest, AreThoseThatTheFirstChildWrote) {
  constexpr long kFew = 100;
  EXPECT_GE(faults_of_a_child(kFew), kFew);
  EXPECT_LE(faults_of_a_child(kFew), 3) << "its stack may grow";
  EXPECT_GE(faults_of_a_child(2 * kFew), kFew) << "the others it copies when it writes them";
  EXPECT_EQ(memory_[0], 'h');
}

TEST_F(PopulatedPagesTest, AreNotAllOfWhatALargeCaseWrites) {
  constexpr long kMost = 1024;
  EXPECT_GE(faults_of_a_child(kPages), static_cast<long>(kPages));
  const long left = faults_of_a_child(kPages);
  EXPECT_GE(left, static_cast<long>(kPages) - kMost);
  EXPECT_LE(left, static_cast<long>(kPages) - kMost / 2) << "some";
}

}  // namespace
}  // namespace tally::host
