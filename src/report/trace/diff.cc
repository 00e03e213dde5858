#include "report/trace/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/text/format.h"

namespace tally::report {
namespace {

using trace::DeviceChange;
using trace::KernelChange;
using trace::Nanoseconds;
using trace::Parts;

constexpr std::array<std::pair<std::string_view, Nanoseconds Parts::*>, 9> kPartNames = {{
    {"window", &Parts::window},
    {"busy", &Parts::busy},
    {"compute", &Parts::compute},
    {"comm", &Parts::communication},
    {"memory", &Parts::memory},
    {"exposed_comm", &Parts::exposed_communication},
    {"exposed_memory", &Parts::exposed_memory},
    {"idle", &Parts::idle},
    {"kernel_time", &Parts::kernel_time},
}};

std::string time(Nanoseconds ns) { return ns < 0 ? "-" + time(-ns) : format_seconds(static_cast<double>(ns) * 1e-9); }

std::string change(Nanoseconds before, Nanoseconds after) {
  if (before == 0) return after == 0 ? "0 %" : "new";
  return format_change(static_cast<double>(after - before) / static_cast<double>(before));
}

}  // namespace

std::string render_trace_diff(std::span<const trace::DeviceChange> changes, const TraceTextOptions& options) {
  std::string out;
  for (const DeviceChange& d : changes) {
    if (!out.empty()) out += '\n';
    out += fmt::format("Device {}\n", d.before == d.after
                                          ? printable(d.after)
                                          : fmt::format("{} → {}", d.before.empty() ? "(none)" : printable(d.before),
                                                        d.after.empty() ? "(none)" : printable(d.after)));
    Table table{
        .columns = {{"part", false, 16}, {"before", true}, {"after", true}, {"difference", true}, {"change", true}},
        .rows = {}};
    for (const auto& [name, member] : kPartNames) {
      const Nanoseconds x = d.parts_before.*member, y = d.parts_after.*member;
      table.rows.push_back({{std::string(name)}, {time(x)}, {time(y)}, {time(y - x)}, {change(x, y)}});
    }
    out += render_table(table, options.render) + '\n';
    Table kernels{.columns = {{"kernel", false, 16},
                              {"count", true, 0, 1},
                              {"before", true},
                              {"after", true},
                              {"difference", true}},
                  .rows = {}};
    const std::size_t shown = options.kernels == 0 ? d.kernels.size() : std::min(options.kernels, d.kernels.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const KernelChange& k = d.kernels[i];
      kernels.rows.push_back({{printable(k.name)},
                              {k.count_before == k.count_after ? fmt::format("{}", k.count_after)
                                                               : fmt::format("{} → {}", k.count_before, k.count_after)},
                              {k.count_before == 0 ? "-" : time(k.before)},
                              {k.count_after == 0 ? "-" : time(k.after)},
                              {time(k.after - k.before)}});
    }
    out += kernels.rows.empty() ? "no kernel changed\n" : render_table(kernels, options.render);
    if (shown < d.kernels.size())
      out += fmt::format("… and {} more (--kernels 0 shows all)\n", d.kernels.size() - shown);
  }
  return out.empty() ? "no GPU work in either trace\n" : out;
}

json::Object trace_diff_json(std::span<const trace::DeviceChange> changes, std::size_t most) {
  using json::Object;
  const auto label = [](const std::string& name) { return name.empty() ? json::Value() : name; };
  json::Array devices;
  for (const DeviceChange& d : changes) {
    Object device = {{"before", label(d.before)}, {"after", label(d.after)}};
    for (const auto& [name, member] : kPartNames)
      device[std::string(name) + "_ns"] = Object{{"before", d.parts_before.*member},
                                                 {"after", d.parts_after.*member},
                                                 {"difference", d.parts_after.*member - d.parts_before.*member}};
    json::Array kernels;
    for (std::size_t i = 0; i < d.kernels.size() && (most == 0 || i < most); ++i) {
      const KernelChange& k = d.kernels[i];
      kernels.push_back(Object{{"name", k.name},
                               {"count_before", k.count_before},
                               {"count_after", k.count_after},
                               {"before_ns", k.before},
                               {"after_ns", k.after},
                               {"difference_ns", k.after - k.before}});
    }
    device["kernels"] = std::move(kernels);
    devices.push_back(std::move(device));
  }
  return {{"schema", 1}, {"devices", std::move(devices)}};
}

}  // namespace tally::report
