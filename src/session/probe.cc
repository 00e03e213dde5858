#include "session/probe.h"

#include <fmt/format.h>

#include <algorithm>

namespace tally {

ProbeStep statement_once(const ProbeState& state) {
  constexpr std::uint64_t kMostIterations = 100;
  if (!state.of_statement || !state.taken.empty()) return std::nullopt;
  return AskCount{std::min(state.iterations, kMostIterations), true};
}

ProbeStep each_once(const ProbeState& state) {
  if (!state.taken.empty()) return std::nullopt;
  return AskCount{.iterations = state.iterations, .last = state.of_statement};
}

std::string Probe::warning(std::string_view why) const { return fmt::format("{}: {}", unknown, why); }

std::string_view to_string(Mode mode) {
  switch (mode.kind) {
    case Mode::counts:
      return "counts";
    case Mode::wall:
      return "wall";
    case Mode::figure:
      return "figure";
    case Mode::result:
      return "result";
    case Mode::probing:
      break;
  }
  return mode.probe->name;
}

bool is_alone(Mode mode) { return mode == Mode::wall || mode == Mode::figure; }

bool is_under_valgrind(Mode mode) { return mode == Mode::counts || (mode.probe != nullptr && mode.probe->is_counted); }

}  // namespace tally
