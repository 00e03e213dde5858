#include "trace/operators.h"

#include <algorithm>

#include "trace/near_search.h"
#include "trace/sort_by_key.h"

namespace tally::trace {
namespace {

bool in_order(const OperatorSpan& a, const OperatorSpan& b) {
  if (a.thread != b.thread) return a.thread < b.thread;
  return a.start != b.start ? a.start < b.start : a.end > b.end;
}

/// Keeps the outermost of nested spans: a convolution that is computed as a matrix product is a convolution.
void keep_outermost(Column<OperatorSpan>& spans) {
  sort_by_key(spans, [](const OperatorSpan& span) { return std::uint32_t{span.thread}; });
  if (!std::is_sorted(spans.begin(), spans.end(), in_order)) std::sort(spans.begin(), spans.end(), in_order);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (kept != 0 && spans[kept - 1].thread == spans[i].thread && spans[i].end <= spans[kept - 1].end) continue;
    spans[kept++] = spans[i];
  }
  spans.resize(kept);
}

/// Outermost spans, looked up one moment after another.
class Covering {
 public:
  explicit Covering(const Column<OperatorSpan>& spans) : spans_(spans.span()) {}

  const OperatorSpan* at(std::uint32_t thread, Nanoseconds when) {
    after_ = partition_near(spans_, after_, [&](const OperatorSpan& s) {
      return s.thread != thread ? s.thread < thread : s.start <= when;
    });
    if (after_ == 0) return nullptr;
    const OperatorSpan& span = spans_[after_ - 1];
    return span.thread == thread && when <= span.end ? &span : nullptr;
  }

 private:
  std::span<const OperatorSpan> spans_;
  std::size_t after_ = 0;
};

}  // namespace

Column<OperatorSpan> shown_operators(const TraceData& data) {
  Column<OperatorSpan> shown;
  if (!data.operators) return shown;
  for (const OperatorSpan& op : data.operators->outer)
    if (!op.is_step) shown.push_back(op);
  keep_outermost(shown);
  return shown;
}

void prepare(Operators& operators) {
  keep_outermost(operators.math);
  keep_outermost(operators.outer);
}

void fill_operators(const TraceData& data, const DeviceWork& work, DeviceFigures& out) {
  MathShares shares;
  bool any = false;
  Covering outer(data.operators->outer);
  Covering maths(data.operators->math);
  for (std::size_t i = 0; i < work.rows.size(); ++i) {
    const Row& row = work.rows[i];
    if (row.work() != Work::compute) continue;
    const auto duration = static_cast<Nanoseconds>(row.duration);
    shares.total += duration;
    const std::uint32_t c = work.call[i];
    const Row* const call = c == kNoCall ? nullptr : &data.calls[c];
    if (call == nullptr || outer.at(call->lane, call->start) == nullptr) {
      shares.unclassified += duration;
      continue;
    }
    any = true;
    const OperatorSpan* const math = maths.at(call->lane, call->start);
    (math == nullptr                        ? shares.other
     : math->math == MathClass::convolution ? shares.convolution
                                            : shares.matmul) += duration;
  }
  if (any) out.by_operator = shares;
}

void fill_math_busy(const TraceData& data, const DeviceWork& work, DeviceFigures& out) {
  std::vector<std::optional<bool>> by_name(data.names.size());
  UnionLength busy;
  const Column<OperatorSpan> none;
  Covering maths(data.operators ? data.operators->math : none);
  for (std::size_t i = 0; i < work.rows.size(); ++i) {
    const Row& row = work.rows[i];
    if (row.work() != Work::compute) continue;
    bool math = false;
    if (row.name < by_name.size()) {
      std::optional<bool>& known = by_name[row.name];
      if (!known) {
        const MathClass of_name = kernel_math(data.names.text(row.name));
        known = of_name == MathClass::matmul || of_name == MathClass::convolution;
      }
      math = *known;
    }
    if (!math && data.operators && work.call[i] != kNoCall) {
      const Row& call = data.calls[work.call[i]];
      math = maths.at(call.lane, call.start) != nullptr;
    }
    if (math) busy.add(row.start, row.end());
  }
  out.math_busy = busy.total();
}

}  // namespace tally::trace
