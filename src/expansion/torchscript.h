/// What TorchScript adds to a benchmark: the script that makes the model, the lines that load it, and the call.
#pragma once

#include "definition/signature.h"
#include "expansion/case.h"

namespace tally {

/// Scripts a statement as a function of the signature's arguments (`text` is the statement), or a model (`text` defines
/// `model`; `is_model`). One artifact serves both languages.
Artifact make_artifact(const Snippet& text, const Signature& signature, bool is_model,
                       const std::vector<std::string>& modules);

/// The measured call of the loaded model, `jit_model`. With `backward`, the result's gradient is computed too.
Snippet torchscript_call(Language language, const Signature& signature, bool backward);

/// Setup lines: load the model by its relative name, and warm it with the call, three times, past the profiling runs of
/// PyTorch's executor.
Snippet torchscript_load(Language language, const Artifact& artifact, const Snippet& call);

}  // namespace tally
