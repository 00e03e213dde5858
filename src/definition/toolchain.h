/// How snippets are built and hosted: plain data, from a toolchain that every suite knows or from a suite's own
/// [toolchain.NAME].
///
/// Owns the type. Both kinds are written in one language, which read_toolchain.h reads; texts with ${names} are filled
/// in by expansion and by before_setup(). Never runs anything: whether a compiler works or an interpreter has the
/// modules is found out by build and execution.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_rule.h"
#include "definition/language.h"

namespace tally {

/// The same thing stated in both languages; either may be empty.
struct PerLanguage {
  std::string py = {};
  std::string cpp = {};
  [[nodiscard]] const std::string& in(Language language) const { return language == Language::cpp ? cpp : py; }
  friend bool operator==(const PerLanguage&, const PerLanguage&) = default;
};

/// A way of its own to run what Python has written, such as a scripted model: Python makes a file once, the setup of
/// each case loads it, and a call of it is measured. A language without `call` has no such cases.
struct ScriptedRuntime {
  std::string name;       ///< The word for it in suites and ids: "torchscript".
  std::string file;       ///< What the file is called: "model_${digest}.pt".
  std::string statement;  ///< Python that makes it of a statement: ${imports}, ${threads}, Python's ${setup},
                          ///< ${arguments}, ${statement}, ${result}.
  std::string model;      ///< Python that makes it of what defines `model`: ${imports}, ${threads}, ${setup}, ${model}.
  PerLanguage save;       ///< Python that comes after either and writes the ${file} that the language loads, which may
                          ///< be of the ${arguments}.
  PerLanguage load;       ///< Setup: ${model}, ${file}, and ${call} to warm it up.
  PerLanguage call;       ///< What is measured: ${assign}, ${arguments}.
  PerLanguage typed_call;  ///< The same where the result must have a type of its own; empty: `call` does.
  /// What a backward pass adds, where the toolchain's does not do. A language that it leaves out has no such cases.
  std::optional<PerLanguage> backward;
  std::string global_setup;  ///< C++ at file scope.
  std::string warm_up;  ///< Python that a host runs after the toolchain's own; with it, Python's cases have hosts of
                        ///< their own, so that others are counted without what it loads.
  friend bool operator==(const ScriptedRuntime&, const ScriptedRuntime&) = default;
};

/// What a language's counts have that is not the statement's.
struct NoiseRule {
  Language language = Language::python;
  FunctionRule rule;
  friend bool operator==(const NoiseRule&, const NoiseRule&) = default;
};

/// A program in Python that is the host of its own cases: what a framework collects of these paths.
struct PythonProgram {
  std::string framework;           ///< "pytest": a name of definition/frameworks.h.
  std::vector<std::string> paths;  ///< What it is given, as from `folder`.
  std::string folder;              ///< Where it runs, absolute.
  // What it loads to list its benchmarks. No part of what a case is.
  std::map<std::string, std::string> own;                    ///< The project's own files, by their names in it.
  std::map<std::string, std::vector<std::string>> packages;  ///< Installed ones, "numpy 2.1.0", and their files.
  std::vector<std::string> loaded;                           ///< All files, the interpreter's too.
  friend bool operator==(const PythonProgram&, const PythonProgram&) = default;
};

/// A benchmark program, which lists and hosts its own cases: they are built already.
struct OwnHost {
  std::string executable;  ///< Absolute; empty: it is in Python, or there is none.
  std::string preload;     ///< Put before the libraries of one that cannot serve by itself: tally's, absolute.
  std::optional<PythonProgram> python;  ///< Run by one of the interpreters of its toolchain.
  std::vector<std::string> args;        ///< It gets these whenever it is started, before tally's own.
  friend bool operator==(const OwnHost&, const OwnHost&) = default;
};

/// What C++ is compiled, linked and loaded with.
struct CppSide {
  std::vector<std::string> compilers;  ///< Candidates; the first that works is used. In suites `cxx`.
  std::vector<std::string> flags;      ///< Of the compiler.
  std::vector<std::string> include;    ///< Folders, absolute.
  std::vector<std::string> link;       ///< Linker inputs: absolute paths or "-lname".
  std::vector<std::string> prelude;    ///< Headers included before every snippet, precompiled once: "torch/torch.h".
  std::vector<std::string> preload;    ///< Shared libraries that the host opens before it forks: paths or sonames.
  friend bool operator==(const CppSide&, const CppSide&) = default;
};

/// The interpreter, and what it runs where nothing is measured.
struct PythonSide {
  std::vector<std::string> interpreters;  ///< Candidates; the first that has `modules` is used. In suites `python`.
  std::vector<std::string> modules;       ///< The host imports these before it forks. In suites `requires`.
  std::string discover;        ///< Run where these are imported: what C++ needs to be built against the same libraries.
  std::string artifact_setup;  ///< Run once before the scripts of runtimes: how their files are written. No part of
                               ///< what a case is.
  friend bool operator==(const PythonSide&, const PythonSide&) = default;
};

/// What hosts and cases run besides a case's own code.
struct CaseTexts {
  PerLanguage seed;           ///< Seeds the generators of what is measured.
  PerLanguage set_threads;    ///< Sets the thread count; ${threads} is replaced.
  PerLanguage before_region;  ///< Runs before every region, not measured.
  PerLanguage warm_up;  ///< Representative code the host runs before it forks, so that children inherit translations.
  PerLanguage model_call;  ///< What is measured of a model: ${assign}, ${arguments}.
  PerLanguage backward;    ///< What a backward pass adds to a statement: ${result}.
  friend bool operator==(const CaseTexts&, const CaseTexts&) = default;
};

/// How cases work on devices, and how others do without.
struct DeviceSide {
  PerLanguage identify;  ///< Returns which device a case works on; in suites `device`.
  PerLanguage sync;      ///< Ends every region, measured: waits for a device. With `identify`, of such cases only.
  /// Of cases on a device, where nothing is counted: a function of 3 (the device is warmed up next), and around each
  /// region of 0 (it begins), 1 (it ends; the wait comes) and 2 (the wait is over), which then returns the seconds that
  /// the device took by a clock of its own. In suites `device_observer`.
  PerLanguage observer;
  /// Of cases that name a device: a function that writes over the device's cache and returns how many bytes that are.
  /// In suites `device_flush`.
  PerLanguage flush;
  /// Likewise: which settings of the process its work follows from. In suites `device_settings`.
  PerLanguage settings;
  /// The files of drivers, which hosts of cases on no device do not find (protocol/hidden_drivers.h).
  std::vector<std::string> drivers;
  friend bool operator==(const DeviceSide&, const DeviceSide&) = default;
};

struct Toolchain {
  std::string name;
  CppSide cpp;
  PythonSide python;
  /// Of hosts, and of processes that import the modules; the user's own variables come before these.
  std::map<std::string, std::string> environment;
  CaseTexts texts;
  DeviceSide device;
  std::vector<ScriptedRuntime> runtimes;  ///< Besides eager, which needs no word.
  std::vector<std::string> subject;  ///< What is being measured, of the files that hosts map: paths or names with '*'.
  std::vector<NoiseRule> noise;
  std::string lacking_instructions;  ///< What to do where a counted case needs some that Valgrind lacks. Its failure
                                     ///< ends with this text.
  OwnHost own_host;                  ///< Nothing in it: tally hosts the cases.
  friend bool operator==(const Toolchain&, const Toolchain&) = default;
};

/// Whether its cases are those of a program that lists and hosts them itself.
bool is_own_host(const Toolchain& toolchain);

/// The runtime of this name, or null.
const ScriptedRuntime* find_runtime(const Toolchain& toolchain, std::string_view name);

/// The noise of a toolchain's cases in a language, for denoise().
std::vector<FunctionRule> noise_rules(const Toolchain& toolchain, Language language);

/// Code of a toolchain's own, under the name of its key.
struct ToolchainCode {
  std::string_view key;  ///< "seed", "set_threads".
  std::string text;
};

/// What every case runs before its setup, in this order: the seed, so that each run sees the same random numbers, and
/// the thread count. Empty texts are left out.
std::vector<ToolchainCode> before_setup(const CaseTexts& texts, Language language, int threads);

}  // namespace tally
