#include "process/bounded_output.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

TEST(BoundedOutput, KeepsAllThatFits) {
  BoundedOutput output(8);
  output.append("abc");
  output.append("defgh");
  EXPECT_EQ(output.take(), (CapturedOutput{"abcdefgh", "", 0}));
}

TEST(BoundedOutput, KeepsHeadAndTailHoweverItArrives) {
  std::string all;
  for (int i = 0; i < 1000; ++i) all += static_cast<char>('a' + i % 26);
  for (const std::size_t piece : {1UZ, 3UZ, 7UZ, 100UZ, 1000UZ}) {
    BoundedOutput output(21);
    for (std::size_t at = 0; at < all.size(); at += piece) output.append(std::string_view(all).substr(at, piece));
    EXPECT_EQ(output.take(), (CapturedOutput{all.substr(0, 11), all.substr(990), 979})) << piece;
  }
}

TEST(BoundedOutput, SaysHowMuchIsMissing) {
  BoundedOutput output(2);
  output.append("abcd");
  EXPECT_EQ(output.take().text(), "a\n[... 2 bytes left out ...]\nd");
}

TEST(BoundedOutput, MayKeepNothing) {
  BoundedOutput output(0);
  output.append("abcd");
  EXPECT_EQ(output.take(), (CapturedOutput{"", "", 4}));
}

}  // namespace
}  // namespace tally
