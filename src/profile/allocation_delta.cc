#include "profile/allocation_delta.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "profile/names.h"
#include "profile/rules.h"

namespace tally {
namespace {

struct Sides {
  AllocationSite site;
  std::uint64_t count[2] = {};
  std::uint64_t bytes[2] = {};
};

using Key = std::tuple<AllocationSource, std::vector<AllocationFrame>, std::string, std::string>;

/// Names that two builds share.
std::vector<AllocationFrame> standard(std::vector<AllocationFrame> frames) {
  for (AllocationFrame& frame : frames) {
    const FunctionKey key = standardize(FunctionKey{frame.object, "", frame.function});
    frame = {key.object, key.name};
  }
  return frames;
}

/// By its base name, for builds in other folders; a suite's own code is the same in a copy of the suite.
std::string standard_file(std::string_view file) {
  return file.ends_with(".toml") ? std::string() : std::string(base_name(file));
}

void add(std::map<Key, Sides>& all, const AllocationSites& from, std::size_t side) {
  for (const AllocationSite& site : from.sites) {
    Sides& sides = all[Key(site.source, standard(site.frames), standard_file(site.python.file), site.python.function)];
    if (sides.count[side] == 0) sides.site = site;
    sides.count[side] += site.count;
    sides.bytes[side] += site.bytes;
  }
}

/// a / m == b / n
bool same_rate(std::uint64_t a, std::uint64_t m, std::uint64_t b, std::uint64_t n) {
  return static_cast<unsigned __int128>(a) * n == static_cast<unsigned __int128>(b) * m;
}

std::string number(double value) { return fmt::format("{:.6g}", value); }

}  // namespace

std::vector<AllocationDelta> allocation_deltas(const AllocationSites& before, const AllocationSites& after) {
  std::map<Key, Sides> all;
  add(all, before, 0);
  add(all, after, 1);
  std::vector<AllocationDelta> result;
  for (auto& [key, sides] : all) {
    if (same_rate(sides.count[0], before.iterations, sides.count[1], after.iterations) &&
        same_rate(sides.bytes[0], before.iterations, sides.bytes[1], after.iterations))
      continue;
    const auto rate = [](std::uint64_t total, std::uint64_t iterations) {
      return static_cast<double>(total) / static_cast<double>(iterations);
    };
    const std::size_t side = sides.count[1] > 0 ? 1 : 0;
    sides.site.count = sides.count[side];
    sides.site.bytes = sides.bytes[side];
    result.push_back({.site = std::move(sides.site),
                      .count_before = rate(sides.count[0], before.iterations),
                      .count_after = rate(sides.count[1], after.iterations),
                      .bytes_before = rate(sides.bytes[0], before.iterations),
                      .bytes_after = rate(sides.bytes[1], after.iterations)});
  }
  // Equal changes stay in the order of their sites.
  const auto size = [](const AllocationDelta& delta) {
    return std::pair(std::abs(delta.bytes_after - delta.bytes_before),
                     std::abs(delta.count_after - delta.count_before));
  };
  std::vector<std::size_t> order(result.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return size(result[a]) != size(result[b]) ? size(result[a]) > size(result[b]) : a < b;
  });
  std::vector<AllocationDelta> sorted;
  sorted.reserve(result.size());
  for (const std::size_t i : order) sorted.push_back(std::move(result[i]));
  return sorted;
}

std::string describe(const AllocationDelta& delta) {
  const double count = delta.count_after - delta.count_before;
  const double bytes = delta.bytes_after - delta.bytes_before;
  const char* const what = delta.site.source == AllocationSource::python ? "Python allocation" : "allocation";
  const std::string origin = origin_of(delta.site);
  std::string change;
  if (count == 0) {
    change = fmt::format("{}{} B in {}s", bytes > 0 ? "+" : "", number(bytes), what);
  } else {
    const bool alike = count * bytes > 0;
    change = fmt::format("{}{} {}{}", count > 0 ? "+" : "", number(count), what, std::abs(count) == 1 ? "" : "s");
    if (alike)
      change += fmt::format(" of {} B", number(bytes / count));
    else if (bytes != 0)
      change += fmt::format(" ({}{} B)", bytes > 0 ? "+" : "", number(bytes));
  }
  return fmt::format("{} in {}{}{}", change, place_of(delta.site), origin.empty() ? "" : " from ", origin);
}

}  // namespace tally
