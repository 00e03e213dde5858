#include "trace/legacy.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tally::trace {

LegacyFigures legacy_figures(LegacyWork& work) {
  std::vector<bool> on_gpu(work.processes.size());
  for (const std::uint32_t process : work.gpu_processes) on_gpu[process] = true;
  std::size_t kept = 0;
  for (const LegacySpan& span : work.spans)
    if (on_gpu[span.process]) work.spans[kept++] = span;
  work.spans.resize(kept);
  std::sort(work.spans.begin(), work.spans.end(),
            [](const LegacySpan& a, const LegacySpan& b) { return a.start < b.start; });
  UnionLength busy, matmul;
  for (const LegacySpan& span : work.spans) {
    busy.add(span.start, span.end);
    if (span.matmul) matmul.add(span.start, span.end);
  }
  work.spans.release();
  std::vector<std::string> processes;
  processes.reserve(work.gpu_processes.size());
  for (const std::uint32_t process : work.gpu_processes) processes.push_back(work.processes.text(process));
  return {busy.total(), matmul.total(), std::move(processes)};
}

}  // namespace tally::trace
