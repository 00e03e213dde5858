#include "symbols/object_names.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/files.h"
#include "base/text.h"
#include "profile/callgrind.h"
#include "profile/function_counts.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

/// A library with a static function, stripped as distributions do it.
class ObjectNamesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_file(path("lib.c"),
                           "__attribute__((noinline)) static int hidden(int x) { return x * 3 + 1; }\n"
                           "static int inlined(int x) {\n"
                           "  return x * x * 5;\n"
                           "}\n"
                           "int shown(int x) {\n"
                           "  return hidden(x) + inlined(x);\n"
                           "}\n"));
    shell(
        "gcc -O1 -g -gdwarf-4 -shared -fPIC -Wl,--build-id -o whole.so lib.c && strip -o lib.so whole.so && "
        "objcopy --only-keep-debug whole.so lib.debug && nm whole.so | sed -n 's/ t hidden//p' > address.txt");
    address_ = std::stoull(read_file(path("address.txt")).value_or("0"), nullptr, 16);
  }
  [[nodiscard]] fs::path path(const std::string& name) const { return folder_->path() / name; }
  void shell(const std::string& command) const {
    ASSERT_EQ(std::system(("cd " + shell_quote(folder_->path().string()) + " && " + command).c_str()), 0) << command;
  }
  [[nodiscard]] std::string name_of(const std::string& library, std::uint64_t offset = 0) const {
    const std::uint64_t address = address_ + offset;
    return ObjectNames().at(path(library).string(), {&address, 1}).front().name;
  }

  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
  std::uint64_t address_ = 0;
};

TEST_F(ObjectNamesTest, OfItsOwnSymbolsOrNone) {
  EXPECT_EQ(name_of("whole.so"), "hidden");
  EXPECT_EQ(name_of("whole.so", 1), "hidden");
  EXPECT_EQ(name_of("lib.so"), "");
  EXPECT_EQ(name_of("lib.c"), "");
  EXPECT_EQ(name_of("none.so"), "");
}

TEST_F(ObjectNamesTest, OfADebugFileByItsLink) {
  shell("objcopy --add-gnu-debuglink=lib.debug lib.so");
  EXPECT_EQ(name_of("lib.so"), "hidden");
  shell("mkdir .debug && mv lib.debug .debug/");
  EXPECT_EQ(name_of("lib.so"), "hidden");
}

TEST_F(ObjectNamesTest, OfAFolderBesideTheObjectWithoutALink) {
  shell("mkdir .debug && mv lib.debug .debug/lib.so.debug");
  EXPECT_EQ(name_of("lib.so"), "hidden");
}

TEST_F(ObjectNamesTest, OfMiniDebugInfo) {
  shell(
      "objcopy -S --keep-symbol=hidden lib.debug mini && xz mini && objcopy --add-section .gnu_debugdata=mini.xz "
      "lib.so "
      "&& rm lib.debug");
  EXPECT_EQ(name_of("lib.so"), "hidden");
}

TEST_F(ObjectNamesTest, AProfileGetsThem) {
  shell("objcopy --add-gnu-debuglink=lib.debug lib.so");
  const auto profile = parse_callgrind(
      fmt::format("events: Ir\nob={}\nfl=???\nfn={:#018x}\n0 5\nfn={:#018x}\n0 7\nfn=0x9999999\n0 1\ntotals: 13\n",
                  path("lib.so").string(), address_, address_ + 1));
  ASSERT_TRUE(profile);
  ObjectNames names;
  const FunctionCounts counts =
      function_counts(with_object_names(*profile, names), 0, Inclusion::exclusive).grouped(Grouping::function);
  EXPECT_EQ(counts.of({path("lib.so").string(), "", "hidden"}), 12);
  EXPECT_EQ(counts.of({path("lib.so").string(), "", "0x9999999"}), 1);
}

TEST_F(ObjectNamesTest, LinesWithTheCallsByWhichCodeWasInlined) {
  shell("nm whole.so | sed -n 's/ T shown//p' > shown.txt");
  const std::uint64_t shown = std::stoull(read_file(path("shown.txt")).value_or("0"), nullptr, 16);
  const DebugInfo debug(path("whole.so").string());
  const auto own = debug.lines_at(shown);
  ASSERT_EQ(own.size(), 1U);
  EXPECT_TRUE(own[0].file.ends_with("/lib.c")) << own[0].file;
  EXPECT_EQ(own[0].line, 5U);
  bool found = false;
  for (std::uint64_t at = shown; at < shown + 40; ++at) {
    const auto lines = debug.lines_at(at);
    found = found || (lines.size() == 2 && lines[0].line == 3 && lines[1].line == 6 && lines[1].file == own[0].file);
  }
  EXPECT_TRUE(found);
  EXPECT_TRUE(DebugInfo(path("lib.so").string()).lines_at(shown).empty());
}

/// What was inlined stands in a file beside the object then, and the lines in the library.
TEST_F(ObjectNamesTest, LinesOfSplitDebugInformation) {
  ASSERT_TRUE(write_file(path("first.h"), "static inline int first(int x) {\n\n  return x * x * 5;\n}\n"));
  ASSERT_TRUE(write_file(path("second.h"),
                         "#include \"first.h\"\nstatic inline int second(int x) {\n"
                         "  return first(x) + 1;\n}\n"));
  ASSERT_TRUE(write_file(path("split.c"), "#include \"second.h\"\nint shown(int x) {\n\n\n  return second(x);\n}\n"));
  for (const std::string compiler : {"gcc -gdwarf-5", "gcc -gdwarf-4", "clang-19 -gdwarf-5"}) {
    shell("rm -f *.dwo; " + compiler +
          " -O1 -g -gsplit-dwarf -fPIC -c split.c && gcc -shared -o split.so split.o && ls *.dwo > /dev/null && "
          "nm split.so | sed -n 's/ T shown//p' > shown.txt");
    const std::uint64_t shown = std::stoull(read_file(path("shown.txt")).value_or("0"), nullptr, 16);
    const DebugInfo debug(path("split.so").string());
    std::vector<SourceLine> deepest;
    for (std::uint64_t at = shown; at < shown + 20; ++at) {
      if (auto lines = debug.lines_at(at); lines.size() > deepest.size()) deepest = std::move(lines);
    }
    ASSERT_EQ(deepest.size(), 3U) << compiler;
    EXPECT_TRUE(deepest[0].file.ends_with("/first.h") && deepest[0].line == 3) << compiler << deepest[0].file;
    EXPECT_TRUE(deepest[1].file.ends_with("/second.h") && deepest[1].line == 3) << compiler << deepest[1].file;
    EXPECT_TRUE(deepest[2].file.ends_with("/split.c") && deepest[2].line == 5) << compiler << deepest[2].file;
  }
}

}  // namespace
}  // namespace tally
