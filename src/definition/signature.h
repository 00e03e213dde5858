/// A signature says which setup variables a statement or model takes and which variable it leaves: "f(a, b) -> c".
///
/// It describes a call; it carries no types. TorchScript takes every argument as a Tensor.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "definition/snippet.h"

namespace tally {

struct Signature {
  std::vector<std::string> arguments;
  std::string result;  ///< Empty for "-> None".
};

/// Errors are of the user's making and state the right form.
Result<Signature> parse_signature(const Snippet& text);

}  // namespace tally
