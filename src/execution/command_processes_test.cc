#include "execution/command_processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

using testing::HasSubstr;

constexpr std::string_view kDump =
    "# callgrind format\n"
    "desc: Process: 1\t0123456789abcdef\t100\t250\tsh\n"
    "desc: Process: 1.1\tfedcba9876543210\t0\t50\t/usr/bin/a b\n"
    "positions: line\nevents: Ir\n\nfn=main\n0 300\n\ntotals: 300\n";

TEST(CommandProcesses, AreReadOfADump) {
  const auto processes = processes_in(kDump);
  ASSERT_EQ(processes.size(), 2U);
  EXPECT_EQ(processes[0], (ProcessCount{"1", "sh", "0123456789abcdef", 100, 250}));
  EXPECT_EQ(processes[1], (ProcessCount{"1.1", "/usr/bin/a b", "fedcba9876543210", 0, 50}));
  EXPECT_TRUE(processes_in("events: Ir\ntotals: 3\n").empty());
  EXPECT_TRUE(processes_in("desc: Process: 1\tcut off").empty());
}

TEST(CommandProcesses, WhatDiffersMostIsNamed) {
  const auto processes = processes_in(kDump);
  EXPECT_EQ(difference(processes, processes), "");
  auto other = processes;
  other[0].instructions += 3;
  EXPECT_EQ(difference(processes, other), "process 1 (sh) executed 250 instructions in one run and 253 in another");
  other[1].instructions -= 40;
  EXPECT_THAT(difference(processes, other), HasSubstr("process 1.1 (/usr/bin/a b) executed 50 instructions"));
  EXPECT_THAT(difference(processes, other), HasSubstr("and of 1 more processes others"));
  other.pop_back();
  EXPECT_EQ(difference(processes, other), "process 1.1 (/usr/bin/a b) is there in one run and not in another");
  other.push_back({.place = "1.1", .program = "/usr/bin/c"});
  EXPECT_EQ(difference(processes, other),
            "process 1.1 (/usr/bin/a b) in one run is process 1.1 (/usr/bin/c) in another");
}

}  // namespace
}  // namespace tally
