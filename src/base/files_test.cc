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

TEST(Files, PiecesAreTheWhole) {
  auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const auto path = folder->path() / "long";
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i);
  ASSERT_TRUE(write_file(path, text));
  std::string read;
  std::size_t pieces = 0;
  ASSERT_TRUE(read_pieces(path, [&](std::string_view piece) {
    read += piece;
    ++pieces;
  }));
  EXPECT_EQ(read, text);
  EXPECT_GT(pieces, 1U);
  const Status none = read_pieces("/no/such/file", [](std::string_view) {});
  ASSERT_FALSE(none);
  EXPECT_EQ(describe(none.error()), "/no/such/file: cannot open: No such file or directory");
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
