#include "session/traceback.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

Case python_case() {
  Case c;
  c.language = Language::python;
  c.setup.parts = {{"x = 1\ny = 0", {"suite.toml", 10, 1}}};
  c.stmt.parts = {{"x / y", {"suite.toml", 20, 1}}, {"z.backward()", {}}};
  return c;
}

TEST(Traceback, NamesTheSuitesLines) {
  const auto parts = python_parts(python_case());
  const std::string_view detail =
      "Traceback (most recent call last):\n  File \"<tally>\", line 1000001, in <case>\n"
      "ZeroDivisionError: division by zero\n";
  EXPECT_EQ(map_traceback(detail, parts),
            "Traceback (most recent call last):\n  File \"suite.toml\", line 20\n    x / y\n"
            "ZeroDivisionError: division by zero\n");
  EXPECT_EQ(innermost_place(detail, parts), "suite.toml:20");
}

TEST(Traceback, SetupLinesCountFromItsPlace) {
  const auto parts = python_parts(python_case());
  EXPECT_EQ(place_of(2, parts).line, 11);
  EXPECT_EQ(place_of(1'000'001, parts).line, 20);
}

TEST(Traceback, GeneratedCodeHasNoPlace) {
  const auto parts = python_parts(python_case());
  EXPECT_EQ(map_traceback("  File \"<tally>\", line 2000001, in <case>", parts),
            "  in generated code\n    z.backward()\n");
  EXPECT_EQ(place_of(99'000'001, parts).line, 0);
}

}  // namespace
}  // namespace tally
