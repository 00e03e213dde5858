#include "definition/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/contains.h"
#include "base/text.h"
#include "definition/benchmark_rules.h"
#include "definition/lexical.h"
#include "definition/variants.h"

namespace tally {
namespace {

/// Names of the known things, for "did you mean".
std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  if (const std::string near = nearest(word, views); !near.empty()) return fmt::format("did you mean '{}'?", near);
  return known.empty() ? std::string() : fmt::format("known are {}", join(known, ", "));
}

template <typename T>
void fill(std::optional<T>& value, const std::optional<T>& fallback) {
  if (!value) value = fallback;
}

}  // namespace

Setup dedent(Setup setup) {
  return {dedent(std::move(setup.py)), dedent(std::move(setup.cpp)), dedent(std::move(setup.cpp_global))};
}

Suite::Suite() : toolchains_(builtin_toolchains()) {}

Status Suite::set_defaults(Options defaults, const Places& at) {
  if (Status ok = check_options(defaults, at, describe(at.definition)); !ok) return ok;
  defaults_ = std::move(defaults);
  return {};
}

Status Suite::add_toolchain(Toolchain toolchain, const SourcePosition& at) {
  if (!is_identifier(replace_all(toolchain.name, "-", "_"))) {
    return fail(ErrorKind::input, fmt::format("'{}' cannot be the name of a toolchain", toolchain.name), describe(at),
                "use letters, digits, '-' and '_'");
  }
  if (contains(toolchains_, toolchain.name, &Toolchain::name)) {
    return fail(ErrorKind::input, fmt::format("toolchain '{}' exists already", toolchain.name), describe(at),
                fmt::format("choose another name; extends = \"{}\" builds on it", toolchain.name));
  }
  toolchains_.push_back(std::move(toolchain));
  return {};
}

Status Suite::add_setup(const std::string& name, Setup setup, const SourcePosition& at) {
  if (!setups_.try_emplace(name, dedent(std::move(setup))).second) {
    return fail(ErrorKind::input, fmt::format("setup '{}' exists already", name), describe(at), "choose another name");
  }
  return {};
}

Result<Setup> Suite::setup(const std::string& name, const SourcePosition& at) const {
  if (const auto found = setups_.find(name); found != setups_.end()) return found->second;
  std::vector<std::string> names;
  names.reserve(setups_.size());
  for (const auto& [known, value] : setups_) names.push_back(known);
  return fail(ErrorKind::input, fmt::format("unknown setup '{}'", name), describe(at),
              names.empty() ? fmt::format("define it under [setup.{}]", name) : suggestion(name, names));
}

Result<Toolchain> Suite::toolchain(const std::string& name, const SourcePosition& at) const {
  if (const auto found = std::ranges::find(toolchains_, name, &Toolchain::name); found != toolchains_.end())
    return *found;
  std::vector<std::string> names;
  names.reserve(toolchains_.size());
  for (const Toolchain& known : toolchains_) names.push_back(known.name);
  return fail(ErrorKind::input, fmt::format("unknown toolchain '{}'", name), describe(at), suggestion(name, names));
}

Status Suite::check_options(const Options& options, const Places& at, const std::string& where) const {
  const auto place = [&](const SourcePosition& precise) { return precise.line > 0 ? describe(precise) : where; };
  for (std::size_t i = 0; i < options.threads.size(); ++i) {
    const int threads = options.threads[i];
    if (threads < 1 || threads > 4096) {
      return fail(ErrorKind::input, fmt::format("a thread count is positive (and at most 4096), not {}", threads),
                  place(at.threads), "write threads = 1, or threads = [1, 2] for a case with each");
    }
    if (contains(options.threads | std::views::take(i), threads)) {
      return fail(ErrorKind::input, fmt::format("threads names {} twice", threads), place(at.threads),
                  "name each thread count once");
    }
  }
  for (const std::string& tag : options.tags) {
    if (is_identifier(replace_all(replace_all(tag, "-", "_"), ".", "_"))) continue;
    return fail(ErrorKind::input, fmt::format("'{}' cannot be a tag", tag), place(at.tags),
                "use letters, digits, '-', '_' and '.'");
  }
  if (options.toolchain.empty()) return {};
  const Result<Toolchain> known = toolchain(options.toolchain, at.toolchain.line > 0 ? at.toolchain : at.definition);
  if (!known) return std::unexpected(known.error());
  return {};
}

void Suite::apply_defaults(Options& options) const {
  if (options.threads.empty()) options.threads = defaults_.threads;
  if (options.threads.empty()) options.threads = {1};
  if (options.toolchain.empty()) options.toolchain = defaults_.toolchain;
  std::vector<std::string> tags = defaults_.tags;
  for (const std::string& tag : options.tags) {
    if (!contains(tags, tag)) tags.push_back(tag);
  }
  options.tags = std::move(tags);
  CaseSettings& settings = options.settings;
  fill(settings.timeout, defaults_.settings.timeout);
  fill(settings.iterations, defaults_.settings.iterations);
  fill(settings.replicates, defaults_.settings.replicates);
  fill(settings.min_run_time, defaults_.settings.min_run_time);
  fill(settings.memory_bytes, defaults_.settings.memory_bytes);
}

Status Suite::claim_label(const std::vector<std::string>& label, const std::string& key, const Places& at) {
  const SourcePosition& place = at.label.line > 0 ? at.label : at.definition;
  const auto [entry, added] = labels_.try_emplace(key, place);
  if (added) return {};
  const std::string first = entry->second.line > 0 ? fmt::format(" at {}", describe(entry->second)) : "";
  return fail(ErrorKind::input, fmt::format("label '{}' is used already{}", join(label, "/"), first),
              place_of(at.label, at, label), "choose another label; it names the case for good");
}

Status Suite::add(Benchmark benchmark) {
  if (Status ok = check_label(benchmark.label, benchmark.at); !ok) return ok;
  for (Snippet* text : {&benchmark.py, &benchmark.cpp, &benchmark.py_model, &benchmark.cpp_model})
    *text = dedent(std::move(*text));
  for (Setup& setup : benchmark.setup) setup = dedent(std::move(setup));
  if (Status ok = check_benchmark(benchmark); !ok) return ok;
  if (Status ok = check_options(benchmark.options, benchmark.at, place_of({}, benchmark.at, benchmark.label)); !ok)
    return ok;
  if (Status ok = claim_label(benchmark.label, join(benchmark.label, "\n"), benchmark.at); !ok) return ok;
  apply_defaults(benchmark.options);
  const std::string& name = benchmark.options.toolchain;
  if (benchmark.torchscript && !contains(toolchain(name.empty() ? "python" : name)->requires_modules, "torch")) {
    return fail(
        ErrorKind::input,
        fmt::format("torchscript = true, but toolchain '{}' does not require torch", name.empty() ? "python" : name),
        place_of(benchmark.at.torchscript, benchmark.at, benchmark.label),
        "write toolchain = \"torch\", or one that extends it");
  }
  definitions_.emplace_back(std::move(benchmark));
  return {};
}

Status Suite::add(const Variants& variants) {
  if (Status ok = check_label(variants.label, variants.at); !ok) return ok;
  Result<std::vector<Benchmark>> benchmarks = split_variants(variants);
  if (!benchmarks) return std::unexpected(benchmarks.error());
  for (Benchmark& benchmark : *benchmarks) {
    if (Status ok = add(std::move(benchmark)); !ok) return ok;
  }
  return {};
}

Status Suite::add(Timer timer) {
  if (Status ok = check_label(timer.label, timer.at); !ok) return ok;
  for (Snippet* text : {&timer.stmt, &timer.setup, &timer.global_setup}) *text = dedent(std::move(*text));
  const std::string where = place_of({}, timer.at, timer.label);
  if (only_comments(timer.stmt.text, timer.language)) {
    return fail(ErrorKind::input, fmt::format("timer '{}' has no statement", join(timer.label, "/")), where,
                "write stmt = '…'");
  }
  if (timer.language == Language::python && !timer.global_setup.text.empty()) {
    return fail(ErrorKind::input,
                fmt::format("a global setup is C++ only, and timer '{}' is in Python", join(timer.label, "/")),
                timer.global_setup.at.line > 0 ? describe(timer.global_setup.at) : where, "move the text to setup");
  }
  if (Status ok = check_options(timer.options, timer.at, where); !ok) return ok;
  // Two timers may share a label, one in each language; their ids differ.
  const std::string key = fmt::format("{}\n{}\n", join(timer.label, "\n"), to_string(timer.language));
  if (Status ok = claim_label(timer.label, key, timer.at); !ok) return ok;
  if (timer.options.threads.empty()) timer.options.threads = {1};
  apply_defaults(timer.options);
  definitions_.emplace_back(std::move(timer));
  return {};
}

}  // namespace tally
