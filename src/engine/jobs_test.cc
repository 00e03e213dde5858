#include "engine/jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class JobsTest : public ::testing::Test {
 protected:
  JobsTest() : cases_(3) { cases_[0].threads = 2; }

  static std::vector<std::pair<Mode, std::size_t>> brief(const std::vector<Job>& jobs) {
    std::vector<std::pair<Mode, std::size_t>> all;
    all.reserve(jobs.size());
    for (const Job& job : jobs) all.emplace_back(job.mode, job.index);
    return all;
  }

  std::vector<Case> cases_;
};

TEST_F(JobsTest, CountsComeFirstAndManyThreadsAreTimedLast) {
  using enum Mode::Kind;
  EXPECT_THAT(brief(measuring_jobs(cases_, {}, {}, {})),
              ElementsAre(std::pair(counts, 0), std::pair(counts, 1), std::pair(counts, 2), std::pair(wall, 1),
                          std::pair(wall, 2), std::pair(wall, 0)));
}

TEST_F(JobsTest, PassesGoOverTheWholeSuite) {
  const Settings settings{.wall = false, .repeat = 2};
  EXPECT_THAT(brief(measuring_jobs(std::span(cases_).first(2), settings, {}, {})),
              ElementsAre(std::pair(Mode::counts, 0), std::pair(Mode::counts, 1), std::pair(Mode::counts, 0),
                          std::pair(Mode::counts, 1)));
}

TEST_F(JobsTest, InterleavedTimesTakeThreeTurnsInEachPass) {
  const Settings settings{.counts = false, .interleave = true, .repeat = 2};
  EXPECT_EQ(measuring_jobs(cases_, settings, {}, {}).size(), 18U);
}

TEST_F(JobsTest, WhatReportsAFigureDoesSoOnceWhateverIsMeasured) {
  cases_[1].reports = true;
  const std::vector<Perturbation> perturbations = standard_perturbations();
  for (const Settings& settings : {Settings{}, Settings{.wall = false, .repeat = 2}, Settings{.counts = false}}) {
    std::vector<Mode> modes;
    for (const Job& job : measuring_jobs(cases_, settings, perturbations, {})) {
      if (job.index == 1) modes.push_back(job.mode);
    }
    EXPECT_THAT(modes, ElementsAre(Mode(Mode::figure)));
  }
  EXPECT_FALSE(kind_of({.index = 1, .mode = Mode::figure}, cases_[1]).counted);
}

TEST_F(JobsTest, OfACarriedPythonNoTimesAreTakenWhereItIsCounted) {
  using enum Mode::Kind;
  std::map<std::string, ResolvedToolchain> toolchains = {{"", {}}, {"carried", {}}};
  toolchains["carried"].carried = std::make_shared<CarriedInstallation>(
      CarriedInstallation{.found = {}, .digests = FileDigests(std::map<std::string, std::string>())});
  for (const std::size_t i : {1, 2}) cases_[i].toolchain = "carried";
  cases_[1].language = Language::python;
  cases_[2].language = Language::cpp;
  std::vector<Job> jobs = measuring_jobs(cases_, {}, {}, {});
  leave_out_times_of_carried(jobs, cases_, toolchains, true);
  EXPECT_THAT(brief(jobs), ElementsAre(std::pair(counts, 0), std::pair(counts, 1), std::pair(counts, 2),
                                       std::pair(wall, 2), std::pair(wall, 0)));
  jobs = measuring_jobs(cases_, {.counts = false}, {}, {});
  leave_out_times_of_carried(jobs, cases_, toolchains, false);
  EXPECT_THAT(brief(jobs), Contains(std::pair(wall, std::size_t{1}))) << "its host says why there are none";
}

TEST_F(JobsTest, WhatIsDoneHasNoJobs) {
  const std::vector<Perturbation> perturbations = standard_perturbations();
  EXPECT_THAT(measuring_jobs(cases_, {}, perturbations, {true, true, true}), IsEmpty());
  EXPECT_THAT(brief(examining_jobs(cases_, {true, false, true})), ElementsAre(std::pair(Mode::result, 1)));
  EXPECT_EQ(measuring_jobs(cases_, {.wall = false}, perturbations, {false, true, true}).size(), 9U);
}

TEST_F(JobsTest, ARuntimeWithAWarmUpHasHostsOfItsOwn) {
  cases_[0].runtime = cases_[1].runtime = "traced";
  cases_[1].host_runtime = "traced";
  EXPECT_EQ(kind_of({.index = 0}, cases_[0]), kind_of({.index = 2}, cases_[2]));
  EXPECT_NE(kind_of({.index = 1}, cases_[1]), kind_of({.index = 0}, cases_[0]));
  EXPECT_EQ(describe(kind_of({.index = 1}, cases_[1])), "C++ host of , traced under Valgrind");
}

TEST_F(JobsTest, AHashSeedStartsNoOtherHostForCpp) {
  const Perturbation seeded{.name = "hash_seed=1", .hash_seed = 1};
  const Job plain{.index = 0};
  const Job perturbed{.index = 0, .perturbation = &seeded};
  cases_[0].language = Language::cpp;
  EXPECT_EQ(kind_of(perturbed, cases_[0]), kind_of(plain, cases_[0]));
  cases_[0].language = Language::python;
  EXPECT_NE(kind_of(perturbed, cases_[0]), kind_of(plain, cases_[0]));
}

}  // namespace
}  // namespace tally
