/// For tests only: the figures of a trace the slow and exact way, sharing no code with what is tested.
///
/// Whole-document parse with nlohmann/json, times by string arithmetic, unions by marking every elementary interval.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tally::trace::reference {

struct Figures {
  std::uint64_t kernels = 0, memory_events = 0;
  std::int64_t window = 0, busy = 0, compute = 0, comm = 0, memory = 0, exposed_comm = 0, exposed_memory = 0, idle = 0,
               kernel_time = 0;
  bool operator==(const Figures&) const = default;
};

struct Trace {
  std::uint64_t events = 0;
  std::map<std::string, Figures> devices;
  std::int64_t seed_busy = 0, seed_matmul = 0;
};

/// Empty when `text` is no JSON.
std::optional<Trace> read(const std::string& text);

}  // namespace tally::trace::reference
