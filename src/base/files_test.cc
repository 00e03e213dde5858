#include "base/files.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

TEST(Files, WriteMakesFoldersAndReplacesWhole) {
  auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const auto path = folder->path() / "a/b/c.txt";
  ASSERT_TRUE(write_file(path, "first"));
  ASSERT_TRUE(write_file(path, "second"));
  EXPECT_EQ(read_file(path), "second");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path.parent_path()), {}), 1);
}

TEST(Files, ErrorsNameThePath) {
  const auto text = read_file("/no/such/file");
  ASSERT_FALSE(text);
  EXPECT_EQ(describe(text.error()), "/no/such/file: cannot open: No such file or directory");
}

TEST(Files, TemporaryFolderGoes) {
  std::filesystem::path path;
  {
    auto folder = TemporaryFolder::make();
    ASSERT_TRUE(folder);
    path = folder->path();
    ASSERT_TRUE(write_file(path / "x", "y"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace tally
