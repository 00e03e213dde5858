#include "definition/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <tuple>

#include "base/contains.h"
#include "base/text.h"
#include "definition/benchmark_rules.h"
#include "definition/builtin_toolchains.h"
#include "definition/lexical.h"
#include "definition/read_toolchain.h"
#include "definition/variants.h"

namespace tally {
namespace {

/// Names of the known things, for "did you mean".
std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  if (const std::string near = nearest(word, views); !near.empty()) return fmt::format("did you mean '{}'?", near);
  return known.empty() ? std::string() : fmt::format("known are {}", join(known, ", "));
}

/// The two may come from different places: a definition's own and the suite's.
Status check_run_time(const CaseSettings& settings, const Places& at, const std::vector<std::string>& label) {
  if (!settings.min_run_time || !settings.max_run_time || *settings.max_run_time >= *settings.min_run_time) return {};
  return fail(ErrorKind::input,
              fmt::format("timing takes at most {} ms and at least {} ms", settings.max_run_time->count(),
                          settings.min_run_time->count()),
              place_of(at.run_time, at, label), "give a max_run_time that is no shorter than min_run_time");
}

template <typename T>
void fill(std::optional<T>& value, const std::optional<T>& fallback) {
  if (!value) value = fallback;
}

/// `fallback` gives what is not set; tags add up.
void fill(Options& options, const Options& fallback) {
  if (options.threads.empty()) options.threads = fallback.threads;
  if (options.devices.empty()) options.devices = fallback.devices;
  if (options.toolchain.empty()) options.toolchain = fallback.toolchain;
  std::vector<std::string> tags = fallback.tags;
  for (const std::string& tag : options.tags) {
    if (!contains(tags, tag)) tags.push_back(tag);
  }
  options.tags = std::move(tags);
  CaseSettings& settings = options.settings;
  fill(settings.timeout, fallback.settings.timeout);
  fill(settings.iterations, fallback.settings.iterations);
  fill(settings.replicates, fallback.settings.replicates);
  fill(settings.min_run_time, fallback.settings.min_run_time);
  fill(settings.max_run_time, fallback.settings.max_run_time);
  fill(settings.precision, fallback.settings.precision);
  fill(settings.memory_bytes, fallback.settings.memory_bytes);
  fill(settings.retries, fallback.settings.retries);
  fill(settings.entropy, fallback.settings.entropy);
  fill(settings.flush, fallback.settings.flush);
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
  return choose_toolchain(toolchains_, name, at);
}

std::vector<std::string> Suite::runtimes() const {
  std::vector<std::string> names;
  for (const Toolchain& toolchain : toolchains_) {
    for (const ScriptedRuntime& runtime : toolchain.runtimes) {
      if (!contains(names, runtime.name)) names.push_back(runtime.name);
    }
  }
  return names;
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
  for (std::size_t i = 0; i < options.devices.size(); ++i) {
    const std::string& device = options.devices[i];
    if (!is_identifier(device)) {
      return fail(ErrorKind::input, fmt::format("'{}' is not a kind of device", device), place(at.devices),
                  "write \"cpu\" or \"cuda\": which of several cards it is, CUDA_VISIBLE_DEVICES says");
    }
    if (contains(options.devices | std::views::take(i), device))
      return fail(ErrorKind::input, fmt::format("devices names {} twice", device), place(at.devices),
                  "name each device once");
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

/// Whether its toolchain, or else the one of this language, can report what a case works on.
Status Suite::check_devices(const Options& options, Language otherwise, const Places& at) const {
  const auto elsewhere = std::ranges::find_if(options.devices, [](const std::string& one) { return one != "cpu"; });
  if (elsewhere == options.devices.end()) return {};
  const std::string name = options.toolchain.empty() ? std::string(to_string(otherwise)) : options.toolchain;
  const Result<Toolchain> chosen = toolchain(name);
  if (chosen && !(chosen->device.identify.py.empty() && chosen->device.identify.cpp.empty())) return {};
  const SourcePosition& place = at.devices.line > 0 ? at.devices : at.definition;
  return fail(ErrorKind::input, fmt::format("toolchain '{}' knows of no devices, and so of no '{}'", name, *elsewhere),
              place.line > 0 ? describe(place) : "",
              "write toolchain = \"torch\", or give your own one a 'device' and a 'sync'");
}

/// A cache that is written over is a device's, and of a toolchain that can do so.
Status Suite::check_flush(const Options& options, Language otherwise, const Places& at) const {
  if (options.settings.flush != Flush::l2) return {};
  const SourcePosition& place = at.flush.line > 0 ? at.flush : at.definition;
  const std::string where = place.line > 0 ? describe(place) : "";
  if (options.devices.empty() || contains(options.devices, "cpu")) {
    return fail(ErrorKind::input, "flush = \"l2\" is for cases that name a device, and this one runs on the CPU", where,
                "name a device alone (device = \"cuda\"), or write flush = \"none\"");
  }
  const std::string name = options.toolchain.empty() ? std::string(to_string(otherwise)) : options.toolchain;
  const Result<Toolchain> chosen = toolchain(name);
  if (chosen && chosen->device.flush != PerLanguage()) return {};
  return fail(ErrorKind::input, fmt::format("toolchain '{}' cannot write over a device's cache", name), where,
              "give it a 'device_flush'");
}

void Suite::apply_defaults(Options& options) const {
  fill(options, defaults_);
  if (options.threads.empty()) options.threads = {1};
}

Status Suite::claim_label(const std::vector<std::string>& label, const std::string& key, const Places& at) {
  const SourcePosition& place = at.label.line > 0 ? at.label : at.definition;
  const auto [entry, added] = labels_.try_emplace(key, place);
  if (added) return {};
  const std::string first = entry->second.line > 0 ? fmt::format(" at {}", describe(entry->second)) : "";
  return fail(ErrorKind::input, fmt::format("label '{}' is used already{}", join(label, "/"), first),
              place_of(at.label, at, label), "choose another label; it names the case for good");
}

/// Whether the toolchain has what the variants need. Known are its name and every text.
Status Suite::check_variants(const Benchmark& benchmark) const {
  const std::string& name = benchmark.options.toolchain;
  const Toolchain chosen = *toolchain(name.empty() ? "python" : name);
  for (const WantedRuntime& wanted : benchmark.runtimes) {
    if (find_runtime(chosen, wanted.name) != nullptr) continue;
    std::vector<std::string> having;
    for (const Toolchain& one : toolchains_) {
      if (find_runtime(one, wanted.name) != nullptr) having.push_back(fmt::format("\"{}\"", one.name));
    }
    return fail(ErrorKind::input,
                fmt::format("{} = true, but toolchain '{}' has no such runtime", wanted.name, chosen.name),
                place_of(wanted.at, benchmark.at, benchmark.label),
                having.empty() ? std::string("name a toolchain that has it")
                               : fmt::format("write toolchain = {}, or one that extends it", join(having, " or ")));
  }
  for (const Language language : {Language::python, Language::cpp}) {
    const bool python = language == Language::python;
    const bool is_model = !(python ? benchmark.py_model : benchmark.cpp_model).text.empty();
    if (!is_model && (python ? benchmark.py : benchmark.cpp).text.empty()) continue;
    const Toolchain serving = *toolchain(name.empty() ? std::string(to_string(language)) : name);
    for (const auto& [wanted, text, key] : {std::tuple{is_model, &serving.texts.model_call, "model_call"},
                                            std::tuple{benchmark.autograd, &serving.texts.backward, "backward"}}) {
      if (!wanted || !text->in(language).empty()) continue;
      return fail(ErrorKind::input, fmt::format("toolchain '{}' says no '{}' in this language", serving.name, key),
                  place_of(benchmark.at.toolchain, benchmark.at, benchmark.label),
                  fmt::format("give it {} = {{ {} = '…' }}", key, python ? "py" : "cpp"));
    }
  }
  return {};
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
  if (Status ok = check_devices(benchmark.options, Language::python, benchmark.at); !ok) return ok;
  if (Status ok = check_flush(benchmark.options, Language::python, benchmark.at); !ok) return ok;
  if (Status ok = check_run_time(benchmark.options.settings, benchmark.at, benchmark.label); !ok) return ok;
  if (Status ok = check_variants(benchmark); !ok) return ok;
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
  if (Status ok = check_label(timer.name.empty() ? timer.label : timer.name, timer.at); !ok) return ok;
  for (Snippet* text : {&timer.stmt, &timer.setup, &timer.load, &timer.global_setup}) *text = dedent(std::move(*text));
  const std::string where = place_of({}, timer.at, timer.label);
  if (timer.language == Language::python && !timer.global_setup.text.empty()) {
    return fail(ErrorKind::input,
                fmt::format("a global setup is C++ only, and timer '{}' is in Python", join(timer.label, "/")),
                timer.global_setup.at.line > 0 ? describe(timer.global_setup.at) : where, "move the text to setup");
  }
  if (timer.language == Language::cpp && !timer.load.text.empty()) {
    return fail(ErrorKind::input,
                fmt::format("what loads values is Python only, and timer '{}' is in C++", join(timer.label, "/")),
                timer.load.at.line > 0 ? describe(timer.load.at) : where, "move the text to setup");
  }
  for (const Snippet* text : {&timer.stmt, &timer.setup}) {
    if (timer.language != Language::cpp) break;
    if (Status ok = check_brackets(*text, where); !ok) return ok;
  }
  if (Status ok = check_options(timer.options, timer.at, where); !ok) return ok;
  // Two timers may share a label, one in each language; their ids differ.
  const std::vector<std::string>& name = timer.name.empty() ? timer.label : timer.name;
  const std::string key = fmt::format("{}\n{}\n", join(name, "\n"), to_string(timer.language));
  if (Status ok = claim_label(name, key, timer.at); !ok) return ok;
  if (timer.options.threads.empty()) timer.options.threads = {1};
  apply_defaults(timer.options);
  if (Status ok = check_devices(timer.options, timer.language, timer.at); !ok) return ok;
  if (Status ok = check_flush(timer.options, timer.language, timer.at); !ok) return ok;
  if (Status ok = check_run_time(timer.options.settings, timer.at, timer.label); !ok) return ok;
  definitions_.emplace_back(std::move(timer));
  return {};
}

Status Suite::add(Command command) {
  if (Status ok = check_label(command.label, command.at); !ok) return ok;
  const std::string where = place_of({}, command.at, command.label);
  const auto refuse = [&](const std::string& message, const std::string& hint) {
    return fail(ErrorKind::input, fmt::format("command '{}' {}", join(command.label, "/"), message), where, hint);
  };
  const std::vector<std::string>& run = command.line.run;
  if (run.empty() || run.front().empty())
    return refuse("starts no program", "name one: run = [\"program\", \"argument\"], or tally command -- PROGRAM");
  if (std::ranges::any_of(run, [](const std::string& one) { return one.contains('\0'); }))
    return refuse("has an argument with a null character", "take it out");
  if (!command.options.threads.empty() || !command.options.devices.empty() || !command.options.toolchain.empty())
    return refuse("has no threads, device or toolchain to choose", "leave them out");
  if (Status ok = check_params(command.params, command.at, command.label); !ok) return ok;
  if (command.options.settings.iterations) return refuse("is executed once for each count", "leave iterations out");
  if (Status ok = check_options(command.options, command.at, where); !ok) return ok;
  if (Status ok = claim_label(command.label, join(command.label, "\n") + "\ncommand\n", command.at); !ok) return ok;
  if (!contains(toolchains_, kCommandToolchain, &Toolchain::name)) {
    if (Status ok = add_toolchain(Toolchain{.name = kCommandToolchain}, command.at.definition); !ok) return ok;
  }
  std::vector<std::string> names;
  for (const std::string& file : command.line.files) {
    const std::string name = name_in_own_folder(command.line, file);
    if (contains(names, name)) {
      return fail(ErrorKind::input, fmt::format("two of its files would be called '{}'", name),
                  describe(command.at.definition), "copy the folder that they lie in, or rename one");
    }
    names.push_back(name);
  }
  command.options.toolchain = kCommandToolchain;
  command.options.threads = {1};
  apply_defaults(command.options);
  command.options.devices.clear();
  command.options.settings.flush.reset();
  command.options.settings.iterations = 1;
  if (Status ok = check_run_time(command.options.settings, command.at, command.label); !ok) return ok;
  definitions_.emplace_back(std::move(command));
  return {};
}

Status Suite::add(const Program& program, const Suite& listed) {
  const std::string name = name_of(program);
  const std::string where = place_of({}, program.at, {name});
  if (contains(programs_, name, name_of)) {
    return fail(ErrorKind::input, fmt::format("two programs are called '{}'", name), where,
                "give one of them another name for its ids: name = \"…\"");
  }
  const auto host = std::ranges::find_if(listed.toolchains_, is_own_host);
  if (host == listed.toolchains_.end()) return fail(ErrorKind::internal, "a list of no program's", where);
  Toolchain toolchain = *host;
  toolchain.name = toolchain_of(program);
  toolchain.own_host.args = program.args;
  toolchain.subject.insert(toolchain.subject.end(), program.subject.begin(), program.subject.end());
  toolchain.environment.insert(program.environment.begin(), program.environment.end());
  if (Status ok = add_toolchain(std::move(toolchain), program.at.definition); !ok) return ok;
  for (const SuiteEntry& definition : listed.definitions_) {
    const auto take = [&](auto one) {
      one.at = program.at;
      one.options.toolchain = toolchain_of(program);
      fill(one.options, program.options);
      one.options.settings.flush = Flush::none;
      return add(std::move(one));
    };
    Status added;
    if (const auto* timer = std::get_if<Timer>(&definition); timer != nullptr) {
      added = take(*timer);
    } else if (const auto* listed_one = std::get_if<Benchmark>(&definition); listed_one != nullptr) {
      Benchmark benchmark = *listed_one;
      benchmark.label.front() = name;
      added = take(std::move(benchmark));
    } else if (const auto* command = std::get_if<Command>(&definition); command != nullptr) {
      // It is no affair of the program's host.
      Command one = *command;
      one.at = program.at;
      fill(one.options, program.options);
      one.options.toolchain.clear();
      one.options.threads.clear();
      one.options.devices.clear();
      one.options.settings.iterations.reset();
      added = add(std::move(one));
    }
    if (!added) return added;
  }
  programs_.push_back(program);
  return {};
}

}  // namespace tally
