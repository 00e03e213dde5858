#include "trace/kernels.h"

#include <algorithm>
#include <numeric>

namespace tally::trace {
namespace {

const std::string& other_names() {
  static const std::string text = "(other names)";
  return text;
}

void add(KernelRow& into, const KernelRow& one) {
  into.min = into.count == 0 ? one.min : std::min(into.min, one.min);
  into.max = std::max(into.max, one.max);
  into.count += one.count;
  into.total += one.total;
}

void finish(std::vector<KernelRow>& table, Nanoseconds kernel_time) {
  for (KernelRow& row : table)
    row.share = kernel_time > 0 ? static_cast<double>(row.total) / static_cast<double>(kernel_time) : 0;
  std::ranges::sort(table, [](const KernelRow& a, const KernelRow& b) {
    return a.total != b.total ? a.total > b.total : a.name < b.name;
  });
}

}  // namespace

void fill_kernels(const TraceData& data, const DeviceWork& work, DeviceFigures& out) {
  std::vector<KernelRow> table(data.names.size() + 1);
  for (const Row& row : work.rows) {
    if (row.work() != Work::compute && row.work() != Work::communication) continue;
    KernelRow& entry = table[std::min<std::size_t>(row.name, data.names.size())];
    const auto duration = static_cast<Nanoseconds>(row.duration);
    entry.min = entry.count == 0 ? duration : std::min(entry.min, duration);
    entry.max = std::max(entry.max, duration);
    ++entry.count;
    entry.total += duration;
    entry.communication = row.work() == Work::communication;
  }
  std::map<std::string, KernelRow, std::less<>> by_short;
  for (std::size_t i = 0; i < table.size(); ++i) {
    KernelRow& row = table[i];
    if (row.count == 0) continue;
    const bool known = i < data.names.size();
    row.name = known ? data.names.text(static_cast<std::uint32_t>(i)) : other_names();
    row.math = known ? kernel_math(row.name) : MathClass::unknown;
    row.tensor_cores = known && !row.communication && uses_tensor_cores(row.name);
    if (!row.communication) {
      out.by_name.total += row.total;
      switch (row.math) {
        case MathClass::matmul:
          out.by_name.matmul += row.total;
          break;
        case MathClass::convolution:
          out.by_name.convolution += row.total;
          break;
        case MathClass::other:
          out.by_name.other += row.total;
          break;
        case MathClass::unknown:
          out.by_name.unclassified += row.total;
          break;
      }
      if (row.tensor_cores) out.tensor_core_time += row.total;
    }
    const auto brief = std::string(short_kernel_name(row.name));
    const auto [place, fresh] = by_short.try_emplace(brief);
    if (fresh) {
      place->second.name = brief;
      place->second.math = row.math;
      place->second.communication = row.communication;
    }
    place->second.tensor_cores = place->second.tensor_cores || row.tensor_cores;
    add(place->second, row);
    out.kernels.push_back(std::move(row));
  }
  for (auto& [name, row] : by_short) out.short_kernels.push_back(std::move(row));
  finish(out.kernels, out.parts.kernel_time);
  finish(out.short_kernels, out.parts.kernel_time);
}

}  // namespace tally::trace
