/// What a runtime of a toolchain's adds to a benchmark: the script that makes the file, the setup that loads it, the
/// call.
///
/// The texts are the toolchain's. In them a ${word} is replaced where it stands; a ${block} that is alone on its line
/// takes the line's margin for each of its own lines, and keeps its place in the suite. A line with an empty block is
/// left out, and so is one that names ${result} where the signature returns nothing.
#pragma once

#include "definition/signature.h"
#include "definition/toolchain.h"
#include "expansion/case.h"

namespace tally {

/// A call in the measured part, or in the warm-up of a setup.
struct CallSpec {
  Language language = Language::cpp;
  const Signature& signature;
  bool backward = false;  ///< The result's gradient is computed too.
};

/// Of a model as it is, `model`.
Snippet model_call(const CaseTexts& texts, Language language, const Signature& signature);

/// What computes the gradient of the result: a runtime's own text where it has one (null: eager). Empty: it cannot.
Snippet backward_call(const CaseTexts& texts, const ScriptedRuntime* runtime, Language language,
                      const Signature& signature);

/// What a script is made of besides the runtime's texts, all of it Python.
struct ArtifactSpec {
  Language language = Language::cpp;  ///< Of the cases that load what it makes; often one artifact serves both.
  const Signature& signature;
  const Snippet& text;  ///< A statement, to be a function of the signature's arguments, or what defines `model`.
  bool is_model = false;
  const Snippet& setup;
  int threads = 1;
};

/// `modules`: those that the script imports.
Artifact make_artifact(const std::vector<std::string>& modules, const ScriptedRuntime& runtime,
                       const ArtifactSpec& spec);

/// The measured call of what the setup has loaded.
Snippet scripted_call(const CaseTexts& texts, const ScriptedRuntime& runtime, const CallSpec& spec);

/// Setup lines: load the file by its relative name, and warm it with the call. `model` is what defines it in this
/// language; empty: there is none.
Code scripted_load(const ScriptedRuntime& runtime, Language language, const Artifact& artifact, const Snippet& call,
                   const Snippet& model);

}  // namespace tally
