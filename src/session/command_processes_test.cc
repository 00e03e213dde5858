#include "session/command_processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace tally {
namespace {

using testing::HasSubstr;

constexpr std::string_view kDump =
    "# callgrind format\n"
    "desc: Process: 1\t0123456789abcdef\t100\t250\tsh\n"
    "desc: Process: 1.1\tfedcba9876543210\t0\t50\t/usr/bin/a b\n"
    "positions: line\nevents: Ir\n\n"
    "# of process 1\tsh\nob=sh\nfn=(1) main\n0 200\nfn=(2) _Z4readv\n0 50\n\n"
    "# of process 1.1\t/usr/bin/a b\nfn=(1) main\n0 50\n\ntotals: 300\n";

/// kDump, with one text in the place of another.
std::string with(std::string_view old, std::string_view other) {
  return replace_all(std::string(kDump), std::string(old), std::string(other));
}

TEST(CommandProcesses, AreReadOfADump) {
  const auto processes = processes_in(kDump);
  ASSERT_EQ(processes.size(), 2U);
  EXPECT_EQ(processes[0], (ProcessCount{"1", "sh", "0123456789abcdef", {}, 100, 250}));
  EXPECT_EQ(processes[1], (ProcessCount{"1.1", "/usr/bin/a b", "fedcba9876543210", {}, 0, 50}));
  EXPECT_TRUE(processes_in("events: Ir\ntotals: 3\n").empty());
  EXPECT_TRUE(processes_in("desc: Process: 1\tcut off").empty());
}

TEST(CommandProcesses, WhatDiffersMostIsNamed) {
  EXPECT_EQ(difference(kDump, kDump), "");
  EXPECT_EQ(difference(kDump, with("\t250\t", "\t253\t")),
            "process 1 (sh) executed 250 instructions in one run and 253 in another");
  const std::string both = replace_all(with("\t250\t", "\t253\t"), "\t50\t", "\t10\t");
  EXPECT_EQ(difference(kDump, both),
            "process 1.1 (/usr/bin/a b) executed 50 instructions in one run and 10 in another; so did 1 other process");
  EXPECT_EQ(difference(kDump, with("desc: Process: 1.1\tfedcba9876543210\t0\t50\t/usr/bin/a b\n", "")),
            "process 1.1 (/usr/bin/a b) is there in one run and not in another");
  EXPECT_EQ(difference(kDump, with("/usr/bin/a b", "/usr/bin/c")),
            "process 1.1 (/usr/bin/a b) in one run is process 1.1 (/usr/bin/c) in another");
}

TEST(CommandProcesses, TheFunctionThatDiffersMostIsNamed) {
  const std::string more = replace_all(with("\t250\t", "\t253\t"), "_Z4readv\n0 50", "_Z4readv\n0 55");
  EXPECT_EQ(difference(kDump, replace_all(more, "main\n0 200", "main\n0 198")),
            "process 1 (sh) executed 250 instructions in one run and 253 in another, first of all in read (+5)");
  const std::string of_child = replace_all(with("\t50\t", "\t40\t"), "main\n0 50", "main\n0 40");
  EXPECT_THAT(difference(kDump, of_child), HasSubstr("and 40 in another, first of all in main (-10)"));
}

}  // namespace
}  // namespace tally
