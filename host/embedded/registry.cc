#include "registry.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "protocol/descriptors.h"

namespace tally::embedded {

namespace {

[[noreturn]] void refuse(const std::string& name, const char* why) {
  std::fprintf(stderr, "tallymark: benchmark '%s' %s\n", name.c_str(), why);
  std::exit(2);
}

/// The values after "name/".
std::optional<std::vector<std::int64_t>> read_args(std::string_view text, std::size_t count) {
  std::vector<std::int64_t> values;
  while (!text.empty()) {
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data() + 1, text.data() + text.size(), value);
    if (text.front() != '/' || read.ec != std::errc()) return std::nullopt;
    values.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  }
  if (values.size() != count) return std::nullopt;
  return values;
}

std::size_t argument_count(const Benchmark& benchmark) {
  std::size_t count = 0;
  for (const Axis& axis : benchmark.axes) count += axis.values.front().size();
  return count;
}

/// Each with its separator before it but the first.
template <typename Values, typename Text>
std::string joined(const Values& values, const char* separator, const Text& text) {
  std::string all;
  for (const auto& value : values) all += (all.empty() ? "" : separator) + text(value);
  return all;
}

}  // namespace

std::vector<Benchmark>& registry() {
  static std::vector<Benchmark> all;
  return all;
}

void add(Benchmark benchmark) {
  const std::string& name = benchmark.name;
  const bool strange = std::any_of(name.begin(), name.end(), [](char c) { return c >= 0 && c < ' '; });
  if (name.empty() || strange || name.find("${") != std::string::npos)
    refuse(name, "cannot have this name: it is empty, or has a control character or '${'");
  std::vector<Benchmark>& all = registry();
  if (std::any_of(all.begin(), all.end(), [&](const Benchmark& one) { return one.name == name; }))
    refuse(name, "is defined twice: give one of them another name");
  if (std::any_of(benchmark.axes.begin(), benchmark.axes.end(), [](const Axis& axis) { return axis.values.empty(); }))
    refuse(name, "has an argument without values");
  if (benchmark.threads.empty() ||
      std::any_of(benchmark.threads.begin(), benchmark.threads.end(), [](int threads) { return threads < 1; }))
    refuse(name, "has a number of threads below 1");
  all.push_back(std::move(benchmark));
}

std::optional<Chosen> find_case(std::string_view symbol) {
  for (const Benchmark& one : registry()) {
    if (symbol.substr(0, one.name.size()) != one.name) continue;
    if (auto values = read_args(symbol.substr(one.name.size()), argument_count(one)))
      return Chosen{&one, *std::move(values)};
  }
  return std::nullopt;
}

std::string list_text() {
  std::string text = std::string(protocol::kBenchmarkListStart) + "\n";
  for (const Benchmark& one : registry()) {
    text += one.name;
    for (const Axis& axis : one.axes) {
      text += "\t" + axis.name + "=" + joined(axis.values, ",", [](const std::vector<std::int64_t>& value) {
                return joined(value, "/", [](std::int64_t number) { return std::to_string(number); });
              });
    }
    if (one.threads != std::vector{1})
      text += "\t@threads=" + joined(one.threads, ",", [](int threads) { return std::to_string(threads); });
    text += "\n";
  }
  return text;
}

}  // namespace tally::embedded
