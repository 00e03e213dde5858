#include "registry.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "protocol/descriptors.h"

namespace tally {

namespace {

[[noreturn]] void refuse(const char* name, const char* why) {
  std::fprintf(stderr, "tallymark: benchmark '%s' %s\n", name, why);
  std::exit(2);
}

}  // namespace

void add_benchmark(const char* name, Function function, Options options) {
  const std::string_view text(name);
  const bool strange = std::any_of(text.begin(), text.end(), [](char c) { return c >= 0 && c < ' '; });
  if (text.empty() || strange || text.find("${") != std::string_view::npos)
    refuse(name, "cannot have this name: it is empty, or has a control character or '${'");
  std::vector<embedded::Registered>& all = embedded::registry();
  if (std::any_of(all.begin(), all.end(), [&](const embedded::Registered& one) { return one.name == text; }))
    refuse(name, "is defined twice: give one of them another name");
  for (std::size_t i = 0; i < options.args.size(); ++i) {
    if (options.args[i].values.empty()) refuse(name, "has an argument without values");
    if (options.args[i].name.empty()) options.args[i].name = "arg" + std::to_string(i);
  }
  all.push_back({std::string(text), function, std::move(options.args)});
}

}  // namespace tally

namespace tally::embedded {

std::vector<Registered>& registry() {
  static std::vector<Registered> all;
  return all;
}

namespace {

/// The values after "name/", as many as the benchmark has arguments.
std::optional<std::vector<long long>> read_args(std::string_view text, std::size_t count) {
  std::vector<long long> values;
  while (!text.empty()) {
    long long value = 0;
    const auto read = std::from_chars(text.data() + 1, text.data() + text.size(), value);
    if (text.front() != '/' || read.ec != std::errc()) return std::nullopt;
    values.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  }
  if (values.size() != count) return std::nullopt;
  return values;
}

}  // namespace

std::optional<Chosen> find_case(std::string_view symbol) {
  for (const Registered& one : registry()) {
    if (symbol.substr(0, one.name.size()) != one.name) continue;
    if (auto values = read_args(symbol.substr(one.name.size()), one.args.size()))
      return Chosen{&one, *std::move(values)};
  }
  return std::nullopt;
}

std::string list_text() {
  std::string text = std::string(protocol::kBenchmarkListStart) + "\n";
  for (const Registered& one : registry()) {
    text += one.name;
    for (const Axis& axis : one.args) {
      text += "\t" + axis.name + "=";
      for (std::size_t i = 0; i < axis.values.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(axis.values[i]);
    }
    text += "\n";
  }
  return text;
}

}  // namespace tally::embedded
