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
Snippet model_call(const Toolchain& toolchain, Language language, const Signature& signature);

/// What computes the gradient of the result.
Snippet backward_call(const Toolchain& toolchain, Language language, const Signature& signature);

/// Of a statement as a function of the signature's arguments (`text` is the statement), or of a model (`text` defines
/// `model`; `is_model`). One artifact serves both languages.
Artifact make_artifact(const Toolchain& toolchain, const ScriptedRuntime& runtime, const Snippet& text,
                       const Signature& signature, bool is_model);

/// The measured call of what the setup has loaded.
Snippet scripted_call(const Toolchain& toolchain, const ScriptedRuntime& runtime, const CallSpec& spec);

/// Setup lines: load the file by its relative name, and warm it with the call.
Snippet scripted_load(const ScriptedRuntime& runtime, Language language, const Artifact& artifact, const Snippet& call);

}  // namespace tally
