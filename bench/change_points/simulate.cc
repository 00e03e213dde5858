/// What tally history nominates of simulated times (src/history/time_steps.h): how much of it is false, how large a
/// change must be, and what deceives it. Prints the tables of docs/guides/history.md; the same numbers every time.
///
///   cmake --build build/release --target change_points_simulation
///   build/release/bench/change_points_simulation            about 3 minutes on one core
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <numeric>
#include <string_view>
#include <vector>

#include "history/energy_split.h"
#include "history/example_noise.h"
#include "history/step_significance.h"
#include "history/time_steps.h"

namespace {

using namespace tally;

constexpr std::size_t kCases = 185;

struct NamedNoise {
  std::string_view name;
  NoiseKind kind;
};

const std::vector<NamedNoise> kNoises = {{"normal, 1 %", normal_noise},
                                         {"lognormal, 10 %", lognormal_noise},
                                         {"two levels 10 % apart, half and half", bimodal_noise},
                                         {"0.5 %, 5 % of runs 5 to 50 % slower", spiky_noise},
                                         {"1 %, a clock of 1 % steps", coarse_noise}};

std::vector<TimeSeries> unchanged(std::size_t runs, const NoiseKind& kind, Noise& noise) {
  std::vector<TimeSeries> cases(kCases);
  for (TimeSeries& one : cases) {
    one.seconds = noise_series(runs, kind, noise);
    one.runs.resize(runs);
    std::iota(one.runs.begin(), one.runs.end(), std::size_t{0});
  }
  return cases;
}

void step(TimeSeries& one, std::size_t from, double change) {
  for (std::size_t i = from; i < one.seconds.size(); ++i) one.seconds[i] *= 1 + change;
}

/// Cuts of windows of 64 whose own t-test is below 0.001, as if nobody had looked for them.
std::size_t own_t_tests(const TimeSeries& one) {
  std::size_t found = 0;
  for (std::size_t begin = 0; begin + 64 <= one.seconds.size(); begin += 32) {
    const auto window = std::span(one.seconds).subspan(begin, 64);
    const std::size_t at = best_energy_split(doubled_ranks(window), 2).at;
    found += welch_p(window.first(at), window.subspan(at)) < 0.001 ? 1 : 0;
  }
  return found;
}

void print_unchanged() {
  fmt::print("185 cases, nothing changes: histories with any nomination; nominations per history\n\n");
  fmt::print("| noise | 10 runs | 16 runs | 64 runs | 1,000 runs | t-tests of the cuts below 0.001, 1,000 runs |\n");
  fmt::print("|---|---|---|---|---|---|\n");
  for (const auto& [name, kind] : kNoises) {
    Noise noise(1);
    fmt::print("| {} ", name);
    std::size_t own = 0;
    for (const auto& [runs, histories] : {std::pair{10U, 2000U}, {16U, 1000U}, {64U, 400U}, {1000U, 30U}}) {
      std::size_t any = 0;
      std::size_t all = 0;
      for (std::size_t i = 0; i < histories; ++i) {
        const auto cases = unchanged(runs, kind, noise);
        const std::size_t found = time_steps(cases).size();
        any += found > 0 ? 1 : 0;
        all += found;
        if (runs == 1000) {
          for (const TimeSeries& one : cases) own += own_t_tests(one);
        }
      }
      fmt::print("| {:.1f} %; {:.3f} ", 100.0 * static_cast<double>(any) / histories,
                 static_cast<double>(all) / histories);
      std::fflush(stdout);
    }
    fmt::print("| {:.1f} |\n", static_cast<double>(own) / 30);
  }
}

void print_false_share() {
  fmt::print(
      "\n185 cases of 128 runs, 18 of them 4 % slower from one run on: nominated; of all nominations those of other "
      "cases, those more\nthan ten runs away\n\n");
  fmt::print("| noise | cases found | of other cases | elsewhere |\n|---|---|---|---|\n");
  for (const auto& [name, kind] : kNoises) {
    Noise noise(2);
    std::size_t found = 0;
    double others = 0;
    double elsewhere = 0;
    constexpr std::size_t histories = 100;
    for (std::size_t i = 0; i < histories; ++i) {
      auto cases = unchanged(128, kind, noise);
      for (std::size_t j = 0; j < 18; ++j) step(cases[j], 70, 0.04);
      const auto changes = time_steps(cases);
      if (changes.empty()) continue;
      const auto of_others = std::ranges::count_if(changes, [](const TimeStep& one) { return one.of >= 18; });
      std::vector<bool> has(18, false);
      std::ptrdiff_t at_the_run = 0;
      for (const TimeStep& one : changes) {
        if (one.of >= 18 || one.run < 60 || one.run > 80) continue;
        ++at_the_run;
        has[one.of] = true;
      }
      const auto all = static_cast<double>(changes.size());
      found += static_cast<std::size_t>(std::ranges::count(has, true));
      others += static_cast<double>(of_others) / all;
      elsewhere += (all - static_cast<double>(of_others + at_the_run)) / all;
    }
    fmt::print("| {} | {:.1f} % | {:.1f} % | {:.1f} % |\n", name, 100.0 * static_cast<double>(found) / (18 * histories),
               100 * others / histories, 100 * elsewhere / histories);
    std::fflush(stdout);
  }
}

void print_power() {
  fmt::print("\nOne case of 185 changes, 1 % of noise: nominated; of these at the right run, within two runs\n\n");
  fmt::print("| change | runs before | 3 runs since | 4 | 5 | 8 | 12 | 32 |\n|---|---|---|---|---|---|---|---|\n");
  constexpr std::size_t kRounds = 300;
  for (const double change : {0.01, 0.02, 0.03, 0.05, 0.3}) {
    for (const std::size_t before : {std::size_t{10}, std::size_t{30}, std::size_t{100}}) {
      fmt::print("| {:.0f} % | {} ", 100 * change, before);
      for (const std::size_t since : std::array<std::size_t, 6>{3, 4, 5, 8, 12, 32}) {
        Noise noise(3);
        std::size_t found = 0;
        std::size_t exact = 0;
        std::size_t near = 0;
        for (std::size_t i = 0; i < kRounds; ++i) {
          // Of the 184 others only that they are tests matters: they have two runs, and nothing is found in them.
          std::vector<TimeSeries> cases(kCases, {.runs = {before - 1, before}, .seconds = {1, 1}});
          cases[0].seconds = noise_series(before + since, normal_noise, noise);
          cases[0].runs.resize(before + since);
          std::iota(cases[0].runs.begin(), cases[0].runs.end(), std::size_t{0});
          step(cases[0], before, change);
          for (const TimeStep& one : time_steps(cases)) {
            if (one.run + 8 < before || one.run > before + 8) continue;
            ++found;
            exact += one.run == before ? 1 : 0;
            near += one.run + 2 >= before && one.run <= before + 2 ? 1 : 0;
            break;
          }
        }
        fmt::print("| {:.0f} % ", 100.0 * static_cast<double>(found) / kRounds);
        if (found > 0) {
          fmt::print("({:.0f}, {:.0f}) ", 100.0 * static_cast<double>(exact) / static_cast<double>(found),
                     100.0 * static_cast<double>(near) / static_cast<double>(found));
        }
      }
      fmt::print("|\n");
      std::fflush(stdout);
    }
  }
}

/// Nominations among 185 cases of 1,000 runs in each of which `draw` decides about the next value.
template <typename Draw>
void print_deception(std::string_view name, const Draw& draw) {
  Noise noise(4);
  std::size_t found = 0;
  std::size_t touched = 0;
  constexpr std::size_t histories = 5;
  for (std::size_t i = 0; i < histories; ++i) {
    auto cases = unchanged(1000, normal_noise, noise);
    for (TimeSeries& one : cases) draw(one, noise);
    std::vector<bool> has(kCases, false);
    for (const TimeStep& change : time_steps(cases)) {
      ++found;
      has[change.of] = true;
    }
    touched += static_cast<std::size_t>(std::ranges::count(has, true));
  }
  fmt::print("| {} | {:.2f} | {:.0f} % |\n", name, static_cast<double>(found) / (histories * kCases),
             100.0 * static_cast<double>(touched) / (histories * kCases));
  std::fflush(stdout);
}

auto persistent(double persistence) {
  return [persistence](TimeSeries& one, Noise& noise) {
    one.seconds = persistent_series(one.seconds.size(), persistence, noise);
  };
}

void print_deceptions() {
  fmt::print("\n185 cases of 1,000 runs, no commit changes anything: nominations per case, cases that have any\n\n");
  fmt::print("| what deceives | per case | cases |\n|---|---|---|\n");
  print_deception("noise of 1 % that does not persist", [](TimeSeries&, Noise&) {});
  for (const double persistence : {0.2, 0.4, 0.6, 0.8}) {
    print_deception(fmt::format("noise of 1 %, {:.0f} % of it that of the run before", 100 * persistence),
                    persistent(persistence));
  }
  print_deception("another layout of ± 2 % every 50 runs or so", [](TimeSeries& one, Noise& noise) {
    double layout = 1;
    for (double& value : one.seconds) {
      if (noise.with_chance(0.02)) layout = 1 + 0.02 * noise.normal();
      value *= layout;
    }
  });
  print_deception("a ramp, 20 % from the first run to the last", [](TimeSeries& one, Noise&) {
    for (std::size_t i = 0; i < one.seconds.size(); ++i) one.seconds[i] *= 1 + 0.0002 * static_cast<double>(i);
  });
}

/// CPU seconds for all cases of a long history, the least of three.
void print_cost(std::string_view name, const std::function<void(TimeSeries&, Noise&)>& draw) {
  Noise noise(5);
  auto cases = unchanged(10000, normal_noise, noise);
  for (TimeSeries& one : cases) draw(one, noise);
  double least = 1e9;
  std::size_t found = 0;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t begin = std::clock();
    found = time_steps(cases).size();
    least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  fmt::print("{}: {:.3f} s, {} nominations\n", name, least, found);
  std::fflush(stdout);
}

void print_costs() {
  fmt::print("\n185 cases of 10,000 runs, CPU time\n\n");
  print_cost("noise that does not persist", [](TimeSeries&, Noise&) {});
  print_cost("a step of 3 % every 500 runs", [](TimeSeries& one, Noise&) {
    for (std::size_t from = 500; from < one.seconds.size(); from += 1000) {
      for (std::size_t i = from; i < from + 500; ++i) one.seconds[i] *= 1.03;
    }
  });
  print_cost("60 % of the noise that of the run before", persistent(0.6));
}

}  // namespace

int main() {
  print_unchanged();
  print_false_share();
  print_power();
  print_deceptions();
  print_costs();
  return EXIT_SUCCESS;
}
