/// The parts of analyse(), one per family of figures. Private to trace.
///
/// All take one device's work sorted by start (ties in file order do not matter: every figure is the same).
#pragma once

#include <span>

#include "trace/figures.h"

namespace tally::trace {

/// One device's rows, with the call that launched each where it is known.
struct DeviceWork {
  std::span<const Row> rows;
  std::span<const std::uint32_t> call;  ///< Index into the calls, or kNoCall; as long as rows.
};
inline constexpr std::uint32_t kNoCall = 0xFFFF'FFFF;

/// Labels in the order in which a reader looks for them: numbers first, as numbers.
bool label_before(const std::string& a, const std::string& b);

/// Sorts data.calls by correlation and finds each work's call: the last with its correlation id that began no later
/// than the work, or the first one when all began later (clocks of host and device differ by a little).
Column<std::uint32_t> link_calls(TraceData& data);

void fill_parts(const TraceData& data, const DeviceWork& work, const AnalyseOptions& options, DeviceFigures& out);
void fill_kernels(const TraceData& data, const DeviceWork& work, DeviceFigures& out);
void fill_launches(const TraceData& data, const DeviceWork& work, DeviceFigures& out);
void fill_idle(const TraceData& data, const DeviceWork& work, std::span<const std::uint32_t> waits, bool gaps,
               DeviceFigures& out);

void fill_doubts(const TraceData& data, const DeviceWork& work, DeviceFigures& out);

/// The outermost operators that are no steps, before prepare_operators(): disjoint by thread and sorted.
Column<OperatorSpan> shown_operators(const TraceData& data);

/// Spans of matrix-product and convolution operators, and of outermost operators: disjoint by thread and sorted.
void prepare_operators(TraceData& data);
void fill_operators(const TraceData& data, const DeviceWork& work, DeviceFigures& out);

/// Operators are asked only where they were prepared.
void fill_math_busy(const TraceData& data, const DeviceWork& work, DeviceFigures& out);

/// Indices of synchronising calls, by thread and start.
Column<std::uint32_t> synchronising_calls(const TraceData& data);

LegacyFigures legacy_figures(TraceData& data);

/// Quantiles of `values`, which are reordered. Empty for none.
std::optional<Distribution> distribution(std::span<Nanoseconds> values);

}  // namespace tally::trace
