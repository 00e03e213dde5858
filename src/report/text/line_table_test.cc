#include "report/text/line_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

using testing::HasSubstr;
using testing::Not;

LineDelta moved(const std::string& file, std::uint32_t line) {
  LineDelta delta;
  delta.at = {.file = file, .line = line};
  delta.before = 100;
  delta.after = 250;
  return delta;
}

TEST(LineTable, FilesOfOneNameHaveTheirPaths) {
  const std::string one = render_line_deltas({moved("/src/a/util.h", 12), moved("/src/a/main.cc", 3)}, {});
  EXPECT_THAT(one, HasSubstr("util.h:12"));
  EXPECT_THAT(one, Not(HasSubstr("/src/a")));
  const std::string two =
      render_line_deltas({moved("/src/a/util.h", 12), moved("/src/b/util.h", 12), moved("/src/a/main.cc", 3)}, {});
  EXPECT_THAT(two, HasSubstr("/src/a/util.h:12"));
  EXPECT_THAT(two, HasSubstr("/src/b/util.h:12"));
  EXPECT_THAT(two, Not(HasSubstr("/src/a/main.cc")));
}

}  // namespace
}  // namespace tally
