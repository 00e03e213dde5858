#include "expansion/scripted.h"

#include <fmt/format.h>

#include "base/contains.h"
#include "base/digest.h"
#include "base/text.h"
#include "expansion/template.h"

namespace tally {
namespace {

/// A result that is an argument too is declared by the setup.
bool is_declared(const Signature& signature) { return contains(signature.arguments, signature.result); }

/// What stands before a call: "y = ", "auto y = ", nothing.
std::string assignment(Language language, const Signature& signature) {
  if (signature.result.empty()) return {};
  const bool declares = language == Language::cpp && !is_declared(signature);
  return fmt::format("{}{} = ", declares ? "auto " : "", signature.result);
}

Snippet filled(const std::string& text, const TemplateValues& values) { return {fill(text, values).text(), {}}; }

TemplateValues call_values(Language language, const Signature& signature) {
  return {.words = {{"assign", assignment(language, signature)}, {"arguments", join(signature.arguments, ", ")}}};
}

}  // namespace

Snippet model_call(const Toolchain& toolchain, Language language, const Signature& signature) {
  return filled(toolchain.model_call.in(language), call_values(language, signature));
}

Snippet backward_call(const Toolchain& toolchain, Language language, const Signature& signature) {
  return filled(toolchain.backward.in(language), {.words = {{"result", signature.result}}});
}

Artifact make_artifact(const Toolchain& toolchain, const ScriptedRuntime& runtime, const Snippet& text,
                       const Signature& signature, bool is_model) {
  std::vector<std::string> imports;
  for (const std::string& module : toolchain.requires_modules) imports.push_back("import " + module);
  const TemplateValues values{
      .words = {{"arguments", join(signature.arguments, ", ")}, {"result", signature.result}},
      .blocks = {{"imports", {join(imports, "\n"), {}}}, {is_model ? "model" : "statement", text}}};
  Artifact artifact;
  artifact.script = fill(is_model ? runtime.model : runtime.statement, values);
  artifact.digest = digest(artifact.script.text());
  artifact.name = filled(runtime.file, {.words = {{"digest", artifact.digest}}}).text;
  artifact.script.parts.push_back(filled(runtime.save, {.words = {{"file", artifact.name}}}));
  return artifact;
}

Snippet scripted_call(const Toolchain& toolchain, const ScriptedRuntime& runtime, const CallSpec& spec) {
  const std::string& typed = runtime.typed_call.in(spec.language);
  const bool has_type = !spec.signature.result.empty() && (spec.backward || is_declared(spec.signature));
  Snippet call = filled(has_type && !typed.empty() ? typed : runtime.call.in(spec.language),
                        call_values(spec.language, spec.signature));
  if (spec.backward) call.text += "\n" + backward_call(toolchain, spec.language, spec.signature).text;
  return call;
}

Snippet scripted_load(const ScriptedRuntime& runtime, Language language, const Artifact& artifact,
                      const Snippet& call) {
  return filled(runtime.load.in(language), {.words = {{"file", artifact.name}}, .blocks = {{"call", call}}});
}

}  // namespace tally
