/// The rows that are kept of a trace: 24 bytes for each piece of device work and each runtime call, and small tables.
///
/// Owns: plain data. Times are nanoseconds of the trace's own clock. Rows are in file order until someone sorts them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/column.h"
#include "trace/file_reading.h"
#include "trace/name_rules.h"
#include "trace/number.h"
#include "trace/text_table.h"

namespace tally::trace {

enum class Work : unsigned char { compute, communication, copy, fill };

/// Device work or a runtime call; the bit fields keep it at 24 bytes.
struct Row {
  Nanoseconds start;
  std::uint64_t duration : 48;  ///< 3.2 days at most; longer ones are refused.
  std::uint64_t lane : 16;      ///< Work: number of its stream. Call: number of its thread.
  std::uint32_t correlation;    ///< Joins work to its call; 0 is none.
  std::uint32_t name : 20;      ///< Number in `names` or `calls`; `kOtherName` when that table was full.
  std::uint32_t kind : 4;       ///< Work: enum Work. Call: enum CallKind.
  std::uint32_t device : 8;     ///< Work: number of the device.

  [[nodiscard]] Nanoseconds end() const { return start + static_cast<Nanoseconds>(duration); }
  [[nodiscard]] Work work() const { return static_cast<Work>(kind); }
  [[nodiscard]] CallKind call() const { return static_cast<CallKind>(kind); }
};
static_assert(sizeof(Row) == 24);

inline constexpr std::uint32_t kOtherName = (1U << 20) - 1;

enum class CopyDirection : unsigned char {
  host_to_device,
  device_to_host,
  device_to_device,
  peer,
  host_to_host,
  other
};
inline constexpr int kCopyDirections = 6;

struct CopyTotals {
  std::uint64_t count = 0, bytes = 0, nanoseconds = 0;
};

/// Sums of estimates that the profiler attached to kernels, weighted by duration.
struct Estimates {
  double occupancy_weighted = 0, occupancy_weight = 0;  ///< Per cent times ns; ns.
  double sm_weighted = 0, sm_weight = 0;                ///< min(1, blocks per SM) times ns; ns.
};

struct Device {
  std::string label;
  std::array<CopyTotals, kCopyDirections> copies;
  Estimates estimates;
};

struct Stream {
  std::uint32_t device = 0;
  std::string label;
};

/// One ProfilerStep as the host saw it.
struct Step {
  std::string name;
  std::string process;
  Nanoseconds start = 0, end = 0;
};

/// An operator that is a matrix product or a convolution, or the outermost operator of its thread, or of a step of it.
struct OperatorSpan {
  Nanoseconds start, end;
  std::uint16_t thread;
  MathClass math;
  bool is_step;        ///< A ProfilerStep, which old exporters write as an operator.
  std::uint32_t name;  ///< Number in `operator_names`; `kOtherName` when that table was full.
};
static_assert(sizeof(OperatorSpan) == 24);

struct LegacySpan {
  Nanoseconds start, end;
  std::uint32_t process;
  bool matmul;
};

/// Operators of the host, where they were requested.
struct Operators {
  Column<OperatorSpan> math, outer;
  TextTable names{kOtherName, std::size_t{8} << 20};
};

/// What functorch's old helper looks at, where it was requested.
struct LegacyWork {
  Column<LegacySpan> spans;
  TextTable processes{1U << 20, std::size_t{8} << 20};
  std::vector<std::uint32_t> gpu_processes;
};

struct TraceData {
  FileReading reading;
  Column<Row> work, calls;
  TextTable names{kOtherName, std::size_t{8} << 20};
  std::vector<bool> name_is_communication;
  TextTable call_names{kOtherName, std::size_t{1} << 20};
  std::vector<CallKind> call_kinds;
  TextTable threads{65535, std::size_t{4} << 20};
  std::vector<Device> devices;
  std::vector<Stream> streams;
  std::vector<Step> steps;
  std::optional<Operators> operators;
  std::optional<LegacyWork> legacy;
};

}  // namespace tally::trace
