#include "build/function_symbols.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <regex>

#include "base/files.h"
#include "base/text.h"

namespace tally {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

/// A library with two exported functions and two that are not, stripped as distributions do it.
class FunctionSymbols : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_file(path("lib.c"),
                           "__attribute__((noinline)) static int hidden(int x) { return x * 3 + 1; }\n"
                           "__attribute__((noinline)) static int other(int x) { return x / 3 + 1; }\n"
                           "int shown(int x) { return hidden(x) + other(x); }\n"
                           "int seen(int x) { return hidden(x) - other(x); }\n"));
    shell(
        "gcc -O1 -shared -fPIC -Wl,--build-id -o lib.so lib.c && nm lib.so > all.txt && cp lib.so whole.so && "
        "objcopy --only-keep-debug lib.so lib.debug && strip lib.so && objcopy --add-gnu-debuglink=lib.debug lib.so");
  }

  [[nodiscard]] fs::path path(const std::string& name) const { return folder_->path() / name; }
  void shell(const std::string& command) const {
    ASSERT_EQ(std::system(("cd " + shell_quote(folder_->path().string()) + " && " + command).c_str()), 0) << command;
  }
  [[nodiscard]] std::string read(const std::string& name) const { return read_file(path(name)).value_or(""); }
  /// As `nm` prints addresses, of the functions that `name` matches.
  [[nodiscard]] std::vector<std::string> addresses(const std::string& listing, const std::string& name) const {
    const std::string text = read(listing);
    const std::regex line("0*([0-9a-f]+) [tT] (?:" + name + ")\n");
    std::vector<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at) found.push_back((*at)[1]);
    return found;
  }

  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

TEST_F(FunctionSymbols, EachFunctionThatHasNoneGetsOneByItsAddress) {
  const std::string object = function_symbols(read("lib.so"));
  ASSERT_TRUE(write_file(path("made"), object));
  shell("nm made > made.txt && readelf --notes made > notes.txt && readelf --notes lib.so > own.txt");
  const auto hidden = addresses("all.txt", "hidden|other");
  ASSERT_EQ(hidden.size(), 2U) << read("all.txt");
  EXPECT_THAT(addresses("made.txt", "0x[0-9a-f]+"), testing::IsSupersetOf(hidden)) << read("made.txt");
  EXPECT_THAT(addresses("made.txt", "0x" + hidden[0]), ElementsAre(hidden[0]));
  for (const std::string& exported : addresses("all.txt", "shown|seen"))
    EXPECT_THAT(addresses("made.txt", "0x" + exported), IsEmpty()) << read("made.txt");
  const auto* const bytes = reinterpret_cast<const Bytef*>(object.data());
  const std::string checksum = fmt::format("{:08x}", crc32_z(0, bytes, object.size()));
  shell("readelf --debug-dump=links lib.so > link.txt");
  EXPECT_THAT(read("link.txt"), testing::HasSubstr("CRC value: 0x" + checksum));
  const std::string id = read("own.txt").substr(read("own.txt").find("Build ID"));
  EXPECT_THAT(read("notes.txt"), testing::HasSubstr(id));
}

TEST_F(FunctionSymbols, NothingIsMadeOfWhatHasSymbolsOrIsNoLibrary) {
  EXPECT_THAT(function_symbols(read("whole.so")), IsEmpty());
  EXPECT_THAT(function_symbols("#!/bin/sh\n"), IsEmpty());
  const std::string library = read("lib.so");
  for (std::size_t length = 0; length < library.size(); length += 97)
    std::ignore = function_symbols(library.substr(0, length));  // a file that was cut off is no crash
}

TEST_F(FunctionSymbols, TheyLieWhereValgrindLooksAndFollowTheLibrary) {
  const std::vector<std::string> libraries{path("lib.so").string(), "/nowhere/lib.so"};
  ASSERT_TRUE(make_function_symbols(libraries, path("names")));
  const fs::path made = path("names") / fs::canonical(folder_->path()).relative_path() / "lib.debug";
  const std::string first = read_file(made).value_or("");
  ASSERT_THAT(first, Not(IsEmpty()));
  const auto written = fs::last_write_time(made);
  ASSERT_TRUE(make_function_symbols(libraries, path("names")));
  EXPECT_EQ(fs::last_write_time(made), written);
  shell(
      "sed -i 's/x [*] 3/x * 5 * x/' lib.c && gcc -O1 -shared -fPIC -Wl,--build-id -o lib.so lib.c && strip lib.so && "
      "objcopy --add-gnu-debuglink=lib.debug lib.so");
  ASSERT_TRUE(make_function_symbols(libraries, path("names")));
  EXPECT_NE(read_file(made).value_or(""), first);
}

}  // namespace
}  // namespace tally
