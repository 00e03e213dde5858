/// What a trace says about its devices: every figure of `tally trace`, as numbers. docs/reference/trace.md defines
/// each.
///
/// Plain data. Times are nanoseconds, shares are between 0 and 1. An optional is empty where the trace does not hold
/// what the figure needs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trace/doubts.h"
#include "trace/sweep.h"
#include "trace/timeline.h"
#include "trace/trace_data.h"

namespace tally::trace {

/// Of a set of values. Quantiles are values that occurred: the smallest with at least that share of values not above
/// it.
struct Distribution {
  std::uint64_t count = 0;
  Nanoseconds min = 0, p50 = 0, p90 = 0, p99 = 0, max = 0;
  double mean = 0;
};

/// How compute-kernel time divides; by_name uses rules of version kNameRulesVersion.
struct MathShares {
  Nanoseconds total = 0;  ///< Sum of durations that is divided; the four parts sum to it.
  Nanoseconds matmul = 0, convolution = 0, other = 0;
  Nanoseconds unclassified = 0;  ///< By name: the name says nothing. By operator: no operator could be linked.
};

struct IdleCauses {
  Nanoseconds host = 0;    ///< The next work was launched after the device fell idle.
  Nanoseconds kernel = 0;  ///< The next work was already launched: the device took its time.
  Nanoseconds synchronise =
      0;                  ///< As host, and the launching thread sat in a synchronising call when the idleness began.
  Nanoseconds other = 0;  ///< No launch of the next work is known.
  std::uint64_t gaps = 0;
  Nanoseconds longest = 0;
};

enum class IdleCause : unsigned char { host, kernel, synchronise, other };

/// A stretch in which nothing ran on the device.
struct IdleGap {
  Nanoseconds start = 0;
  Nanoseconds length = 0;
  IdleCause cause = IdleCause::other;
};

struct QueueLength {  ///< Launches issued whose work has not yet started.
  std::uint64_t longest = 0;
  double mean = 0;         ///< Over time, from the first launch to the last start.
  double share_empty = 0;  ///< Share of that time with nothing queued.
};

struct KernelRow {
  std::string name;
  std::uint64_t count = 0;
  Nanoseconds total = 0, min = 0, max = 0;
  double share = 0;  ///< Of the device's kernel_time.
  MathClass math = MathClass::other;
  bool tensor_cores = false, communication = false;
};

struct StreamFigures {
  std::string stream;
  std::uint64_t kernels = 0, memory_events = 0;
  Nanoseconds busy = 0;  ///< Union of its work.
};

struct StepFigures {
  std::string name;
  Nanoseconds start = 0, end = 0;
  Parts parts;
};

struct TimelinePoint {
  double utilization = 0, compute = 0, exposed_communication = 0, exposed_memory = 0;
};

struct DeviceFigures {
  std::string device;
  Nanoseconds start = 0, end = 0;  ///< First start and last end of its work.
  Parts parts;
  std::optional<Parts> steps_parts;  ///< Over the union of all ProfilerSteps.
  std::vector<StepFigures> steps;
  MathShares by_name;
  std::optional<MathShares> by_operator;
  Nanoseconds math_busy = 0;  ///< Union of the compute kernels that are a matrix product or a convolution, by the
                              ///< operator that launched them or by their name.
  Nanoseconds tensor_core_time = 0;              ///< Sum of durations of kernels whose name says so.
  std::optional<double> occupancy_estimate;      ///< Per cent, mean over kernels weighted by duration.
  std::optional<double> sm_efficiency_estimate;  ///< Share of the window: sum of duration × min(1, blocks per SM), or
                                                 ///< all that was busy if that is less (kernels at the same time).
  std::array<CopyTotals, kCopyDirections> copies;
  std::vector<KernelRow> kernels;        ///< By full name, longest total first, then by name.
  std::vector<KernelRow> short_kernels;  ///< By short name.
  IdleCauses idle;
  std::vector<IdleGap> gaps;                         ///< With a timeline: the longest of each cause, longest first.
  std::optional<Distribution> launch_latency;        ///< Start of the work minus start of its call.
  std::uint64_t linked = 0, unlinked = 0;            ///< Work whose call is known, and not.
  std::uint64_t graph_launches = 0, graph_work = 0;  ///< Graph launches, and the work that came of them.
  std::optional<QueueLength> queue;
  std::vector<StreamFigures> streams;
  Doubts doubts;
  std::vector<TimelinePoint> timeline;  ///< The window in equal slices.
  Nanoseconds timeline_slice = 0;
};

struct LegacyFigures {
  Nanoseconds busy = 0, matmul = 0;
  std::vector<std::string> processes;  ///< The pids that it takes for GPUs, in order of their labels.
};

struct TraceFigures {
  std::vector<DeviceFigures> devices;  ///< Numeric labels first, in order, then the others by name.
  std::optional<LegacyFigures> legacy;
  std::optional<Timeline> timeline;  ///< Where it was requested.
};

}  // namespace tally::trace
