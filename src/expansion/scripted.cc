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

Snippet model_call(const CaseTexts& texts, Language language, const Signature& signature) {
  return filled(texts.model_call.in(language), call_values(language, signature));
}

Snippet backward_call(const CaseTexts& texts, const ScriptedRuntime* runtime, Language language,
                      const Signature& signature) {
  const bool own = runtime != nullptr && runtime->backward;
  const PerLanguage& text = own ? *runtime->backward : texts.backward;
  return filled(text.in(language), {.words = {{"result", signature.result}}});
}

Artifact make_artifact(const std::vector<std::string>& modules, const ScriptedRuntime& runtime,
                       const ArtifactSpec& spec) {
  std::vector<std::string> imports;
  imports.reserve(modules.size());
  for (const std::string& module : modules) imports.push_back("import " + module);
  const std::string arguments = join(spec.signature.arguments, ", ");
  const TemplateValues values{.words = {{"arguments", arguments},
                                        {"result", spec.signature.result},
                                        {"threads", fmt::format("{}", spec.threads)}},
                              .blocks = {{"imports", {join(imports, "\n"), {}}},
                                         {"setup", spec.setup},
                                         {spec.is_model ? "model" : "statement", spec.text}}};
  Artifact artifact;
  artifact.script = fill(spec.is_model ? runtime.model : runtime.statement, values);
  const std::string& save = runtime.save.in(spec.language);
  // One that both languages load says nothing of how it is written, in digests that records hold.
  artifact.digest = digest(artifact.script.text() + (runtime.save.py == runtime.save.cpp ? "" : save));
  artifact.name = filled(runtime.file, {.words = {{"digest", artifact.digest}}}).text;
  artifact.script.parts.push_back(filled(save, {.words = {{"file", artifact.name}, {"arguments", arguments}}}));
  return artifact;
}

Snippet scripted_call(const CaseTexts& texts, const ScriptedRuntime& runtime, const CallSpec& spec) {
  const std::string& typed = runtime.typed_call.in(spec.language);
  const bool has_type = !spec.signature.result.empty() && (spec.backward || is_declared(spec.signature));
  Snippet call = filled(has_type && !typed.empty() ? typed : runtime.call.in(spec.language),
                        call_values(spec.language, spec.signature));
  if (spec.backward) call.text += "\n" + backward_call(texts, &runtime, spec.language, spec.signature).text;
  return call;
}

Code scripted_load(const ScriptedRuntime& runtime, Language language, const Artifact& artifact, const Snippet& call,
                   const Snippet& model) {
  const Code filled = fill(runtime.load.in(language),
                           {.words = {{"file", artifact.name}}, .blocks = {{"model", model}, {"call", call}}});
  // Each part is parsed for itself, so a loop and the call in it are one.
  Code loaded;
  for (const Snippet& part : filled.parts) {
    const bool continues = !loaded.empty() && loaded.parts.back().at.line == 0 && part.at.line == 0;
    if (continues) {
      loaded.parts.back().text += "\n" + part.text;
    } else {
      loaded.parts.push_back(part);
    }
  }
  return loaded;
}

}  // namespace tally
