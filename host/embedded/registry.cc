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

/// Whether a case has these arguments, which are as many as it has. Allocates nothing: a case child asks it.
bool has_case(const Benchmark& benchmark, const std::int64_t* args) {
  return std::all_of(benchmark.axes.begin(), benchmark.axes.end(), [&](const Axis& axis) {
    const std::int64_t* const of_axis = args;
    args += axis.values.front().size();
    return std::any_of(axis.values.begin(), axis.values.end(),
                       [&](const auto& value) { return std::equal(value.begin(), value.end(), of_axis); });
  });
}

/// The arguments of the case with this symbol.
std::optional<std::vector<std::int64_t>> args_of(const Benchmark& benchmark, std::string_view symbol) {
  if (symbol.substr(0, benchmark.name.size()) != benchmark.name) return std::nullopt;
  auto args = read_args(symbol.substr(benchmark.name.size()), argument_count(benchmark));
  return args && has_case(benchmark, args->data()) ? args : std::nullopt;
}

/// "f" and "f/1".
bool is_below(std::string_view longer, std::string_view name) {
  return longer.size() > name.size() && longer[name.size()] == '/' && longer.substr(0, name.size()) == name;
}

/// The symbols of all its cases.
std::vector<std::string> symbols_of(const Benchmark& benchmark) {
  std::vector<std::string> all = {benchmark.name};
  for (const Axis& axis : benchmark.axes) {
    std::vector<std::string> longer;
    for (const std::string& symbol : all) {
      for (const std::vector<std::int64_t>& value : axis.values) {
        longer.push_back(symbol);
        for (const std::int64_t number : value) longer.back() += "/" + std::to_string(number);
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// Whether one of them has the name of the other, or a case that its symbol does not distinguish from one of the other:
/// of "f" with 1 and of "f/1" without arguments.
bool excludes(const Benchmark& one, const Benchmark& other) {
  if (one.name == other.name) return true;
  if (!is_below(one.name, other.name) && !is_below(other.name, one.name)) return false;
  const std::vector<std::string> symbols = symbols_of(one);
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](const std::string& symbol) { return args_of(other, symbol).has_value(); });
}

bool is_taken(const Benchmark& benchmark) {
  const std::vector<Benchmark>& all = registry();
  return std::any_of(all.begin(), all.end(), [&](const Benchmark& one) { return excludes(benchmark, one); });
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

void make_allowed(std::string& name) {
  for (char& c : name) {
    if ((c >= 0 && c < ' ') || c == 127) c = ' ';
  }
  name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
  name.erase(name.find_last_not_of(' ') + 1);
  for (std::size_t at = name.find("${"); at != std::string::npos; at = name.find("${")) name.erase(at, 1);
  if (name.empty()) name = "unnamed";
}

void add(Benchmark benchmark) {
  const std::string& name = benchmark.name;
  const bool strange = std::any_of(name.begin(), name.end(), [](char c) { return c >= 0 && c < ' '; });
  if (name.empty() || strange || name.find("${") != std::string::npos)
    refuse(name, "cannot have this name: it is empty, or has a control character or '${'");
  if (std::any_of(benchmark.axes.begin(), benchmark.axes.end(), [](const Axis& axis) { return axis.values.empty(); }))
    refuse(name, "has an argument without values");
  if (is_taken(benchmark)) refuse(name, "is defined twice: give one of them another name");
  if (benchmark.threads.empty() ||
      std::any_of(benchmark.threads.begin(), benchmark.threads.end(), [](int threads) { return threads < 1; }))
    refuse(name, "has a number of threads below 1");
  registry().push_back(std::move(benchmark));
}

const std::string& add_foreign(Benchmark benchmark, int nth) {
  make_allowed(benchmark.name);
  if (nth > 1 || is_taken(benchmark)) {
    const std::string start = benchmark.name + "#";
    nth = std::max(nth, 2);
    do benchmark.name = start + std::to_string(nth++);
    while (is_taken(benchmark));
  }
  registry().push_back(std::move(benchmark));
  return registry().back().name;
}

std::optional<Chosen> find_case(std::string_view symbol) {
  for (const Benchmark& one : registry()) {
    if (auto args = args_of(one, symbol)) return Chosen{&one, *std::move(args)};
  }
  return std::nullopt;
}

void add_call(std::string& name, int call) {
  if (call > 1) name.append(kOfFurtherCall).append(std::to_string(call)).append(")");
}

std::string list_text(std::optional<std::size_t> written) {
  std::string text = written ? "" : std::string(protocol::kBenchmarkListStart) + "\n";
  for (std::size_t i = written.value_or(0); i < registry().size(); ++i) {
    const Benchmark& one = registry()[i];
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
