#include "huge_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <fstream>
#include <string>

namespace tally::host {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} * 1024 * 1024;
constexpr std::size_t kSize = 4 * kHugePage;

/// Of the mapping that begins or lies there.
std::size_t huge_bytes_at(std::uintptr_t address) {
  std::ifstream maps("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long from = 0;
    unsigned long to = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &from, &to) == 2) here = from <= address && address < to;
    unsigned long kilobytes = 0;
    if (here && std::sscanf(line.c_str(), "AnonHugePages: %lu kB", &kilobytes) == 1) return kilobytes * 1024;
  }
  return 0;
}

class HugePagesTest : public ::testing::Test {
 protected:
  HugePagesTest() {
    void* const at = ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    numbers_ = static_cast<std::uint32_t*>(at);
    for (std::uint32_t i = 0; i < kSize / sizeof i; ++i) numbers_[i] = i;
  }
  ~HugePagesTest() override { ::munmap(numbers_, kSize); }
  /// In the middle: what lies before the first boundary of a huge page cannot be gathered.
  [[nodiscard]] std::size_t huge_bytes() const {
    return huge_bytes_at(reinterpret_cast<std::uintptr_t>(numbers_) + kSize / 2);
  }

  std::uint32_t* numbers_ = nullptr;
};

TEST_F(HugePagesTest, GatherMemoryAndLeaveItsContents) {
  gather_in_huge_pages(0);
  for (std::uint32_t i = 0; i < kSize / sizeof i; ++i) ASSERT_EQ(numbers_[i], i);
  if (::madvise(numbers_, kSize, kGatherPages) != 0) GTEST_SKIP() << "this kernel gathers no pages on request";
  EXPECT_GE(huge_bytes(), kSize - kHugePage);
}

TEST_F(HugePagesTest, ASmallProcessIsLeftAsItIs) {
  if (huge_bytes() > 0) GTEST_SKIP() << "this machine gives huge pages to everybody";
  gather_in_huge_pages(std::size_t{1} << 40U);
  EXPECT_EQ(huge_bytes(), 0U);
}

}  // namespace
}  // namespace tally::host
