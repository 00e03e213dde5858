#include "trace/diff.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/contains.h"

namespace tally::trace {
namespace {

using Devices = std::vector<DeviceFigures>;

std::vector<KernelChange> kernel_changes(const DeviceFigures* before, const DeviceFigures* after) {
  std::map<std::string, KernelChange> all;
  if (before != nullptr) {
    for (const KernelRow& kernel : before->short_kernels) {
      KernelChange& change = all[kernel.name];
      change.before = kernel.total;
      change.count_before = kernel.count;
    }
  }
  if (after != nullptr) {
    for (const KernelRow& kernel : after->short_kernels) {
      KernelChange& change = all[kernel.name];
      change.after = kernel.total;
      change.count_after = kernel.count;
    }
  }
  std::vector<KernelChange> out;
  for (auto& [name, change] : all) {
    if (change.before == change.after && change.count_before == change.count_after) continue;
    change.name = name;
    out.push_back(std::move(change));
  }
  std::ranges::sort(out, [](const KernelChange& a, const KernelChange& b) {
    const Nanoseconds x = std::abs(a.after - a.before);
    const Nanoseconds y = std::abs(b.after - b.before);
    return x != y ? x > y : a.name < b.name;
  });
  return out;
}

/// For each later device the earlier one that it is held against, nullptr for none: by label, then in order.
std::vector<const DeviceFigures*> partners(const Devices& before, const Devices& after) {
  std::vector<const DeviceFigures*> found(after.size(), nullptr);
  const auto give = [&](std::size_t k, auto&& fits) {
    for (const DeviceFigures& one : before) {
      if (found[k] == nullptr && fits(one) && !contains(found, &one)) found[k] = &one;
    }
  };
  for (std::size_t k = 0; k < after.size(); ++k) {
    give(k, [&](const DeviceFigures& one) { return one.device == after[k].device; });
  }
  for (std::size_t k = 0; k < after.size(); ++k) give(k, [](const DeviceFigures&) { return true; });
  return found;
}

DeviceChange change_of(const DeviceFigures* before, const DeviceFigures* after) {
  DeviceChange change;
  if (before != nullptr) {
    change.before = before->device;
    change.parts_before = before->parts;
  }
  if (after != nullptr) {
    change.after = after->device;
    change.parts_after = after->parts;
  }
  change.kernels = kernel_changes(before, after);
  return change;
}

}  // namespace

std::vector<DeviceChange> diff(const TraceFigures& before, const TraceFigures& after) {
  const std::vector<const DeviceFigures*> matched = partners(before.devices, after.devices);
  std::vector<DeviceChange> out;
  out.reserve(before.devices.size() + after.devices.size());
  for (std::size_t k = 0; k < after.devices.size(); ++k) out.push_back(change_of(matched[k], &after.devices[k]));
  for (const DeviceFigures& one : before.devices) {
    if (!contains(matched, &one)) out.push_back(change_of(&one, nullptr));
  }
  return out;
}

}  // namespace tally::trace
