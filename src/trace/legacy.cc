#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "trace/analysis.h"

namespace tally::trace {

LegacyFigures legacy_figures(TraceData& data) {
  std::vector<bool> on_gpu(data.processes.size());
  for (const std::uint32_t process : data.gpu_processes) on_gpu[process] = true;
  std::size_t kept = 0;
  for (const LegacySpan& span : data.legacy_spans)
    if (on_gpu[span.process]) data.legacy_spans[kept++] = span;
  data.legacy_spans.resize(kept);
  std::sort(data.legacy_spans.begin(), data.legacy_spans.end(),
            [](const LegacySpan& a, const LegacySpan& b) { return a.start < b.start; });
  UnionLength busy, matmul;
  for (const LegacySpan& span : data.legacy_spans) {
    busy.add(span.start, span.end);
    if (span.matmul) matmul.add(span.start, span.end);
  }
  data.legacy_spans.release();
  std::vector<std::string> processes;
  for (const std::uint32_t process : data.gpu_processes) processes.push_back(data.processes.text(process));
  return {busy.total(), matmul.total(), std::move(processes)};
}

}  // namespace tally::trace
