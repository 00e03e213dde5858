#include "expansion/torchscript.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/contains.h"
#include "base/digest.h"
#include "base/text.h"

namespace tally {
namespace {

std::string indented(std::string_view text) {
  std::string result;
  for (std::string_view line : split(text, '\n')) {
    if (!result.empty()) result += '\n';
    if (!line.empty()) result += fmt::format("    {}", line);
  }
  return result;
}

Snippet generated(std::string text) { return {std::move(text), {}}; }

}  // namespace

Artifact make_artifact(const Snippet& text, const Signature& signature, bool is_model,
                       const std::vector<std::string>& modules) {
  Artifact artifact;
  std::string imports = "import torch";
  for (const std::string& module : modules) {
    if (module != "torch") imports += "\nimport " + module;
  }
  // A model's weights come from the generator: the same script gives the same model.
  artifact.script.parts.push_back(generated(imports + "\ntorch.manual_seed(0)"));
  if (is_model) {
    artifact.script.parts.push_back(text);
    artifact.script.parts.push_back(generated("jit_model = torch.jit.script(model)"));
  } else {
    artifact.script.parts.push_back(generated(fmt::format("def f({}):", join(signature.arguments, ", "))));
    Snippet body = text;
    body.text = indented(text.text);
    artifact.script.parts.push_back(std::move(body));
    if (!signature.result.empty()) artifact.script.parts.push_back(generated("    return " + signature.result));
    artifact.script.parts.push_back(generated("jit_model = torch.jit.script(f)"));
  }
  artifact.digest = digest(artifact.script.text());
  artifact.name = fmt::format("model_{}.pt", artifact.digest);
  artifact.script.parts.push_back(generated(fmt::format("torch.jit.save(jit_model, \"{}\")", artifact.name)));
  return artifact;
}

Snippet torchscript_call(Language language, const Signature& signature, bool backward) {
  const std::string arguments = join(signature.arguments, ", ");
  const std::string& result = signature.result;
  if (language == Language::python) {
    std::string text = fmt::format("jit_model({})", arguments);
    if (!result.empty()) text = fmt::format("{} = {}", result, text);
    return generated(backward ? fmt::format("{}\n{}.backward()", text, result) : text);
  }
  std::string text = fmt::format("std::vector<torch::jit::IValue> jit_inputs{{{}}};\n", arguments);
  const std::string call = "jit_model.forward(std::move(jit_inputs))";
  if (result.empty()) return generated(text + call + ";");
  // A result that is also an argument is assigned to; its declaration is the setup's, and it is a tensor.
  const bool assigned = contains(signature.arguments, result);
  text += fmt::format("{}{} = {}{};", assigned ? "" : "auto ", result, call, assigned || backward ? ".toTensor()" : "");
  if (backward) text += fmt::format("\n{}.backward();", result);
  return generated(std::move(text));
}

Snippet torchscript_load(Language language, const Artifact& artifact, const Snippet& call) {
  if (language == Language::python) {
    return generated(
        fmt::format("jit_model = torch.jit.load(\"{}\")\nfor _ in range(3):\n{}", artifact.name, indented(call.text)));
  }
  return generated(fmt::format(
      "auto jit_model = torch::jit::load(\"{}\");\nfor (int jit_warm = 0; jit_warm < 3; ++jit_warm) {{\n{}\n}}",
      artifact.name, indented(call.text)));
}

}  // namespace tally
