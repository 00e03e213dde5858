#include "cli/site_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/files.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

class SiteFolder : public testing::Test {
 protected:
  const TemporaryFolder temporary_ = TemporaryFolder::make().value();
  const fs::path folder_ = temporary_.path() / "site";
};

const std::vector<SiteFile> kFirst = {{"data/0123456789abcdef.js", "first"}, {"index.html", "one"}};
const std::vector<SiteFile> kSecond = {{"data/fedcba9876543210.js", "second"}, {"index.html", "two"}};

TEST_F(SiteFolder, IsMadeAndWrittenAnew) {
  ASSERT_TRUE(write_site_folder(folder_, kFirst));
  EXPECT_EQ(read_file(folder_ / "index.html"), "one");
  ASSERT_TRUE(write_site_folder(folder_, kSecond));
  EXPECT_EQ(read_file(folder_ / "index.html"), "two");
  EXPECT_EQ(read_file(folder_ / "data/fedcba9876543210.js"), "second");
  EXPECT_FALSE(fs::exists(folder_ / "data/0123456789abcdef.js"));
}

TEST_F(SiteFolder, RefusesWhatIsNoSite) {
  ASSERT_TRUE(write_file(folder_ / "thesis.tex", "ten years of work"));
  const Status written = write_site_folder(folder_, kFirst);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::input);
  EXPECT_FALSE(fs::exists(folder_ / "index.html"));
  EXPECT_EQ(read_file(folder_ / "thesis.tex"), "ten years of work");
}

TEST_F(SiteFolder, RefusesAFile) {
  ASSERT_TRUE(write_file(folder_, "a file"));
  EXPECT_FALSE(write_site_folder(folder_, kFirst));
  EXPECT_EQ(read_file(folder_), "a file");
}

TEST_F(SiteFolder, TakesAFolderThatHoldsOnlyHiddenFiles) {
  ASSERT_TRUE(write_file(folder_ / ".git/HEAD", "ref"));
  ASSERT_TRUE(write_site_folder(folder_, kFirst));
  EXPECT_EQ(read_file(folder_ / ".git/HEAD"), "ref");
}

TEST_F(SiteFolder, KeepsWhatOthersPutBesideTheSite) {
  ASSERT_TRUE(write_site_folder(folder_, kFirst));
  ASSERT_TRUE(write_file(folder_ / "CNAME", "bench.example.org"));
  ASSERT_TRUE(write_site_folder(folder_, kSecond));
  EXPECT_EQ(read_file(folder_ / "CNAME"), "bench.example.org");
}

TEST_F(SiteFolder, RepairsDataThatACrashLeftShorter) {
  ASSERT_TRUE(write_site_folder(folder_, kFirst));
  ASSERT_TRUE(write_file(folder_ / kFirst[0].name, ""));
  ASSERT_TRUE(write_site_folder(folder_, kFirst));
  EXPECT_EQ(read_file(folder_ / kFirst[0].name), "first");
}

TEST_F(SiteFolder, OfTwoWritersAtOnceThePageHasItsData) {
  for (int round = 0; round < 100; ++round) {
    std::thread other([&] { EXPECT_TRUE(write_site_folder(folder_, kFirst)); });
    EXPECT_TRUE(write_site_folder(folder_, kSecond));
    other.join();
    const auto& site = read_file(folder_ / "index.html") == "one" ? kFirst : kSecond;
    EXPECT_EQ(read_file(folder_ / site[0].name), site[0].text);
  }
}

}  // namespace
}  // namespace tally::cli
