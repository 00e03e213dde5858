#include "expansion/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/contains.h"
#include "base/digest.h"
#include "definition/benchmark_rules.h"
#include "expansion/case_id.h"
#include "expansion/scripted.h"
#include "expansion/substitute.h"

namespace tally {
namespace {

/// More than anybody means; a product of parameters grows quickly.
constexpr std::size_t kMaxCases = 100000;

/// Every combination of the parameters' values; the first varies slowest.
Result<std::vector<ParamValues>> combinations(const auto& b) {
  std::vector<ParamValues> result = {{}};
  for (const Param& param : b.params) {
    if (result.size() * param.values.size() > kMaxCases) {
      return fail(ErrorKind::input, fmt::format("the parameters give more than {} combinations", kMaxCases),
                  place_of(param.at, b.at, b.label), "give fewer values");
    }
    std::vector<ParamValues> longer;
    for (const ParamValues& values : result) {
      for (const std::string& value : param.values) {
        longer.push_back(values);
        longer.back().emplace_back(param.name, value);
      }
    }
    result = std::move(longer);
  }
  return result;
}

void append(Code& code, const Snippet& part) {
  if (!part.text.empty()) code.parts.push_back(part);
}

constexpr std::string_view kDevice = "device";

/// A benchmark with its parameters put in, and the device that it runs on, where it names any.
Result<Benchmark> with_params(const Benchmark& b, ParamValues params, const std::string& device) {
  Benchmark result = b;
  if (!device.empty()) {
    result.options.devices = {device};
    params.emplace_back(kDevice, device);
  }
  const std::string where = place_of({}, b.at, b.label);
  std::vector<Snippet*> texts = {&result.py, &result.cpp, &result.py_model, &result.cpp_model};
  for (Setup& setup : result.setup) texts.insert(texts.end(), {&setup.py, &setup.cpp, &setup.cpp_global});
  for (Snippet* text : texts) {
    Result<Snippet> done = substitute(*text, params, where);
    if (!done) return std::unexpected(done.error());
    *text = std::move(*done);
  }
  for (std::string& part : result.label) {
    Result<Snippet> done = substitute({part, {}}, params, place_of(b.at.label, b.at, b.label));
    if (!done) return std::unexpected(done.error());
    part = std::move(done->text);
  }
  if (Status ok = check_label(result.label, b.at); !ok) return std::unexpected(ok.error());
  return result;
}

std::string toolchain_name(const Options& options, Language language) {
  return options.toolchain.empty() ? std::string(to_string(language)) : options.toolchain;
}

/// Of a name that the suite has checked.
const Toolchain& toolchain_of(const Suite& suite, std::string_view name) {
  return *std::ranges::find(suite.toolchains(), name, &Toolchain::name);
}

/// As one text, placed where it begins.
Snippet joined(const Code& code) { return {code.text(), code.empty() ? SourcePosition() : code.parts.front().at}; }

/// The cases of one benchmark whose parameters are put in.
class Variations {
 public:
  Variations(const Suite& suite, const Benchmark& benchmark, const ParamValues& params)
      : b_(benchmark),
        params_(params),
        python_(toolchain_of(suite, toolchain_name(benchmark.options, Language::python))),
        cpp_(toolchain_of(suite, toolchain_name(benchmark.options, Language::cpp))) {
    if (!b_.signature.text.empty()) signature_ = *parse_signature(b_.signature);
    for (const WantedRuntime& wanted : b_.runtimes) runtimes_.push_back(find_runtime(python_, wanted.name));
  }

  void add_to(std::vector<Case>& cases) const {
    for (Language language : {Language::python, Language::cpp}) {
      const bool python = language == Language::python;
      const bool stated =
          !(python ? b_.py : b_.cpp).text.empty() || !(python ? b_.py_model : b_.cpp_model).text.empty();
      if (!stated && !loads_what_python_scripts(language)) continue;
      if (stated) add_directions(cases, language, nullptr);
      for (const ScriptedRuntime* runtime : runtimes_) {
        if (!runtime->call.in(language).empty()) add_directions(cases, language, runtime);
      }
    }
  }

 private:
  /// C++ needs no model of its own to call one that Python has scripted: its setup makes the arguments.
  [[nodiscard]] bool loads_what_python_scripts(Language language) const {
    return language == Language::cpp && !b_.py_model.text.empty() &&
           std::ranges::any_of(b_.setup, [](const Setup& setup) { return !setup.cpp.text.empty(); });
  }

  /// Of one runtime, null for eager: forward, and forward + backward.
  void add_directions(std::vector<Case>& cases, Language language, const ScriptedRuntime* runtime) const {
    for (Autograd autograd : {Autograd::forward, Autograd::forward_backward}) {
      if (autograd == Autograd::forward_backward && !has_backward(language, runtime)) continue;
      for (int threads : b_.options.threads) {
        Case made = base(language);
        made.autograd = autograd;
        made.results = results(autograd);
        made.threads = threads;
        if (runtime == nullptr) {
          make_eager(made);
        } else {
          make_scripted(made, *runtime);
        }
        cases.push_back(std::move(made));
      }
    }
  }

  [[nodiscard]] const Toolchain& toolchain(Language language) const {
    return language == Language::python ? python_ : cpp_;
  }

  [[nodiscard]] bool has_backward(Language language, const ScriptedRuntime* runtime) const {
    return b_.autograd && !backward_call(toolchain(language).texts, runtime, language, signature_).text.empty();
  }

  [[nodiscard]] Case base(Language language) const {
    Case made;
    made.label = b_.label;
    made.language = language;
    made.params = params_;
    made.tags = b_.options.tags;
    made.toolchain = toolchain_name(b_.options, language);
    made.settings = b_.options.settings;
    if (!b_.options.devices.empty()) made.device = b_.options.devices.front();
    for (const Setup& setup : b_.setup) {
      append(made.setup, language == Language::python ? setup.py : setup.cpp);
      if (language == Language::cpp) append(made.global_setup, setup.cpp_global);
    }
    return made;
  }

  void make_eager(Case& made) const {
    const bool python = made.language == Language::python;
    append(made.stmt, python ? b_.py : b_.cpp);
    append(made.setup, python ? b_.py_model : b_.cpp_model);
    if (made.stmt.empty()) append(made.stmt, model_call(toolchain(made.language).texts, made.language, signature_));
    if (made.autograd != Autograd::forward_backward) return;
    append(made.stmt, backward_call(toolchain(made.language).texts, nullptr, made.language, signature_));
  }

  /// A backward pass leaves gradients in the arguments.
  [[nodiscard]] std::vector<std::string> results(Autograd autograd) const {
    std::vector<std::string> names;
    if (!signature_.result.empty()) names.push_back(signature_.result);
    if (autograd != Autograd::forward_backward) return names;
    for (const std::string& argument : signature_.arguments) {
      if (argument != signature_.result) names.push_back(argument);
    }
    return names;
  }

  void make_scripted(Case& made, const ScriptedRuntime& runtime) const {
    const bool python = made.language == Language::python;
    const bool is_model = b_.py.text.empty();
    const Code setup = python ? made.setup : base(Language::python).setup;
    made.runtime = runtime.name;
    if (python && !runtime.warm_up.empty()) made.host_runtime = runtime.name;
    made.artifact = make_artifact(python_.python.modules, runtime,
                                  {.language = made.language,
                                   .signature = signature_,
                                   .text = is_model ? b_.py_model : b_.py,
                                   .is_model = is_model,
                                   .setup = joined(setup),
                                   .threads = made.threads});
    if (!python) append(made.global_setup, {runtime.global_setup, {}});
    const CallSpec spec{made.language, signature_, made.autograd == Autograd::forward_backward};
    const Snippet call = scripted_call(toolchain(made.language).texts, runtime, spec);
    for (const Snippet& part :
         scripted_load(runtime, made.language, *made.artifact, call, python ? b_.py_model : b_.cpp_model).parts)
      append(made.setup, part);
    append(made.stmt, call);
  }

  const Benchmark& b_;
  const ParamValues& params_;
  const Toolchain& python_;
  const Toolchain& cpp_;
  std::vector<const ScriptedRuntime*> runtimes_;
  Signature signature_;
};

Case explicit_case(const Timer& timer) {
  Case made;
  made.label = timer.label;
  made.language = timer.language;
  made.runtime = "explicit";
  made.autograd = Autograd::explicit_case;
  made.threads = timer.options.threads.front();
  if (!timer.options.devices.empty()) made.device = timer.options.devices.front();
  made.params = timer.params;
  made.reports = timer.reports;
  made.tags = timer.options.tags;
  made.toolchain = toolchain_name(timer.options, timer.language);
  made.settings = timer.options.settings;
  append(made.stmt, timer.stmt);
  append(made.setup, timer.setup);
  append(made.load, timer.load);
  append(made.global_setup, timer.global_setup);
  return made;
}

/// Its texts with the parameters' values.
Result<CommandLine> with_params(const CommandLine& line, const ParamValues& params, const std::string& where) {
  CommandLine made = line;
  std::vector<std::string*> texts = {&made.prepare, &made.setup, &made.cleanup, &made.input, &made.output};
  for (std::string& file : made.files) texts.push_back(&file);
  for (std::string& argument : made.run) texts.push_back(&argument);
  for (auto& [name, value] : made.environment) texts.push_back(&value);
  for (std::string* text : texts) {
    Result<Snippet> done = substitute({*text, {}}, params, where);
    if (!done) return std::unexpected(done.error());
    *text = std::move(done->text);
  }
  return made;
}

Status expand_command(const Command& command, std::vector<Case>& cases) {
  const Result<std::vector<ParamValues>> all = combinations(command);
  if (!all) return std::unexpected(all.error());
  const std::string where = place_of({}, command.at, command.label);
  for (const ParamValues& params : *all) {
    // Without parameters a shell's own ${…} stays what it is.
    Result<CommandLine> line = params.empty() ? command.line : with_params(command.line, params, where);
    if (!line) return std::unexpected(line.error());
    Case made;
    for (const std::string& part : command.label) {
      Result<Snippet> done = substitute({part, {}}, params, where);
      if (!done) return std::unexpected(done.error());
      made.label.push_back(std::move(done->text));
    }
    if (Status ok = check_label(made.label, command.at); !ok) return ok;
    made.language = Language::command;
    made.runtime = "explicit";
    made.autograd = Autograd::explicit_case;
    made.params = params;
    made.tags = command.options.tags;
    made.toolchain = kCommandToolchain;
    made.settings = command.options.settings;
    append(made.stmt, {text_of(*line), command.at.definition});
    append(made.setup, {line->prepare, command.at.definition});
    made.command = *std::move(line);
    cases.push_back(std::move(made));
  }
  return {};
}

/// Arguments of pytest, or of asv, without those that say which tests are meant: a test's definition is the same
/// without the others.
std::vector<std::string> without_selection(const std::vector<std::string>& arguments) {
  constexpr auto kSelects =
      std::to_array<std::string_view>({"-k", "-m", "--deselect", "--ignore", "--ignore-glob", "-b", "--bench"});
  std::vector<std::string> left;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view one = arguments[i];
    if (contains(kSelects, one)) {
      ++i;  // with its value
      continue;
    }
    const bool joined = std::ranges::any_of(kSelects, [&](std::string_view option) {
      const bool is_long = option.starts_with("--");
      return one.starts_with(option) && one.size() > option.size() && (!is_long || one[option.size()] == '=');
    });
    if (!joined) left.emplace_back(one);
  }
  return left;
}

/// Names and paths of files stay out: the same definition has one digest on every machine.
std::string definition_digest(const Case& one, const Toolchain& toolchain) {
  const bool cpp = one.language == Language::cpp;
  std::string flags;
  for (const std::string& flag : toolchain.cpp.flags) flags += flag + "\n";
  const auto said = [&](const PerLanguage& code) -> const std::string& { return code.in(one.language); };
  Digest digest;
  digest.add(to_string(one.language)).add(one.stmt.text()).add(one.setup.text()).add(one.global_setup.text());
  if (!one.load.empty()) digest.add("load").add(one.load.text());
  digest.add(one.artifact ? one.artifact->digest : "").add(fmt::format("{}", one.threads));
  digest.add(toolchain.name).add(cpp ? flags : "");
  digest.add(said(toolchain.texts.set_threads)).add(said(toolchain.texts.before_region));
  // A wait for cases on a device only is no part of all the others, whose digests records hold from before it came.
  digest.add(said(toolchain.device.identify).empty() ? said(toolchain.device.sync) : "");
  // A toolchain without one keeps the digests that records hold from before there was a seed.
  if (!said(toolchain.texts.seed).empty()) digest.add(said(toolchain.texts.seed));
  if (!one.device.empty()) digest.add(kDevice).add(one.device);
  if (one.settings.flush == Flush::l2) digest.add("flush").add("l2");
  if (one.command) {
    digest.add(one.command->input.empty() ? "" : "input").add(one.command->output == "null" ? "" : "output");
    for (const int status : one.command->expected) digest.add(fmt::format("{}", status));
    for (const auto& [name, value] : one.command->environment) digest.add(name).add(value);
    if (one.command->output == "pipe" || one.command->output == "inherit") digest.add(one.command->output);
    if (!one.command->setup.empty()) digest.add("setup").add(one.command->setup);
    if (one.command->own_numbers) digest.add("own_process_numbers");
    if (one.command->private_tmp) digest.add("private_tmp");
    for (const std::string& file : one.command->files) digest.add("file").add(name_in_own_folder(*one.command, file));
  }
  if (toolchain.own_host.python) {
    digest.add(toolchain.own_host.python->framework);
    for (const std::string& argument : without_selection(toolchain.own_host.args)) digest.add(argument);
    return digest.hex();
  }
  for (const std::string& argument : toolchain.own_host.args) digest.add(argument);
  return digest.hex();
}

Status expand_benchmark(const Suite& suite, const Benchmark& benchmark, std::vector<Case>& cases) {
  const Result<std::vector<ParamValues>> all = combinations(benchmark);
  if (!all) return std::unexpected(all.error());
  const std::vector<std::string> anywhere = {""};
  const std::vector<std::string>& devices = benchmark.options.devices.empty() ? anywhere : benchmark.options.devices;
  for (const ParamValues& params : *all) {
    for (const std::string& device : devices) {
      const Result<Benchmark> concrete = with_params(benchmark, params, device);
      if (!concrete) return std::unexpected(concrete.error());
      Variations(suite, *concrete, params).add_to(cases);
      if (cases.size() > kMaxCases) {
        return fail(ErrorKind::input, fmt::format("the suite gives more than {} cases", kMaxCases),
                    place_of({}, benchmark.at, benchmark.label), "give fewer parameters or split the suite");
      }
    }
  }
  return {};
}

}  // namespace

Result<std::vector<Case>> expand(const Suite& suite) {
  std::vector<Case> cases;
  std::map<std::string, std::string> places;
  for (const SuiteEntry& definition : suite.definitions()) {
    const std::size_t first = cases.size();
    if (const auto* benchmark = std::get_if<Benchmark>(&definition)) {
      if (Status ok = expand_benchmark(suite, *benchmark, cases); !ok) return std::unexpected(ok.error());
    } else if (const auto* command = std::get_if<Command>(&definition)) {
      if (Status ok = expand_command(*command, cases); !ok) return std::unexpected(ok.error());
    } else {
      cases.push_back(explicit_case(std::get<Timer>(definition)));
    }
    const Places& at = std::visit([](const auto& one) -> const Places& { return one.at; }, definition);
    for (std::size_t i = first; i < cases.size(); ++i) {
      Case& made = cases[i];
      const Toolchain& toolchain = toolchain_of(suite, made.toolchain);
      made.digest = definition_digest(made, toolchain);
      const auto* const timer = std::get_if<Timer>(&definition);
      const bool has_name = timer != nullptr && !timer->name.empty();
      made.id = toolchain.own_host.python ? make_framework_id(has_name ? timer->name : made.label) : make_case_id(made);
      const auto [other, added] = places.try_emplace(made.id, place_of(at.label, at, made.label));
      if (added) continue;
      return fail(ErrorKind::input, fmt::format("two definitions give the case '{}'", made.id),
                  place_of(at.label, at, made.label), fmt::format("change the label here or at {}", other->second));
    }
  }
  return cases;
}

}  // namespace tally
