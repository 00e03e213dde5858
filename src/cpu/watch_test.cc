#include "cpu/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/files.h"
#include "base/text.h"

namespace tally {
namespace {

using testing::ElementsAre;

/// A kernel's files, as a test wants them.
class CpuWatchTest : public testing::Test {
 protected:
  CpuFiles files() const { return {folder_->path() / "stat", folder_->path() / "cpu"}; }
  void write(const std::string& name, const std::string& text) {
    const auto path = folder_->path() / name;
    std::filesystem::create_directories(path.parent_path());
    ASSERT_TRUE(write_file(path, text));
  }

 private:
  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

TEST_F(CpuWatchTest, StolenTimeIsAShareOfTheWatchedCpusTime) {
  write(
      "stat",
      "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 100 0 0 0 0 0 0 7 0 0\ncpu1 50 0 0 50 0 0 0 10 0 0\ncpu10 1 1 1 1 1 1 1 1 0 0\n");
  CpuWatch watch({1}, files());
  watch.begin();
  write("stat", "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 900 0 0 0 0 0 0 900 0 0\ncpu1 80 0 0 55 0 0 0 15 0 0\n");
  watch.end(3);
  ASSERT_TRUE(watch.seen());
  EXPECT_DOUBLE_EQ(*watch.seen()->steal_share, 5.0 / 40);
  EXPECT_FALSE(watch.seen()->frequency_mhz_low);
  EXPECT_TRUE(watch.seen()->throttled.empty());
}

TEST_F(CpuWatchTest, SamplesOfAThrottledChildAreNamed) {
  write("cpu/cpu0/thermal_throttle/core_throttle_count", "4\n");
  write("cpu/cpu0/thermal_throttle/package_throttle_count", "1\n");
  write("cpu/cpu0/cpufreq/scaling_cur_freq", "2900000\n");
  CpuWatch watch({0}, files());
  watch.begin();
  watch.end(2);
  write("cpu/cpu0/thermal_throttle/package_throttle_count", "2\n");
  write("cpu/cpu0/cpufreq/scaling_cur_freq", "1800000\n");
  watch.end(3);
  watch.end(1);
  ASSERT_TRUE(watch.seen());
  EXPECT_THAT(watch.seen()->throttled, ElementsAre(2, 3, 4));
  EXPECT_EQ(watch.seen()->frequency_mhz_low, 1800);
  EXPECT_EQ(watch.seen()->frequency_mhz_high, 2900);
  EXPECT_FALSE(watch.seen()->steal_share);
}

TEST_F(CpuWatchTest, AKernelThatReportsNothingIsNotGuessedAbout) {
  CpuWatch watch({0, 1}, files());
  watch.begin();
  watch.end(5);
  EXPECT_FALSE(watch.seen());
}

/// The line of the first CPU in /proc/stat: "cpu0 12 0 …".
std::string first_cpu() {
  const std::string stat = read_file("/proc/stat").value_or("");
  const std::size_t at = stat.find("\ncpu");
  return at == std::string::npos ? "" : stat.substr(at + 1, stat.find('\n', at + 1) - at - 1);
}

/// What that line adds up to, without guests (they count as user already).
std::uint64_t ticks_in(const std::string& line) {
  const auto words = split(line, ' ');
  std::uint64_t sum = 0;
  for (std::size_t i = 1; i < std::min<std::size_t>(words.size(), 9); ++i) sum += std::stoull(std::string(words[i]));
  return sum;
}

TEST(CpuWatch, WhatThisKernelReportsIsSeen) {
  const std::string before = first_cpu();
  if (split(before, ' ').size() < 9) GTEST_SKIP() << "this kernel reports no stolen time: " << before;
  const int cpu = std::stoi(before.substr(3));
  CpuWatch watch({cpu});
  watch.begin();
  // From a reading after begin(): a tick of 10 ms may lie just before it. Idle figures may run backwards by a tick.
  const std::uint64_t enough = ticks_in(first_cpu()) + 3;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (ticks_in(first_cpu()) < enough) {
    if (std::chrono::steady_clock::now() > deadline) GTEST_SKIP() << "this kernel's figures stand still: " << before;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  watch.end(1);
  ASSERT_TRUE(watch.seen());
  ASSERT_TRUE(watch.seen()->steal_share);
  EXPECT_GE(*watch.seen()->steal_share, 0);
  EXPECT_LE(*watch.seen()->steal_share, 1);
  const std::string clock = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_cur_freq";
  EXPECT_EQ(watch.seen()->frequency_mhz_low.has_value(), std::filesystem::exists(clock));
}

}  // namespace
}  // namespace tally
