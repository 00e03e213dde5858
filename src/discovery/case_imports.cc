#include "discovery/case_imports.h"

#include <algorithm>

#include "base/digest.h"
#include "base/text.h"
#include "json/text.h"

namespace tally {

namespace {

/// Run as: python3 -c TEXT MODULE... -- IMPORT..., the modules being those that hosts have loaded. Each import is made
/// in a process of its own, so that each one's files are whole. Its last line is the answer; modules may print.
constexpr std::string_view kImportDriver = R"py(
import sys
sys.dont_write_bytecode = True
import importlib, json, os, sys
at = sys.argv.index("--")
for name in sys.argv[1:at]:
    __import__(name)
def files():
    places = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    return {os.path.abspath(place) for place in places if place}
before = files()
def loaded_by(wanted):
    package, _, names = wanted.partition(":")
    importlib.import_module(package)
    for name in filter(None, names.split(",")):
        try:
            importlib.import_module(f"{package}.{name}")
        except ImportError:
            pass
    return sorted(files() - before)
answer = {}
for wanted in sys.argv[at + 1:]:
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            text = json.dumps(loaded_by(wanted)).encode()
            with os.fdopen(into, "wb") as pipe:
                pipe.write(text)
        finally:
            os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    if text:
        answer[wanted] = json.loads(text)
print("\n" + json.dumps(answer), flush=True)
os._exit(0)
)py";

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

/// The name before an ` as `.
std::string_view without_alias(std::string_view text) {
  text = trim(text);
  return trim(text.substr(0, text.find(" as ")));
}

/// Adds what one simple statement imports. False: the text does not show it.
bool add_imports(std::string_view statement, std::set<std::string>& imports) {
  statement = trim(statement.substr(0, statement.find('#')));
  if (!statement.contains("import")) return true;
  if (statement.starts_with("import ")) {
    for (const std::string_view part : split(statement.substr(7), ',')) {
      const std::string_view name = without_alias(part);
      if (!is_name(name)) return false;
      imports.emplace(name);
    }
    return true;
  }
  const std::size_t at = statement.find(" import ");
  if (!statement.starts_with("from ") || at == std::string_view::npos) return false;
  const std::string_view package = trim(statement.substr(5, at - 5));
  std::string_view names = trim(statement.substr(at + 8));
  if (!is_name(package) || package.starts_with('.')) return false;
  if (names.starts_with('(') && names.ends_with(')')) names = names.substr(1, names.size() - 2);
  std::vector<std::string> wanted;
  for (const std::string_view part : split(names, ',')) {
    const std::string_view name = without_alias(part);
    if (name == "*" || name.empty()) continue;
    if (!is_name(name)) return false;
    wanted.emplace_back(name);
  }
  imports.insert(std::string(package) + ":" + join(wanted, ","));
  return true;
}

using Loaded = std::map<std::string, std::vector<std::string>>;

/// Those that the interpreter cannot import are left out.
Loaded ask(ProcessRunner& runner, const ResolvedToolchain& toolchain, const std::set<std::string>& imports,
           const RunEnvironment& environment) {
  ProcessRequest request;
  request.argv = {(*toolchain.interpreter)->path, "-c", std::string(kImportDriver)};
  for (const std::string& module : toolchain.spec.python.modules) request.argv.push_back(module);
  request.argv.emplace_back("--");
  request.argv.insert(request.argv.end(), imports.begin(), imports.end());
  request.environment = with_variables(environment.filtered, toolchain.spec.environment);
  request.working_folder = environment.working_folder;
  request.deadline = Milliseconds(300'000);
  request.output_limit = std::size_t{16} << 20;
  const ProcessResult result = run(runner, std::move(request));
  const std::string output = result.out.text();
  const auto answer = json::parse(last_line(trim(output)));
  Loaded loaded;
  if (!succeeded(result) || !answer || answer->object() == nullptr) return loaded;
  for (const auto& [name, files] : *answer->object()) loaded[name] = json::texts_of(files);
  return loaded;
}

}  // namespace

std::optional<std::set<std::string>> imports_in(std::string_view text) {
  std::set<std::string> imports;
  if (!text.contains("import")) return imports;
  for (const std::string_view line : split(text, '\n')) {
    for (const std::string_view statement : split(line, ';')) {
      // After a colon, as in `try: import json`; a string with one in it is taken for what it is not, and refused.
      const std::size_t colon = statement.find(':');
      const bool compound = colon != std::string_view::npos && !statement.substr(0, colon).contains("import");
      if (!add_imports(compound ? statement.substr(colon + 1) : statement, imports)) return std::nullopt;
    }
  }
  return imports;
}

std::map<std::size_t, std::string> import_digests(ProcessRunner& runner, const Plan& plan,
                                                  const std::map<std::string, ResolvedToolchain>& toolchains,
                                                  const RunEnvironment& environment, FileDigests& digests) {
  std::map<std::size_t, std::set<std::string>> of_case;
  std::map<std::string, std::set<std::string>> of_toolchain;
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    const Case& one = plan.cases[i];
    // Nobody knows which files its processes read and which programs they execute.
    if (one.language == Language::command) continue;
    if (one.language != Language::python) {
      of_case[i];
      continue;
    }
    // A test's fixtures may read any file.
    if (toolchains.at(one.toolchain).spec.own_host.python) continue;
    std::optional<std::set<std::string>> imports =
        imports_in(one.load.text() + "\n" + one.setup.text() + "\n" + one.stmt.text());
    if (!imports) continue;
    for (const std::string& module : toolchains.at(one.toolchain).spec.python.modules) imports->erase(module);
    of_toolchain[one.toolchain].insert(imports->begin(), imports->end());
    of_case[i] = *std::move(imports);
  }
  std::map<std::string, Loaded> loaded;
  for (const auto& [name, imports] : of_toolchain) {
    const ResolvedToolchain& toolchain = toolchains.at(name);
    if (!imports.empty() && toolchain.interpreter && *toolchain.interpreter)
      loaded[name] = ask(runner, toolchain, imports, environment);
  }
  std::map<std::size_t, std::string> found;
  for (const auto& [index, imports] : of_case) {
    const Loaded& known = loaded[plan.cases[index].toolchain];
    if (!std::ranges::all_of(imports, [&](const std::string& name) { return known.contains(name); })) continue;
    std::set<std::string> files;
    for (const std::string& name : imports) files.insert(known.at(name).begin(), known.at(name).end());
    Digest digest;
    for (const std::string& file : files) digest.add(file).add(digests.of(file));
    found[index] = files.empty() ? std::string() : digest.hex();
  }
  return found;
}

}  // namespace tally
