#include "cpu/lease.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

namespace tally {
namespace {

using testing::HasSubstr;

/// CPUs that need not exist: leases are only locks.
class CpuLeaseTest : public testing::Test {
 protected:
  CpuLeaseTest() : folder_(testing::TempDir() + "tally_leases_" + std::to_string(getpid())) {
    std::filesystem::remove_all(folder_);
  }
  ~CpuLeaseTest() override { std::filesystem::remove_all(folder_); }

  CpuLeases open() {
    CpuTopology topology{parse_cpu_list("0-3").value(), {}};
    for (const char* core : {"0,2", "1,3"}) topology.cores.push_back(parse_cpu_list(core).value());
    return CpuLeases::open(topology, folder_).value();
  }
  static std::string take(CpuLeases& leases, const LeaseWish& wish, std::vector<CpuLease>& into) {
    Result<std::optional<CpuLease>> lease = leases.try_lease(wish);
    if (!lease) return describe(lease.error());
    if (!*lease) return "none";
    into.push_back(std::move(**lease));
    return to_string(into.back().cpus());
  }
  /// As many CPUs as four cases that are counted side by side share.
  static std::vector<CpuLease> share_four(CpuLeases& leases) {
    std::vector<CpuLease> shared;
    shared.reserve(4);
    for (int i = 0; i < 4; ++i) shared.push_back(leases.share().value());
    return shared;
  }

  std::string folder_;
};

TEST_F(CpuLeaseTest, NoCpuIsLeasedTwiceAndAllComeBack) {
  CpuLeases leases = open();
  std::vector<CpuLease> held;
  EXPECT_EQ(take(leases, {.count = 1}, held), "0");
  EXPECT_EQ(take(leases, {.count = 2}, held), "1-2");
  EXPECT_EQ(take(leases, {.count = 2}, held), "none");
  EXPECT_EQ(take(leases, {.count = 1}, held), "3");
  EXPECT_EQ(take(leases, {.count = 1}, held), "none");
  held.clear();
  EXPECT_EQ(take(leases, {.count = 4}, held), "0-3");
}

TEST_F(CpuLeaseTest, AWholeCoreKeepsOthersOffItsHyperThread) {
  CpuLeases leases = open();
  std::vector<CpuLease> held;
  EXPECT_EQ(take(leases, {.count = 1, .whole_cores = true}, held), "0");
  EXPECT_EQ(to_string(held[0].idle()), "2");
  EXPECT_EQ(take(leases, {.count = 1}, held), "1");
  EXPECT_EQ(take(leases, {.count = 1, .whole_cores = true}, held), "none") << "1 is busy, so its core is not whole";
  EXPECT_EQ(take(leases, {.count = 1}, held), "3");
}

TEST_F(CpuLeaseTest, ADeviceIsLeasedAsAWholeWithTheCpus) {
  CpuLeases one = open();
  CpuLeases other = open();
  std::vector<CpuLease> held;
  EXPECT_EQ(take(one, {.count = 1, .devices = {"GPU-a", "GPU-b"}}, held), "0");
  EXPECT_EQ(take(other, {.count = 1, .devices = {"GPU-c"}}, held), "1") << "another card";
  std::vector<CpuLease> waiting;
  EXPECT_EQ(take(other, {.count = 1, .devices = {"GPU-b"}}, waiting), "none") << "its CPU is free, and its card is not";
  EXPECT_TRUE(other.is_waiting());
  EXPECT_THAT(other.waited_for(), HasSubstr("this process has the device GPU-b"));
  other.leave();
  EXPECT_EQ(take(other, {.count = 1}, waiting), "2") << "nothing is left of what was taken with it";
  held.clear();
  EXPECT_EQ(take(other, {.count = 1, .devices = {"GPU-b"}}, waiting), "0");
}

TEST_F(CpuLeaseTest, SaysWhatCanNeverBe) {
  CpuLeases leases = open();
  EXPECT_EQ(describe(leases.try_lease({.count = 5}).error()),
            "5 CPUs are needed at once, and only 4 may be used (0-3); allow more with --cores, or use fewer threads");
  EXPECT_FALSE(CpuLeases::open({}, "/proc/no/such"));
}

TEST_F(CpuLeaseTest, AnotherProcessWaitsUntilTheHolderIsKilled) {
  CpuLeases leases = open();
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t other = fork();
  if (other == 0) {
    CpuLeases theirs = open();
    std::vector<CpuLease> held;
    const char good = take(theirs, {.count = 3}, held) == "0-2" ? 'y' : 'n';
    if (write(ready[1], &good, 1) != 1) _exit(1);
    for (;;) pause();
  }
  char good = 0;
  ASSERT_EQ(read(ready[0], &good, 1), 1);
  EXPECT_EQ(good, 'y');
  std::vector<CpuLease> held;
  EXPECT_EQ(take(leases, {.count = 2}, held), "none");
  EXPECT_EQ(take(leases, {.count = 1}, held), "3");
  EXPECT_THAT(leases.waited_for(),
              testing::ContainsRegex("process " + std::to_string(other) + " \\(.*\\) has CPU 0-2"));
  EXPECT_TRUE(leases.try_lease({.count = 2}));
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
  EXPECT_EQ(take(leases, {.count = 2}, held), "0-1");
  close(ready[0]);
  close(ready[1]);
}

TEST_F(CpuLeaseTest, WhatIsSharedIsSpreadAndKeepsTimesAway) {
  CpuLeases leases = open();
  std::vector<CpuLease> shared;
  std::vector<int> used;
  for (int i = 0; i < 8; ++i) {
    shared.push_back(leases.share().value());
    used.push_back(shared.back().cpus().cpus().front().value);
  }
  EXPECT_THAT(used, testing::ElementsAre(0, 1, 2, 3, 0, 1, 2, 3));
  std::vector<CpuLease> held;
  EXPECT_EQ(take(leases, {.count = 1}, held), "none");
  shared.erase(shared.begin() + 2);
  EXPECT_EQ(take(leases, {.count = 1}, held), "none") << "its second user is still there";
  shared.erase(shared.begin() + 5);
  EXPECT_EQ(take(leases, {.count = 1}, held), "2");
}

TEST_F(CpuLeaseTest, SharingNeverWaitsForTimesAndPrefersWhatNobodyTimesOn) {
  CpuLeases timing = open();
  CpuLeases counting = open();
  std::vector<CpuLease> held;
  ASSERT_EQ(take(timing, {.count = 3}, held), "0-2");
  std::vector<CpuLease> shared;
  for (int i = 0; i < 2; ++i) {
    shared.push_back(counting.share().value());
    EXPECT_EQ(to_string(shared.back().cpus()), "3");
  }
  ASSERT_EQ(take(timing, {.count = 1}, held), "none") << "somebody counts on the last one";
  shared.clear();
  ASSERT_EQ(take(timing, {.count = 1}, held), "3");
  EXPECT_EQ(counting.share().value().cpus().size(), 1U);
}

TEST_F(CpuLeaseTest, WhoWaitsIsNotOvertaken) {
  CpuLeases holding = open();
  CpuLeases patient = open();
  CpuLeases late = open();
  std::vector<CpuLease> held;
  std::vector<CpuLease> theirs;
  ASSERT_EQ(take(holding, {.count = 3}, held), "0-2");
  EXPECT_EQ(take(patient, {.count = 2}, theirs), "none");
  EXPECT_TRUE(patient.is_waiting());
  EXPECT_EQ(take(late, {.count = 1}, theirs), "none") << "CPU 3 is free, and the first in line may need it";
  EXPECT_TRUE(late.is_waiting());
  EXPECT_GT(late.retry(), patient.retry());
  EXPECT_THAT(late.waited_for(), HasSubstr("goes first"));
  held.clear();
  EXPECT_EQ(take(late, {.count = 1}, theirs), "none");
  EXPECT_EQ(take(patient, {.count = 2}, theirs), "0-1");
  EXPECT_FALSE(patient.is_waiting());
  EXPECT_EQ(take(late, {.count = 1}, theirs), "2");
  EXPECT_FALSE(late.is_waiting());
}

TEST_F(CpuLeaseTest, WhoLeavesTheLineStandsInNobodysWay) {
  CpuLeases holding = open();
  CpuLeases impatient = open();
  CpuLeases late = open();
  std::vector<CpuLease> held;
  std::vector<CpuLease> theirs;
  ASSERT_EQ(take(holding, {.count = 3}, held), "0-2");
  EXPECT_EQ(take(impatient, {.count = 2}, theirs), "none");
  impatient.leave();
  EXPECT_FALSE(impatient.is_waiting());
  EXPECT_EQ(take(late, {.count = 1}, theirs), "3");
}

/// A run that is always counting kept times waiting for 300 s and longer.
TEST_F(CpuLeaseTest, WhoCountsKeepsOffTheCpusThatAreWaitedFor) {
  CpuLeases counting = open();
  CpuLeases timing = open();
  std::vector<CpuLease> shared = share_four(counting);
  std::vector<CpuLease> held;
  EXPECT_EQ(take(timing, {.count = 1}, held), "none");
  // Each session ends, and the next one begins at once.
  for (int round = 0; round < 8; ++round) {
    shared.erase(shared.begin());
    shared.push_back(counting.share().value());
    EXPECT_EQ(shared.back().cpus().size(), 1U) << "counting never waits";
    if (take(timing, {.count = 1}, held) != "none") break;
  }
  ASSERT_EQ(held.size(), 1U);
  EXPECT_EQ(to_string(held[0].cpus()), "0");
}

TEST_F(CpuLeaseTest, WhereAllCpusAreWaitedForCountingContinuesAllTheSame) {
  CpuLeases counting = open();
  CpuLeases timing = open();
  std::vector<CpuLease> shared = share_four(counting);
  std::vector<CpuLease> held;
  EXPECT_EQ(take(timing, {.count = 4}, held), "none");
  for (int i = 0; i < 4; ++i) {
    shared.erase(shared.begin());
    shared.push_back(counting.share().value());
  }
  EXPECT_EQ(take(timing, {.count = 4}, held), "0-3");
  EXPECT_EQ(counting.share().value().cpus().size(), 1U);
}

/// Four processes take and leave leases as fast as they can; each marks its CPUs in a shared table while it has them.
TEST_F(CpuLeaseTest, ProcessesNeverShareACpu) {
  constexpr int processes = 4;
  constexpr int rounds = 100;
  for (int p = 0; p < processes; ++p) {
    if (fork() != 0) continue;
    CpuLeases leases = open();
    for (int round = 0; round < rounds; ++round) {
      const LeaseWish wish{.count = 1 + (round + p) % 3, .whole_cores = round % 4 == 0};
      Result<std::optional<CpuLease>> lease = leases.try_lease(wish);
      // Each waiting process gets its turn: nobody gives up, and all end.
      for (; lease && !*lease; lease = leases.try_lease(wish)) usleep(200);
      if (!lease) _exit(2);
      for (const CpuIndex cpu : (*lease)->cpus().cpus()) {  // mkdir fails when another process has made it.
        if (mkdir((folder_ + "/held-" + std::to_string(cpu.value)).c_str(), 0700) != 0) _exit(3);
      }
      usleep(100);
      for (const CpuIndex cpu : (*lease)->cpus().cpus())
        rmdir((folder_ + "/held-" + std::to_string(cpu.value)).c_str());
    }
    _exit(0);
  }
  for (int p = 0; p < processes; ++p) {
    int status = 0;
    ASSERT_GT(wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
}

TEST_F(CpuLeaseTest, TheDefaultFolderIsMachineWide) {
  const Result<std::string> folder = CpuLeases::default_folder();
  ASSERT_TRUE(folder);
  EXPECT_THAT(*folder, testing::AnyOf("/run/lock/tallymark", "/tmp/tallymark-cpus"));
  EXPECT_EQ(CpuLeases::default_folder("/elsewhere").value(), "/elsewhere");
}

}  // namespace
}  // namespace tally
