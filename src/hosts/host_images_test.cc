#include "hosts/host_images.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"

namespace tally {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class HostImagesTest : public ::testing::Test {
 protected:
  /// As a host leaves one.
  void write(const std::string& key, std::size_t bytes = 5000) {
    const auto place = images.place_for_new(key);
    ASSERT_TRUE(place);
    const UniqueFd fd(::open(place->c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600));
    ASSERT_TRUE(fd);
    ASSERT_TRUE(write_all(fd.get(), std::string(bytes, 'x'), *place));
    ASSERT_TRUE(images.publish(key, *place, {.host = "Python host of torch"}));
  }
  [[nodiscard]] fs::path file(const std::string& key) const { return images.folder() / (key + ".image"); }
  void expect_refused(const std::string& key) {
    EXPECT_FALSE(images.open(key));
    EXPECT_FALSE(fs::exists(file(key))) << "it is removed";
    EXPECT_FALSE(images.open(key)) << "and nothing is wrong with that";
  }

  TemporaryFolder folder = *TemporaryFolder::make();
  HostImages images{folder.path() / "images", 20'000};
};

TEST_F(HostImagesTest, WhatWasPublishedCanBeOpened) {
  EXPECT_FALSE(images.open("a"));
  write("a");
  EXPECT_TRUE(images.open("a"));
  EXPECT_TRUE(images.open("a")) << "as often as one likes";
  EXPECT_FALSE(images.open("b"));
}

TEST_F(HostImagesTest, AFolderThatAnotherProcessKeepsLockedIsGoneWithout) {
  write("a");
  const UniqueFd other(::open(images.folder().c_str(), O_RDONLY | O_DIRECTORY));
  ASSERT_EQ(::flock(other.get(), LOCK_EX), 0);
  EXPECT_FALSE(images.open("a"));
  const auto place = images.place_for_new("b");
  ASSERT_TRUE(place);
  ASSERT_TRUE(write_file(*place, "x"));
  std::string why;
  EXPECT_FALSE(images.publish("b", *place, {.host = "Python host of torch"}, &why));
  EXPECT_THAT(why, StartsWith("another tally"));
  EXPECT_FALSE(fs::exists(*place));
  ASSERT_EQ(::flock(other.get(), LOCK_UN), 0);
  EXPECT_TRUE(images.open("a")) << "nothing was removed";
}

TEST_F(HostImagesTest, AfterARestartOfTheMachineItsBytesAreCompared) {
  write("a");
  write("b");
  for (const char* key : {"a", "b"}) {
    const fs::path seal = images.folder() / (std::string(key) + ".seal");
    std::string text = *read_file(seal);
    const std::size_t boot = text.find('\n') + 1;
    text.replace(boot, text.find('\n', boot) - boot, "another-boot");
    ASSERT_TRUE(write_file(seal, text));
  }
  EXPECT_TRUE(images.open("a"));
  EXPECT_FALSE(read_file(images.folder() / "a.seal")->contains("another-boot")) << "they are compared once";
  EXPECT_EQ(images.about("a")->origin.host, "Python host of torch");
  // As a page that had not reached the disk: its length and its times are what they were.
  const fs::path seal = images.folder() / "b.seal";
  std::string text = *read_file(seal);
  const std::size_t digest = text.find(R"("digest":")") + 10;
  text[digest] = text[digest] == '0' ? '1' : '0';
  ASSERT_TRUE(write_file(seal, text));
  expect_refused("b");
}

TEST_F(HostImagesTest, NobodyElseCanReadThem) {
  write("a");
  struct stat info{};
  ASSERT_EQ(::stat(images.folder().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
}

TEST_F(HostImagesTest, OneThatWasWrittenToIsRefused) {
  write("a");
  const UniqueFd fd(::open(file("a").c_str(), O_WRONLY));
  ASSERT_EQ(::pwrite(fd.get(), "y", 1, 4000), 1);
  expect_refused("a");
}

TEST_F(HostImagesTest, OneThatWasCutOffIsRefused) {
  write("a");
  fs::resize_file(file("a"), 4000);
  expect_refused("a");
}

TEST_F(HostImagesTest, OneThatWasPutInItsPlaceIsRefused) {
  write("a");
  write("b");
  fs::rename(file("b"), file("a"));
  expect_refused("a");
}

TEST_F(HostImagesTest, OneThatOthersMayReadIsRefused) {
  write("a");
  ::chmod(file("a").c_str(), 0644);
  expect_refused("a");
}

TEST_F(HostImagesTest, ALinkIsRefused) {
  write("a");
  fs::rename(file("a"), folder.path() / "elsewhere");
  fs::create_symlink(folder.path() / "elsewhere", file("a"));
  EXPECT_FALSE(images.open("a"));
  EXPECT_TRUE(fs::exists(folder.path() / "elsewhere"));
}

TEST_F(HostImagesTest, OneWithoutASealIsRefused) {
  write("a");
  fs::remove(images.folder() / "a.seal");
  expect_refused("a");
}

TEST_F(HostImagesTest, WhatWasNotWrittenIsNotPublished) {
  const auto place = images.place_for_new("a");
  ASSERT_TRUE(place);
  ASSERT_TRUE(write_file(*place + ".not", "it has threads"));
  std::string why;
  EXPECT_FALSE(images.publish("a", *place, {}, &why));
  EXPECT_EQ(why, "it has threads");
  EXPECT_TRUE(fs::is_empty(images.folder()));
}

TEST_F(HostImagesTest, ThoseThatWereCarriedHereAreOfThem) {
  write("a", 8000);
  const auto place = images.place_for_new("carried");
  ASSERT_TRUE(write_file(*place, std::string(20'000, 'x')));
  ASSERT_TRUE(images.publish_carried("b", *place));
  EXPECT_THAT(images.list(), SizeIs(1)) << "there is no room for both";
  EXPECT_TRUE(images.list().front().is_carried);
  EXPECT_EQ(images.clear(), 1U);
  EXPECT_TRUE(fs::is_empty(images.folder()));
}

TEST_F(HostImagesTest, TheOnesThatWereUsedLongestAgoGoFirst) {
  for (const char* key : {"a", "b", "c"}) write(key, 8000);
  EXPECT_THAT(images.list(), SizeIs(2)) << "three of 8 KiB are more than 20,000 bytes";
  EXPECT_FALSE(fs::exists(file("a")));
  ASSERT_TRUE(images.open("b"));
  write("d", 8000);
  EXPECT_TRUE(images.open("b")) << "it was used after c";
  EXPECT_FALSE(images.open("c"));
}

TEST_F(HostImagesTest, OneThatIsTooLargeIsKeptAlone) {
  write("a", 8000);
  write("b", 50'000);
  EXPECT_TRUE(images.open("b"));
  EXPECT_FALSE(images.open("a"));
}

TEST_F(HostImagesTest, WhatAKilledProcessHasLeftGoesAfterAnHour) {
  const std::string old = *images.place_for_new("a");
  const std::string young = *images.place_for_new("a");
  ASSERT_TRUE(write_file(old, ""));
  ASSERT_TRUE(write_file(young, ""));
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  write("b");
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
}

TEST_F(HostImagesTest, AllCanBeRemoved) {
  write("a");
  write("b");
  ASSERT_TRUE(write_file(*images.place_for_new("c"), ""));
  EXPECT_EQ(images.clear(), 2U);
  EXPECT_THAT(images.list(), IsEmpty());
  EXPECT_TRUE(fs::is_empty(images.folder()));
}

TEST_F(HostImagesTest, WhereNothingCanBeWrittenThereAreNone) {
  ASSERT_TRUE(write_file(folder.path() / "file", ""));
  const HostImages nowhere(folder.path() / "file" / "images");
  EXPECT_FALSE(nowhere.place_for_new("a"));
  EXPECT_FALSE(nowhere.open("a"));
  EXPECT_THAT(nowhere.list(), IsEmpty());
}

TEST(ImageQuota, IsAnAmountOrNothing) {
  EXPECT_EQ(*HostImages::quota_of(""), HostImages::kUsualQuota);
  EXPECT_EQ(*HostImages::quota_of("off"), 0U);
  EXPECT_EQ(*HostImages::quota_of("500M"), 500U << 20);
  for (const char* wrong : {"on", "-1", "2X", "1.5G"}) {
    const auto quota = HostImages::quota_of(wrong);
    ASSERT_FALSE(quota) << wrong;
    EXPECT_THAT(describe(quota.error()), StartsWith("--images (or TALLY_IMAGES): '"));
  }
}

TEST(ImageKey, IsOfTheSpecification) {
  EXPECT_EQ(HostImages::key("a"), HostImages::key("a"));
  EXPECT_NE(HostImages::key("a"), HostImages::key("b"));
}

}  // namespace
}  // namespace tally
