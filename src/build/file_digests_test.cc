#include "build/file_digests.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "build/identity.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

class FileDigestsTest : public testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& text) {
    const fs::path path = folder_->path() / name;
    EXPECT_TRUE(write_file(path, text));
    return path;
  }
  FileDigests open() const { return FileDigests(folder_->path() / "remembered"); }

  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

TEST_F(FileDigestsTest, AFileIsReadAgainOnlyWhenItLooksChanged) {
  const fs::path path = write("a.so", "one");
  FileDigests first = open();
  const std::string digest = first.of(path);
  EXPECT_EQ(digest, file_digest(path).value());
  ASSERT_TRUE(first.save());
  // Written in place with its time put back: what no stat(2) shows is not seen, and so is known to be remembered.
  const auto time = fs::last_write_time(path);
  const int fd = ::open(path.c_str(), O_WRONLY);
  ASSERT_EQ(::pwrite(fd, "two", 3, 0), 3);
  ::close(fd);
  fs::last_write_time(path, time);
  EXPECT_EQ(open().of(path), digest);
  fs::last_write_time(path, time + std::chrono::seconds(1));
  EXPECT_NE(open().of(path), digest);
}

TEST_F(FileDigestsTest, WhatIsNotThereIsNoDigest) { EXPECT_EQ(open().of(folder_->path() / "none"), "unreadable"); }

TEST_F(FileDigestsTest, FilesOfAnotherMachineAreWhatTheyWereThere) {
  write("here.txt", "here");
  const std::string there = std::string(32, 'a');
  FileDigests digests({{folder_->path() / "here.txt", there}, {folder_->path() / "module", there}});
  EXPECT_EQ(digests.of(folder_->path() / "here.txt"), there);
  EXPECT_EQ(digests.of_sources(folder_->path() / "module"), there);
  write("other.txt", "other");
  EXPECT_EQ(digests.of(folder_->path() / "other.txt"), open().of(folder_->path() / "other.txt"));
  EXPECT_TRUE(digests.save());
}

TEST_F(FileDigestsTest, AChangedSourceIsAnotherModuleAndIsNamed) {
  write("m/a.py", "a = 1");
  write("m/deep/b.py", "b = 1");
  write("m/notes.txt", "x");
  FileDigests digests = open();
  const std::string before = digests.of_sources(folder_->path() / "m");
  write("m/notes.txt", "another text is no source");
  EXPECT_EQ(digests.of_sources(folder_->path() / "m"), before);
  write("m/deep/b.py", "b = 22");
  const std::string after = digests.of_sources(folder_->path() / "m");
  EXPECT_NE(after, before);
  EXPECT_EQ(digests.sources_of(before).at("a.py"), digests.sources_of(after).at("a.py"));
  EXPECT_NE(digests.sources_of(before).at("deep/b.py"), digests.sources_of(after).at("deep/b.py"));
  EXPECT_TRUE(digests.sources_of("unknown").empty());
  // The same files elsewhere are the same module.
  fs::copy(folder_->path() / "m", folder_->path() / "n", fs::copy_options::recursive);
  EXPECT_EQ(digests.of_sources(folder_->path() / "n"), after);
}

}  // namespace
}  // namespace tally
