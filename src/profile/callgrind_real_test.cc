// The reader against Valgrind's own, callgrind_annotate, on profiles taken here and now: every function's exclusive and
// inclusive counts, to the instruction.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/text.h"
#include "profile/annotated.h"
#include "profile/callgrind.h"
#include "profile/names.h"

namespace tally {
namespace {

using Costs = std::vector<std::uint64_t>;
using View = std::map<std::string, Costs>;  // "file:function"

struct Subject {
  const char* name;
  const char* options;
  const char* command;
};

std::ostream& operator<<(std::ostream& out, const Subject& subject) { return out << subject.name; }

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[65536];
  for (std::size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  pclose(pipe);
  return text;
}

/// "file:function [object]" with the function's name demangled, as `annotated` has all names: --demangle=no writes
/// others.
std::string demangled(std::string_view name) {
  const std::size_t start = name.find(":_");
  if (start == name.npos) return std::string(name);
  const std::size_t end = std::min(name.find(" [", start), name.size());
  return fmt::format("{}:{}{}", name.substr(0, start), demangle(name.substr(start + 1, end - start - 1)),
                     name.substr(end));
}

/// The table below "file:function": counts with commas ('.' for none), then a name and, if any, its object in brackets.
View annotate(const std::string& file, bool inclusive, std::size_t events) {
  const std::string text = output_of(  // It strips the folder it stands in from names, except "/".
      "cd / && callgrind_annotate --threshold=100 --show-percs=no --auto=no --inclusive=" +
      std::string(inclusive ? "yes " : "no ") + shell_quote(file) + " 2>&1");
  View view;
  bool table = false;
  for (const std::string_view line : split(text, '\n')) {
    if (line.find(" file:function") != line.npos) table = true;
    if (!table || line.empty() || line[0] == '-' || line.find(" file:function") != line.npos) continue;
    std::string_view rest = line;
    Costs costs;
    for (std::size_t e = 0; e < events; ++e) {
      rest = rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
      const std::string number = replace_all(rest.substr(0, rest.find(' ')), ",", "");
      costs.push_back(number == "." ? 0 : std::stoull(number));
      rest = rest.substr(std::min(rest.find(' '), rest.size()));
    }
    Costs& sums = view[demangled(trim(rest))];
    sums.resize(events);
    for (std::size_t e = 0; e < events; ++e) sums[e] += costs[e];
  }
  return view;
}

/// Of one event. Two functions of one name and two objects would be one row.
std::map<std::string, std::uint64_t> ours(const Profile& profile, std::size_t event, bool inclusive) {
  std::map<std::string, std::uint64_t> view;
  for (const auto& [count, name] : annotated(profile, event, inclusive ? Inclusion::inclusive : Inclusion::exclusive))
    view[name] = count;
  return view;
}

void expect_agreement(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream buffer;
  buffer << stream.rdbuf();
  const std::string bytes = buffer.str();
  ASSERT_FALSE(bytes.empty()) << file;
  const Result<Profile> profile = parse_callgrind(bytes);
  ASSERT_TRUE(profile) << describe(profile.error());
  EXPECT_TRUE(profile->notes.empty()) << profile->notes.front();

  const Result<Totals> totals = callgrind_totals(bytes);
  ASSERT_TRUE(totals);
  EXPECT_EQ(totals->values, profile->totals);

  for (const bool inclusive : {false, true}) {
    const View theirs = annotate(file, inclusive, profile->events.size());
    EXPECT_GT(theirs.size(), 50U);
    for (std::size_t event = 0; event < profile->events.size(); ++event) {
      const auto mine = ours(*profile, event, inclusive);
      std::size_t wrong = 0;
      std::size_t seen = 0;
      for (const auto& [name, costs] : theirs) {
        const auto it = mine.find(name);
        const std::uint64_t found = it == mine.end() ? 0 : it->second;
        seen += costs[event] != 0;
        if (found != costs[event] && ++wrong < 5)
          ADD_FAILURE() << profile->events[event] << " of " << name << ": they say " << costs[event] << ", we "
                        << found;
      }
      EXPECT_EQ(wrong, 0U) << "of " << theirs.size() << (inclusive ? " inclusive" : " exclusive");
      EXPECT_EQ(mine.size(), seen) << "names that they do not have";
    }
  }
}

class TakenProfile : public testing::TestWithParam<Subject> {};

TEST_P(TakenProfile, AgreesWithCallgrindAnnotate) {
  const auto file = std::filesystem::path(testing::TempDir()) / ("tally_real_" + std::string(GetParam().name) + ".out");
  output_of("cd / && valgrind -q --tool=callgrind --vgdb=no --callgrind-out-file=" + shell_quote(file.string()) + " " +
            GetParam().options + " " + GetParam().command + " >/dev/null 2>&1 </dev/null");
  expect_agreement(file.string());
  std::filesystem::remove(file);
}

/// For profiles too slow to take in a test (importing torch under Callgrind takes a minute): their paths, by colons.
TEST(RealProfile, GivenFilesAgree) {
  const char* files = std::getenv("TALLY_CALLGRIND_FILES");
  if (files == nullptr) GTEST_SKIP() << "TALLY_CALLGRIND_FILES names no files";
  for (const std::string_view file : split(files, ':')) expect_agreement(std::string(file));
}

constexpr const char* kVictim = TALLY_BUILD_DIR "/tests/profile_victim";

INSTANTIATE_TEST_SUITE_P(
    Valgrind, TakenProfile,
    testing::Values(Subject{"plain", "", kVictim},
                    Subject{"instructions_and_jumps", "--dump-instr=yes --collect-jumps=yes", kVictim},
                    Subject{"uncompressed", "--compress-strings=no --compress-pos=no", kVictim},
                    Subject{"caches_and_branches", "--cache-sim=yes --branch-sim=yes", kVictim},
                    Subject{"callers_kept_apart", "--separate-callers=2", kVictim},
                    Subject{"recursion_kept_apart", "--separate-recs=3", kVictim},
                    Subject{"mangled", "--demangle=no", kVictim},
                    Subject{"bus_and_systime", "--collect-bus=yes --collect-systime=yes", kVictim},
                    Subject{"absolute_instructions", "--dump-instr=yes --compress-pos=no --dump-line=no", kVictim},
                    Subject{"coreutils", "", "/bin/ls -la /usr/lib"},
                    Subject{"awk", "", "awk 'BEGIN { for (i = 0; i < 99; i++) s += i; print s }'"},
                    Subject{"cpython", "",
                            "/usr/bin/python3 -S -c 'd = {str(i): i for i in range(999)}; print(sorted(d)[:3])'"},
                    // All of libtorch agrees, too, but takes two minutes: TALLY_CALLGRIND_FILES is for such.
                    Subject{"libtorch_core", "", "/usr/bin/python3 -S -c 'import ctypes; ctypes.CDLL(\"libc10.so\")'"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tally
