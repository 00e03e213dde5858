#include "history/time_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "history/example_noise.h"

namespace tally {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr std::size_t kCases = 185;

std::vector<TimeSeries> noise_of_cases(std::size_t runs, const NoiseKind& kind, Noise& noise) {
  std::vector<TimeSeries> cases(kCases);
  for (TimeSeries& one : cases) {
    one.seconds = noise_series(runs, kind, noise);
    one.runs.resize(runs);
    std::iota(one.runs.begin(), one.runs.end(), 0U);
  }
  return cases;
}

void slow_down(TimeSeries& one, std::size_t from, double factor) {
  for (std::size_t i = 0; i < one.runs.size(); ++i) {
    if (one.runs[i] >= from) one.seconds[i] *= factor;
  }
}

TEST(TimeSteps, FindsTheOneCaseThatChanged) {
  Noise noise(1);
  auto cases = noise_of_cases(100, normal_noise, noise);
  slow_down(cases[77], 60, 1.06);
  const auto changes = time_steps(cases);
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].of, 77);
  EXPECT_EQ(changes[0].run, 60);
  EXPECT_EQ(changes[0].since, 59);
  EXPECT_NEAR(changes[0].point.change(), 0.06, 0.005);
}

TEST(TimeSteps, RunsWithoutATimeArePassedOver) {
  Noise noise(2);
  auto cases = noise_of_cases(100, normal_noise, noise);
  for (std::size_t i = 0; i < 10; ++i) {  // 50 to 59 were not timed
    cases[3].runs.erase(cases[3].runs.begin() + 50);
    cases[3].seconds.erase(cases[3].seconds.begin() + 50);
  }
  slow_down(cases[3], 55, 1.05);
  const auto changes = time_steps(cases);
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_EQ(changes[0].run, 60);
  EXPECT_EQ(changes[0].since, 49);
  EXPECT_EQ(changes[0].point.index, 50);
}

TEST(TimeSteps, ByRunThenBySize) {
  Noise noise(3);
  auto cases = noise_of_cases(100, normal_noise, noise);
  slow_down(cases[9], 70, 1.2);
  slow_down(cases[5], 70, 0.7);
  slow_down(cases[1], 40, 1.05);
  const auto changes = time_steps(cases);
  ASSERT_THAT(changes, SizeIs(3));
  EXPECT_EQ(changes[0].of, 1);
  EXPECT_EQ(changes[1].of, 5);
  EXPECT_EQ(changes[2].of, 9);
}

/// What one case among many may not be, many of them together are.
TEST(TimeSteps, AWeakStepOfManyCasesIsBelievedWhereThatOfOneIsNot) {
  Noise noise(4);
  auto cases = noise_of_cases(66, normal_noise, noise);
  auto many = cases;
  slow_down(cases[0], 62, 1.03);
  for (TimeSeries& one : many) slow_down(one, 62, 1.03);
  const std::size_t weak_ones = static_cast<std::size_t>(
      std::ranges::count_if(many, [](const TimeSeries& one) { return !change_points(one.seconds).empty(); }));
  EXPECT_THAT(time_steps(cases), IsEmpty());
  EXPECT_GT(time_steps(many).size(), weak_ones / 2);
  EXPECT_GT(weak_ones, kCases / 2);
}

/// Where nothing changed, the rate is the share of histories in which anything is nominated.
TEST(TimeSteps, NoiseIsSeldomNominated) {
  for (const NoiseKind& kind : std::vector<NoiseKind>{normal_noise, lognormal_noise, bimodal_noise, spiky_noise}) {
    Noise noise(5);
    int false_ones = 0;
    for (int history = 0; history < 40; ++history) {
      false_ones += time_steps(noise_of_cases(60, kind, noise)).empty() ? 0 : 1;
    }
    EXPECT_LE(false_ones, 6);
  }
}

TEST(TimeSteps, NothingToLookAt) {
  EXPECT_THAT(time_steps(std::vector<TimeSeries>()), IsEmpty());
  EXPECT_THAT(time_steps(History()), IsEmpty());
  EXPECT_THAT(time_steps(std::vector<TimeSeries>(3)), IsEmpty());
}

/// Of one case, with a run at each of so many commits.
History history_of_times(const std::vector<double>& seconds) {
  History history;
  history.bases.resize(2);
  history.cases = {{.id = "one", .language = "cpp", .points = {}}};
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    history.runs.push_back({.environment = "a", .parts = {{}}});
    history.cases[0].points.push_back(
        {.run = static_cast<std::uint32_t>(i), .time_s = seconds[i], .status = CaseStatus::ok});
  }
  return history;
}

TEST(TimeStepsOfAHistory, AreOfTheCaseAndTheRun) {
  Noise noise(6);
  auto seconds = noise_series(50, normal_noise, noise);
  for (std::size_t i = 30; i < 50; ++i) seconds[i] *= 1.1;
  const auto steps = time_steps(history_of_times(seconds));
  ASSERT_THAT(steps, SizeIs(1));
  EXPECT_EQ(steps[0].of, 0);
  EXPECT_EQ(steps[0].run, 30);
  EXPECT_EQ(steps[0].since, 29);
}

TEST(TimeStepsOfAHistory, FailedRunsHaveNoTime) {
  Noise noise(7);
  auto seconds = noise_series(50, normal_noise, noise);
  for (std::size_t i = 28; i < 50; ++i) seconds[i] *= 1.1;
  History history = history_of_times(seconds);
  history.cases[0].points[28].status = CaseStatus::crashed;
  history.cases[0].points[29].time_s = SeriesPoint::kNone;
  const auto steps = time_steps(history);
  ASSERT_THAT(steps, SizeIs(1));
  EXPECT_EQ(steps[0].run, 30);
  EXPECT_EQ(steps[0].since, 27);
}

TEST(TimeStepsOfAHistory, ProcessorsInTurnAreEachHeldAgainstThemselves) {
  Noise noise(9);
  auto seconds = noise_series(100, normal_noise, noise);
  for (std::size_t i = 1; i < 100; i += 2) seconds[i] *= 1.5;  // another processor's
  for (std::size_t i = 60; i < 100; i += 2) seconds[i] *= 1.1;
  History history = history_of_times(seconds);
  for (std::size_t i = 0; i < 100; ++i) history.runs[i].parts.front().processor = i % 2 == 0 ? "a" : "b";
  const auto steps = time_steps(history);
  ASSERT_THAT(steps, SizeIs(1));
  EXPECT_EQ(steps[0].run, 60);
  EXPECT_EQ(steps[0].since, 58);
  EXPECT_NEAR(steps[0].point.change(), 0.1, 0.01);
}

TEST(TimeStepsOfAHistory, AnotherEnvironmentOrDefinitionIsNoChange) {
  Noise noise(8);
  auto seconds = noise_series(90, normal_noise, noise);
  for (std::size_t i = 30; i < 60; ++i) seconds[i] *= 1.5;
  for (std::size_t i = 75; i < 90; ++i) seconds[i] *= 1.2;
  History history = history_of_times(seconds);
  for (std::size_t i = 30; i < 90; ++i) history.runs[i].environment = "b";
  for (std::size_t i = 60; i < 90; ++i) history.cases[0].points[i].basis = 1;
  const auto steps = time_steps(history);
  ASSERT_THAT(steps, SizeIs(1));
  EXPECT_EQ(steps[0].run, 75);
  EXPECT_EQ(steps[0].since, 74);
}

}  // namespace
}  // namespace tally
