#include "execution/cpu_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"

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

TEST_F(CpuWatchTest, AKernelThatTellsNothingIsNotGuessedAbout) {
  CpuWatch watch({0, 1}, files());
  watch.begin();
  watch.end(5);
  EXPECT_FALSE(watch.seen());
}

TEST(CpuWatch, ThisMachineTellsWhatItCan) {
  CpuWatch watch({0});
  watch.begin();
  watch.end(1);
  if (watch.seen() && watch.seen()->steal_share) EXPECT_LE(*watch.seen()->steal_share, 1);
}

}  // namespace
}  // namespace tally
