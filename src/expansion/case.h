/// One executable variant of a benchmark: what the rest of the system runs, measures and reports. Plain data.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "definition/command.h"
#include "definition/language.h"
#include "definition/settings.h"
#include "definition/snippet.h"

namespace tally {

enum class Autograd { forward, forward_backward, explicit_case };

std::string_view to_string(Autograd autograd);  // "forward", "forward_backward", "explicit"

/// A file that a case loads, such as a scripted model: made once per benchmark by running `script` in plain Python in a
/// folder where it leaves the file `name`. A case's setup loads it by that relative name, so that no path of ours
/// reaches its heap.
struct Artifact {
  std::string name;    ///< "model_<digest>.pt", of constant length for its runtime.
  std::string digest;  ///< Of `script` and of nothing else; the cache adds the identity of the toolchain.
  Code script;         ///< Python text ending with the save.
};

struct Case {
  std::string id;  ///< Unique in a suite, stable: "label/parts [language axis…]", see case_id.h.
  std::vector<std::string> label;
  Language language = Language::cpp;
  std::string runtime = "eager";  ///< "explicit" of a timer, or one that the toolchain names: "torchscript".
  Autograd autograd = Autograd::forward;
  int threads = 1;
  std::string device;  ///< "cpu", or the kind of device that it runs on. Empty: its text says where it does.
  std::vector<std::pair<std::string, std::string>> params;
  std::vector<std::string> tags;
  std::string toolchain;  ///< A name in the suite's toolchains.
  Code stmt;
  Code setup;
  Code load;                           ///< Python only: brings values before the setup, in names of its own.
  Code global_setup;                   ///< C++ only: file scope.
  std::vector<std::string> results;    ///< Variables that hold what the statement leaves, by its signature: the result
                                       ///< and, after a backward pass, the arguments. Empty where it has none.
  std::optional<CommandLine> command;  ///< It is a whole command; `stmt` is its text.
  std::optional<Artifact> artifact;
  bool reports = false;      ///< It is neither counted nor timed: its function reports a figure, and is executed once.
  std::string host_runtime;  ///< Its runtime where that has hosts of its own: what they load is not for other cases.
  CaseSettings settings;
  std::string digest;  ///< Of the definition: language, stmt, setup, global_setup, artifact, threads, toolchain.
};

}  // namespace tally
