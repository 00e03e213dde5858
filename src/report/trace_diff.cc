#include "report/trace_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "report/format.h"

namespace tally::report {
namespace {

using trace::Nanoseconds;
using trace::Parts;

constexpr std::array<std::pair<std::string_view, Nanoseconds Parts::*>, 9> part_names = {{
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

std::vector<KernelChange> kernel_changes(const trace::DeviceFigures* before, const trace::DeviceFigures* after) {
  std::map<std::string, KernelChange> all;
  if (before != nullptr)
    for (const trace::KernelRow& k : before->short_kernels) {
      KernelChange& c = all[k.name];
      c.before = k.total;
      c.count_before = k.count;
    }
  if (after != nullptr)
    for (const trace::KernelRow& k : after->short_kernels) {
      KernelChange& c = all[k.name];
      c.after = k.total;
      c.count_after = k.count;
    }
  std::vector<KernelChange> out;
  for (auto& [name, c] : all) {
    if (c.before == c.after && c.count_before == c.count_after) continue;
    c.name = name;
    out.push_back(c);
  }
  const auto size = [](const KernelChange& c) { return c.after > c.before ? c.after - c.before : c.before - c.after; };
  std::ranges::sort(
      out, [&](const auto& a, const auto& b) { return size(a) != size(b) ? size(a) > size(b) : a.name < b.name; });
  return out;
}

}  // namespace

std::vector<DeviceChange> diff_traces(const TraceResult& before, const TraceResult& after) {
  const auto& a = before.figures.devices;
  const auto& b = after.figures.devices;
  std::vector<int> partner(b.size(), -1);
  std::vector<bool> used(a.size());
  for (std::size_t k = 0; k < b.size(); ++k)
    for (std::size_t i = 0; i < a.size() && partner[k] < 0; ++i)
      if (!used[i] && a[i].device == b[k].device) {
        partner[k] = static_cast<int>(i);
        used[i] = true;
      }
  for (std::size_t k = 0; k < b.size(); ++k)
    for (std::size_t i = 0; i < a.size() && partner[k] < 0; ++i)
      if (!used[i]) {
        partner[k] = static_cast<int>(i);
        used[i] = true;
      }
  std::vector<DeviceChange> out;
  const auto add = [&](const trace::DeviceFigures* x, const trace::DeviceFigures* y) {
    out.push_back({x != nullptr ? x->device : "", y != nullptr ? y->device : "", x != nullptr ? x->parts : Parts{},
                   y != nullptr ? y->parts : Parts{}, kernel_changes(x, y)});
  };
  for (std::size_t k = 0; k < b.size(); ++k)
    add(partner[k] < 0 ? nullptr : &a[static_cast<std::size_t>(partner[k])], &b[k]);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!used[i]) add(&a[i], nullptr);
  return out;
}

std::string render_trace_diff(const std::vector<DeviceChange>& changes, const TraceTextOptions& options) {
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
    for (const auto& [name, member] : part_names) {
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

json::Object trace_diff_json(const std::vector<DeviceChange>& changes, std::size_t most) {
  using json::Object;
  const auto label = [](const std::string& name) { return name.empty() ? json::Value() : name; };
  json::Array devices;
  for (const DeviceChange& d : changes) {
    Object device = {{"before", label(d.before)}, {"after", label(d.after)}};
    for (const auto& [name, member] : part_names)
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
