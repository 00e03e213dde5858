#include "commits/commit_workshop.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

TEST(CommitWorkshop, PathsOfTheRepositoryBecomeThoseOfTheWorkTree) {
  const auto replaced = [](const std::string& text) {
    return with_path_replaced(text, "/home/ada/lib", "/cache/tree");
  };
  EXPECT_EQ(replaced("/home/ada/lib"), "/cache/tree");
  EXPECT_EQ(replaced("/home/ada/lib/build:/usr/lib:/home/ada/lib"), "/cache/tree/build:/usr/lib:/cache/tree");
  EXPECT_EQ(replaced("-L/home/ada/lib/x -I=/home/ada/lib"), "-L/home/ada/lib/x -I=/cache/tree");
  EXPECT_EQ(replaced("/home/ada/library:/home/ada/lib-2:/mnt/home/ada/lib"),
            "/home/ada/library:/home/ada/lib-2:/mnt/home/ada/lib");
  EXPECT_EQ(replaced(""), "");
}

}  // namespace
}  // namespace tally
