#include "definition/benchmark_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/contains.h"
#include "base/taken_names.h"
#include "base/text.h"
#include "definition/lexical.h"

namespace tally {
namespace {

Status check_text(const Benchmark& b, const std::string& where) {
  const bool statement = !b.py.text.empty() || !b.cpp.text.empty();
  const bool model = !b.py_model.text.empty() || !b.cpp_model.text.empty();
  if (!statement && !model) {
    return fail(ErrorKind::input, fmt::format("benchmark '{}' has no statement in any language", join(b.label, "/")),
                where, "give it py = '…', cpp = '…', py_model = '…' or cpp_model = '…'");
  }
  if (statement && model) {
    return fail(ErrorKind::input,
                fmt::format("a benchmark is either a statement or a model, and '{}' is both", join(b.label, "/")),
                where, "leave out py and cpp (the call is made from the signature), or py_model and cpp_model");
  }
  for (const auto& [text, language] : {std::pair{b.py, Language::python},
                                       {b.cpp, Language::cpp},
                                       {b.py_model, Language::python},
                                       {b.cpp_model, Language::cpp}}) {
    if (b.cpp_is_name || text.text.empty() || !only_comments(text.text, language)) continue;
    return fail(ErrorKind::input, fmt::format("'{}' is only a comment, and nothing to measure", first_line(text.text)),
                text.at.line > 0 ? describe(text.at) : where, "write a statement, or leave this language out");
  }
  for (const auto& [text, language] : {std::pair{b.py_model, Language::python}, {b.cpp_model, Language::cpp}}) {
    if (text.text.empty() || defines(text.text, "model", language)) continue;
    return fail(ErrorKind::input,
                fmt::format("the {} model '{}' does not define 'model'", language == Language::cpp ? "C++" : "Python",
                            first_line(text.text)),
                text.at.line > 0 ? describe(text.at) : where,
                language == Language::cpp ? "write 'auto model = …;'" : "write 'model = …'");
  }
  if (model && b.signature.text.empty()) {
    return fail(ErrorKind::input,
                fmt::format("model '{}' has no signature, from which its call is made", join(b.label, "/")), where,
                "write signature = \"f(x) -> y\"");
  }
  return {};
}

Status check_variants(const Benchmark& b) {
  const std::string autograd_at = place_of(b.at.autograd, b.at, b.label);
  for (const WantedRuntime& runtime : b.runtimes) {
    const std::string at = place_of(runtime.at, b.at, b.label);
    if (b.signature.text.empty()) {
      return fail(ErrorKind::input, fmt::format("{} = true without a signature", runtime.name), at,
                  "write signature = \"f(x) -> y\" with the setup variables that are read and the one that is left");
    }
    if (b.py.text.empty() && b.py_model.text.empty()) {
      return fail(ErrorKind::input,
                  fmt::format("{} = true without a Python statement or model to script", runtime.name), at,
                  "give it py = '…' or py_model = '…'; C++ loads what Python has scripted");
    }
  }
  if (b.autograd && b.signature.text.empty()) {
    return fail(ErrorKind::input, "autograd = true without a signature", autograd_at,
                "write signature = \"f(x) -> y\"; y.backward() is then appended");
  }
  if (b.signature.text.empty()) return {};
  const Result<Signature> signature = parse_signature(b.signature);
  if (!signature) return std::unexpected(signature.error());
  if (b.autograd && signature->result.empty()) {
    return fail(ErrorKind::input, fmt::format("autograd = true, but signature '{}' returns nothing", b.signature.text),
                autograd_at, "name the value whose backward() is to be called, as in \"f(x) -> y\"");
  }
  return {};
}

}  // namespace

std::string place_of(const SourcePosition& precise, const Places& places, const std::vector<std::string>& label) {
  if (precise.line > 0) return describe(precise);
  if (places.definition.line > 0) return describe(places.definition);
  return join(label, "/");
}

Status check_params(const std::vector<Param>& params, const Places& places, const std::vector<std::string>& label) {
  std::set<std::string> names;
  for (const Param& param : params) {
    const std::string where = place_of(param.at, places, label);
    if (!is_identifier(param.name)) {
      return fail(ErrorKind::input, fmt::format("'{}' cannot be the name of a parameter", param.name), where,
                  "use letters, digits and underscores");
    }
    if (contains(kTakenNames, param.name)) {
      return fail(ErrorKind::input, fmt::format("'{}' cannot be the name of a parameter: ids use it", param.name),
                  where, "choose another name");
    }
    if (!names.insert(param.name).second) {
      return fail(ErrorKind::input, fmt::format("parameter '{}' is given twice", param.name), where,
                  "give all of its values at once");
    }
    if (param.values.empty()) {
      return fail(ErrorKind::input, fmt::format("parameter '{}' has no values", param.name), where,
                  fmt::format("write {} = [4, 64]", param.name));
    }
    std::set<std::string> values;
    for (const std::string& value : param.values) {
      if (values.insert(value).second) continue;
      return fail(ErrorKind::input, fmt::format("parameter '{}' has the value '{}' twice", param.name, value), where,
                  "name each value once");
    }
  }
  return {};
}

Status check_label(const std::vector<std::string>& label, const Places& places) {
  const std::string where = place_of(places.label, places, label);
  if (label.empty()) {
    return fail(ErrorKind::input, "a definition without a label", where, "write label = [\"Group\", \"name\"]");
  }
  for (const std::string& part : label) {
    const bool printable =
        std::ranges::none_of(part, [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; });
    if (printable && !part.empty() && trim(part).size() == part.size()) continue;
    std::string shown = part;
    std::ranges::replace_if(shown, [](char c) { return static_cast<unsigned char>(c) < 32; }, '?');
    return fail(ErrorKind::input,
                fmt::format("label part '{}' is empty or has control characters or outer blanks", shown), where,
                "write one short line of text");
  }
  return {};
}

Status check_brackets(const Snippet& text, const std::string& where) {
  const bool branches = blank_strings_and_comments(text.text, Language::cpp).contains('#');
  if (!branches && leaves_open(text.text, Language::cpp))
    return fail(ErrorKind::input, "a bracket, a string or a comment of this text is never closed",
                text.at.line > 0 ? describe(text.at) : where, "close it: the text is a block of its own");
  const std::size_t at = closes_too_much(text.text, Language::cpp);
  if (at == std::string::npos) return {};
  return fail(ErrorKind::input, fmt::format("'{}' closes what was not opened", text.text[at]),
              text.at.line > 0 ? describe(position_of(text, at)) : where,
              "take it away: the text is a block of its own");
}

Status check_benchmark(const Benchmark& benchmark) {
  const std::string where = place_of({}, benchmark.at, benchmark.label);
  if (!benchmark.cpp_is_name) {
    if (Status ok = check_brackets(benchmark.cpp, where); !ok) return ok;
  }
  for (const Setup& setup : benchmark.setup) {
    if (Status ok = check_brackets(setup.cpp, where); !ok) return ok;
  }
  if (Status ok = check_text(benchmark, place_of({}, benchmark.at, benchmark.label)); !ok) return ok;
  if (Status ok = check_variants(benchmark); !ok) return ok;
  return check_params(benchmark.params, benchmark.at, benchmark.label);
}

}  // namespace tally
