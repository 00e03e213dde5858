#include "plan/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <numeric>
#include <queue>
#include <tuple>

#include "base/digest.h"

namespace tally {
namespace {

std::uint64_t hash_of(const std::string& id) {
  constexpr std::size_t kDigits = 16;
  const std::string hex = digest(id);
  std::uint64_t hash = 0;
  std::from_chars(hex.data(), hex.data() + kDigits, hash, 16);
  return hash;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 1;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

Result<Shard> parse_shard(std::string_view text) {
  Shard shard;
  const std::size_t slash = text.find('/');
  const auto number = [](std::string_view part, int& value) {
    const auto [end, code] = std::from_chars(part.data(), part.data() + part.size(), value);
    return code == std::errc() && end == part.data() + part.size();
  };
  const bool read = slash != std::string_view::npos && number(text.substr(0, slash), shard.index) &&
                    number(text.substr(slash + 1), shard.count);
  if (read && shard.count >= 1 && shard.count <= kMostShards && shard.index >= 1 && shard.index <= shard.count)
    return shard;
  return fail(ErrorKind::input, fmt::format("'{}' is not a shard", text), "--shard",
              "write --shard 1/4 … 4/4 for the four quarters of a suite");
}

std::vector<int> deal(std::span<const std::string> ids, int count) {
  std::vector<int> parts;
  parts.reserve(ids.size());
  for (const std::string& id : ids)
    parts.push_back(static_cast<int>(hash_of(id) % static_cast<std::uint64_t>(count)) + 1);
  return parts;
}

std::vector<int> deal_by_times(std::span<const std::string> ids, int count, const LastTimes& last) {
  std::vector<double> seconds(ids.size(), -1);
  std::vector<double> known;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (const auto found = last.find(ids[i]); found != last.end()) known.push_back(seconds[i] = found->second);
  }
  const double usual = median_of(std::move(known));
  for (double& one : seconds) one = one < 0 ? usual : one;
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::tuple(-seconds[i], std::string_view(ids[i])); });
  using Load = std::tuple<double, std::size_t, int>;  // seconds, cases, part
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (int part = 1; part <= count; ++part) loads.emplace(0, 0, part);
  std::vector<int> parts(ids.size());
  for (const std::size_t i : order) {
    const auto [load, cases, part] = loads.top();
    loads.pop();
    parts[i] = part;
    loads.emplace(load + seconds[i], cases + 1, part);
  }
  return parts;
}

}  // namespace tally
