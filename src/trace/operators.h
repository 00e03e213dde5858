/// What the operators of the host say of a device's work: which of it is matrix products and convolutions.
#pragma once

#include "trace/column.h"
#include "trace/device_work.h"
#include "trace/figures.h"

namespace tally::trace {

/// The outermost operators that are no steps, before prepare(): disjoint by thread and sorted.
Column<OperatorSpan> shown_operators(const TraceData& data);

/// Leaves the outermost: disjoint by thread and sorted.
void prepare(Operators& operators);

/// Where there are operators, which were prepared.
void fill_operators(const TraceData& data, const DeviceWork& work, DeviceFigures& out);

/// By the operators that launched it, where there are any, or by its name.
void fill_math_busy(const TraceData& data, const DeviceWork& work, DeviceFigures& out);

}  // namespace tally::trace
