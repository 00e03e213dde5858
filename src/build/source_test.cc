#include "build/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

using testing::HasSubstr;
using testing::Not;

Case example() {
  Case c;
  c.threads = 3;
  c.global_setup.parts = {{"static int twice(int n) { return 2 * n; }", {"a \"b\".toml", 3, 1}}};
  c.setup.parts = {{"int n = 1;", {"suite.toml", 7, 1}}, {"int generated = n;", {}}};
  c.stmt.parts = {{"n = twice(n);", {"suite.toml", 9, 1}}};
  return c;
}

TEST(Source, ComplaintsPointIntoTheSuite) {
  const std::string text = case_source(example(), {}, "tally_x", Lines::of_suite);
  EXPECT_THAT(text, HasSubstr("#line 3 \"a \\\"b\\\".toml\"\nstatic int twice"));
  EXPECT_THAT(text, HasSubstr("#line 7 \"suite.toml\"\nint n = 1;\n"));
  EXPECT_THAT(text, HasSubstr("#line 9 \"suite.toml\"\nn = twice(n);\n"));
  // What we made ourselves stands nowhere.
  EXPECT_THAT(text, HasSubstr("#line 1 \"<setup>\"\nint generated = n;\n"));
  EXPECT_THAT(text, HasSubstr("extern \"C\" void tally_x("));
}

TEST(Source, WithoutLinesAMovedCaseIsTheSameText) {
  Case moved = example();
  for (Code* code : {&moved.global_setup, &moved.setup, &moved.stmt}) {
    for (Snippet& part : code->parts) part.at = {"elsewhere.toml", 100, 1};
  }
  EXPECT_EQ(case_source(example(), {}, "f", Lines::none), case_source(moved, {}, "f", Lines::none));
  EXPECT_NE(case_source(example(), {}, "f", Lines::of_suite), case_source(moved, {}, "f", Lines::of_suite));
  Case other = example();
  other.stmt.parts[0].text = "n = 2;";
  EXPECT_NE(case_source(example(), {}, "f", Lines::none), case_source(other, {}, "f", Lines::none));
}

TEST(Source, ALineOfACompiledTextIsFoundWhereTheTextStandsNow) {
  const std::string places = places_of(example());
  EXPECT_EQ(places, "3 a \"b\".toml\n7 suite.toml\n1 <setup>\n9 suite.toml\n");
  Case moved = example();
  for (Code* code : {&moved.global_setup, &moved.setup, &moved.stmt}) {
    for (Snippet& part : code->parts) {
      if (part.at.line > 0) part.at = {"elsewhere.toml", part.at.line + 100, 1};
    }
  }
  const auto place = [&](const std::string& file, std::uint64_t line) {
    const auto found = place_in(moved, places, file, line);
    return found ? describe(*found) : "";
  };
  EXPECT_EQ(place("/where/it/was/compiled/suite.toml", 9), "elsewhere.toml:109");
  EXPECT_EQ(place("suite.toml", 7), "elsewhere.toml:107");
  EXPECT_EQ(place("/scratch/a \"b\".toml", 3), "elsewhere.toml:103");
  EXPECT_EQ(place("/scratch/<setup>", 1), "<setup>:1");
  EXPECT_EQ(place("suite.toml", 8), "") << "between two parts";
  EXPECT_EQ(place("other_suite.toml", 9), "");
  EXPECT_EQ(place("/usr/include/c++/12/bits/stl_algo.h", 9), "");
  EXPECT_EQ(place_in(moved, "", "suite.toml", 9), std::nullopt);
}

TEST(Source, TheToolchainSetsThreadsAndHooks) {
  Toolchain toolchain;
  toolchain.texts.set_threads.cpp = "set(${threads}, ${threads});";
  toolchain.texts.before_region.cpp = "flush();";
  toolchain.device.sync.cpp = "wait();";
  toolchain.device.identify.cpp = "return \"gpu\";";
  const std::string text = case_source(example(), toolchain, "f", Lines::none);
  EXPECT_THAT(text, HasSubstr("set(3, 3);\n"));
  EXPECT_THAT(text, HasSubstr("__tally_statement->before_region = [] { flush();\n;};"));
  EXPECT_THAT(text, HasSubstr("__tally_statement->sync = [] { wait();\n;};"));
  EXPECT_THAT(text,
              HasSubstr("__tally_statement->device = []() -> const char* { return \"gpu\";\n; return nullptr; };"));
  EXPECT_LT(text.find("set(3"), text.find("int n = 1;"));
  EXPECT_THAT(case_source(example(), {}, "f", Lines::none), Not(HasSubstr("sync")));
}

TEST(Source, ACaseThatNamesNoDeviceReportsSettingsOnlyWhereItTurnedOutToWorkOnOne) {
  Toolchain toolchain;
  toolchain.device.identify.cpp = "return \"gpu\";";
  toolchain.device.settings.cpp = "return \"a=b\";";
  const auto text = [&](const std::string& device, Purpose purpose) {
    Case one = example();
    one.device = device;
    return case_source(one, toolchain, "f", Lines::none, purpose);
  };
  EXPECT_THAT(text("", Purpose::measured), Not(HasSubstr("a=b")));
  EXPECT_THAT(text("", Purpose::on_device), HasSubstr("return \"a=b\";"));
  EXPECT_EQ(text("", Purpose::on_device), text("gpu", Purpose::measured));
}

TEST(Source, PreludeNamesItsHeadersInOrder) {
  Toolchain toolchain;
  toolchain.cpp.prelude = {"b.h", "a/c.h"};
  EXPECT_EQ(prelude_source(toolchain.cpp), "#include \"tally/snippet.h\"\n#include <b.h>\n#include <a/c.h>\n");
}

TEST(Source, WarmUpIsACaseOfItsOwn) {
  Toolchain toolchain;
  toolchain.texts.warm_up.cpp = "warm();";
  toolchain.texts.set_threads.cpp = "set(${threads});";
  const std::string text = warm_up_source(toolchain.texts, "w");
  EXPECT_THAT(text, HasSubstr("extern \"C\" void w("));
  EXPECT_THAT(text, HasSubstr("warm();\n"));
  // It sets what it needs itself: no case has requested threads yet.
  EXPECT_THAT(text, Not(HasSubstr("set(")));
}

}  // namespace
}  // namespace tally
