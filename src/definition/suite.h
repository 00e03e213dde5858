/// A suite of definitions: what the TOML reader fills, and what C++ code may fill directly.
///
///     tally::Suite suite;
///     suite.add(tally::Benchmark{.label = {"sum"}, .cpp = {"tally::keep(std::accumulate(v.begin(), v.end(), 0));"},
///                                .setup = {{.cpp = {"std::vector<int> v(1000, 1);"}}}});
///
/// Owns the rules that a definition must keep; each add() checks them and returns one clear error. Texts are dedented
/// on the way in. Never substitutes parameters and never makes cases: expansion does.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "definition/command.h"
#include "definition/language.h"
#include "definition/options.h"
#include "definition/program.h"
#include "definition/signature.h"
#include "definition/snippet.h"
#include "definition/toolchain.h"

namespace tally {

/// A part without text is absent.
struct Setup {
  Snippet py = {};
  Snippet cpp = {};
  Snippet cpp_global = {};  ///< File scope: includes and helpers.
};

/// ${name} stands for one of the values in every snippet and in the label.
struct Param {
  std::string name = {};
  std::vector<std::string> values = {};
  SourcePosition at = {};
};

/// A runtime of the toolchain's besides eager, for which variants are added: "torchscript".
struct WantedRuntime {
  std::string name = {};
  SourcePosition at = {};
};

/// A statement or a model, from which every variant is derived.
struct Benchmark {
  std::vector<std::string> label = {};
  Snippet py = {};
  Snippet cpp = {};
  bool cpp_is_name = false;  ///< It is not text to compile: a program that is built already lists it.
  Snippet py_model = {};     ///< Defines `model`; the measured call is made from the signature.
  Snippet cpp_model = {};
  std::vector<Setup> setup = {};  ///< In order.
  Snippet signature = {};
  std::vector<WantedRuntime> runtimes = {};
  bool autograd = false;  ///< Adds forward + backward variants.
  std::vector<Param> params = {};
  Options options = {};
  Places at = {};
};

/// Many short benchmarks in one text; see variants.h for the form of the text.
struct Variants {
  std::vector<std::string> label = {};
  Snippet table = {};  ///< Either a side-by-side table …
  Snippet py = {};     ///< … or a block per language.
  Snippet cpp = {};
  std::vector<Setup> setup = {};
  std::vector<Param> params = {};
  Options options = {};
  Places at = {};
};

/// One explicit case; nothing is derived. Or a benchmark that a program in Python has listed.
struct Timer {
  std::vector<std::string> label = {};
  Language language = Language::python;
  Snippet stmt = {};
  Snippet setup = {};
  Snippet load = {};          ///< Python only: brings the values of another process, before the setup.
  Snippet global_setup = {};  ///< C++ only.
  std::vector<std::pair<std::string, std::string>> params = {};  ///< Of a program in Python: names and values.
  std::vector<std::string> name = {};  ///< Likewise: what it is called, in parts; empty: as its label.
  bool reports = false;                ///< Likewise: a figure instead of being counted and timed.
  Options options = {};
  Places at = {};
};

/// A command, in as many cases as its parameters have values together.
struct Command {
  std::vector<std::string> label = {};
  CommandLine line = {};
  std::vector<Param> params = {};
  Options options = {};
  Places at = {};
};

using SuiteEntry = std::variant<Benchmark, Timer, Command>;

class Suite {
 public:
  /// Knows the built-in toolchains.
  Suite();

  /// Apply to what is added afterwards.
  Status set_defaults(Options defaults, const Places& at = {});
  Status add_toolchain(Toolchain toolchain, const SourcePosition& at = {});
  Status add_setup(const std::string& name, Setup setup, const SourcePosition& at = {});
  Status add(Benchmark benchmark);
  Status add(const Variants& variants);
  Status add(Timer timer);
  Status add(Command command);
  /// The benchmarks of a program, as `listed` has them: a suite of nothing else, whose one toolchain with a program is
  /// theirs. A benchmark's own settings win over the program's.
  Status add(const Program& program, const Suite& listed);

  [[nodiscard]] Result<Setup> setup(const std::string& name, const SourcePosition& at = {}) const;
  [[nodiscard]] Result<Toolchain> toolchain(const std::string& name, const SourcePosition& at = {}) const;
  [[nodiscard]] const std::vector<Toolchain>& toolchains() const { return toolchains_; }
  /// In the order of adding.
  [[nodiscard]] const std::vector<Program>& programs() const { return programs_; }
  /// The names of what toolchains have besides eager, each once.
  [[nodiscard]] std::vector<std::string> runtimes() const;
  /// In the order of adding, defaults applied and texts dedented.
  [[nodiscard]] const std::vector<SuiteEntry>& definitions() const { return definitions_; }

 private:
  Status check_options(const Options& options, const Places& at, const std::string& where) const;
  void apply_defaults(Options& options) const;
  [[nodiscard]] Status check_devices(const Options& options, Language otherwise, const Places& at) const;
  [[nodiscard]] Status check_flush(const Options& options, Language otherwise, const Places& at) const;
  [[nodiscard]] Status check_variants(const Benchmark& benchmark) const;
  Status claim_label(const std::vector<std::string>& label, const std::string& key, const Places& at);

  std::vector<Toolchain> toolchains_;
  std::map<std::string, Setup> setups_;
  std::map<std::string, SourcePosition> labels_;
  Options defaults_;
  std::vector<Program> programs_;
  std::vector<SuiteEntry> definitions_;
};

/// Dedents every part.
Setup dedent(Setup setup);

}  // namespace tally
