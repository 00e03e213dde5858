#include "discovery/discovery.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "base/digest.h"
#include "base/text.h"
#include "build/identity.h"
#include "definition/variable.h"
#include "discovery/mapped.h"
#include "json/text.h"

namespace tally {

namespace {

/// Run as: python3 -c DRIVER DISCOVER DEVICE WARM_UP COMPILED MODULE... Its last line of output is the answer; modules
/// may print what they like. The warm-up is run for what it imports; should it fail, the host will say so. Among the
/// files that the answer is of are those that `discover` has opened, or has not found, and the places where a module
/// would be found before the one that was: one that appears there is another module. Where sources are not compiled, as
/// of a package that was only unpacked, all that was imported is kept compiled in the folder COMPILED: hosts would
/// compile it in each start, under Valgrind, and other processes than ours may not find the sources' own folders
/// changed.
constexpr std::string_view kDriver = R"py(
import sys
sys.dont_write_bytecode = True
import json, os
if os.environ.get("PYTHONSAFEPATH") and sys.version_info < (3, 11):
    del sys.path[0]
from importlib.machinery import all_suffixes
names = sys.argv[5:]
for name in names:
    __import__(name)
def read_maps():
    with open("/proc/self/maps") as maps:
        lines = [line.split(None, 5) for line in maps]
    return sorted({line[5].rstrip("\n") for line in lines if len(line) == 6 and line[5].startswith("/")})
found = {}
scope = {name.partition(".")[0]: sys.modules[name.partition(".")[0]] for name in names}
scope.update(found=found, mapped=[path for path in read_maps() if os.path.isfile(path)])
looked_at = set()
def note(event, arguments):
    if event == "open" and looked_at is not None and isinstance(arguments[0], str) and not arguments[2] & 3:
        looked_at.add(os.path.abspath(arguments[0]))
sys.addaudithook(note)
exec(compile(sys.argv[1], "discover", "exec"), scope)
noted, looked_at = looked_at, None
devices = {name.partition(".")[0]: sys.modules[name.partition(".")[0]] for name in names}
exec(compile(sys.argv[2], "device", "exec"), devices)
modules = {}
for name in names:
    module = sys.modules[name]
    places = list(getattr(module, "__path__", []))
    modules[name] = os.path.realpath(places[0] if places else getattr(module, "__file__", None) or "")
warm_up = found["warm_up"].get("py", "") if isinstance(found.get("warm_up"), dict) else ""
sys.modules["tally_warm_up"] = type(sys)("tally_warm_up")  # as the host has it
try:
    exec(compile(f"{warm_up}\n{sys.argv[3]}", "warm_up", "exec"), {})
except BaseException:
    pass
del sys.modules["tally_warm_up"]
read = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
read.update(read_maps())
read = {path for path in read if path and os.path.isfile(path)}
read.update(path for path in noted if not path.startswith(("/proc/", "/sys/", "/dev/")))
for name in {name.partition(".")[0] for name in names}:
    place = getattr(sys.modules[name], "__file__", None) or ""
    for folder in sys.path:
        if place.startswith(os.path.join(folder, name) + ("." if os.path.dirname(place) == folder else os.sep)):
            break
        read.update(os.path.join(os.path.abspath(folder), name + suffix) for suffix in ["", *all_suffixes()])
def compiled_in(folder):
    sources = {}
    for module in list(sys.modules.values()):
        spec = getattr(module, "__spec__", None)
        origin, cached = getattr(spec, "origin", None), getattr(spec, "cached", None)
        if origin and cached and origin.endswith(".py") and os.path.isfile(origin):
            sources[os.path.abspath(origin)] = cached
    if all(os.path.isfile(cached) for cached in sources.values()):
        return ""
    from importlib.util import cache_from_source
    sys.pycache_prefix = folder
    for source, cached in sources.items():
        target = cache_from_source(source)
        try:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(f"{target}.{os.getpid()}", "wb") as file:
                file.write(compiled_file(source, cached))
            os.replace(file.name, target)
        except (OSError, SyntaxError, ValueError):
            pass  # its host compiles it
    return folder
def compiled_file(source, cached):
    """With a hash of its source, which the interpreter compares: a source of the same time and size may be another."""
    import marshal
    from importlib.util import MAGIC_NUMBER, source_hash
    with open(source, "rb") as file:
        text = file.read()
    about = os.stat(source)
    beside = b""
    if os.path.isfile(cached):
        with open(cached, "rb") as file:
            beside = file.read()
    stamp = b"".join(part.to_bytes(4, "little") for part in (0, int(about.st_mtime) & 0xFFFFFFFF, len(text) & 0xFFFFFFFF))
    if beside.startswith(MAGIC_NUMBER + stamp):
        code = beside[16:]
    else:
        code = marshal.dumps(compile(text, source, "exec", dont_inherit=True))
    return MAGIC_NUMBER + (3).to_bytes(4, "little") + source_hash(text) + code
answer = {"modules": modules, "found": found, "device": "device" in devices, "read": sorted(read),
          "compiled": compiled_in(sys.argv[4])}
print("\n" + json.dumps(answer), flush=True)
os._exit(0)
)py";

/// An interpreter's last words: "ModuleNotFoundError: No module named 'sympy'".
std::string reason(const ProcessResult& result) {
  const std::string text = result.err.text();
  const std::string_view said = last_line(trim(text));
  return said.empty() ? describe(result.outcome) : std::string(trim(said));
}

json::Object members(const json::Value& value) { return value.object() != nullptr ? *value.object() : json::Object(); }

/// A name that nobody reads would be a mistake that nobody sees.
Status check_names(const json::Value& found, const Toolchain& toolchain) {
  constexpr std::array<std::string_view, 12> kNames = {"device_observer", "drivers", "environment", "facts",
                                                       "flags",           "include", "link",        "no_cpp",
                                                       "no_runtime",      "preload", "seed",        "warm_up"};
  for (const auto& [name, value] : members(found)) {
    if (std::ranges::find(kNames, name) != kNames.end()) continue;
    return fail(ErrorKind::input, fmt::format("'discover' has found '{}', which is unknown", name),
                fmt::format("toolchain '{}'", toolchain.name),
                fmt::format("found[…] may have {}", fmt::join(kNames, ", ")));
  }
  return {};
}

Result<std::map<std::string, std::string>> read_environment(const json::Value& found, const Toolchain& toolchain) {
  std::map<std::string, std::string> environment;
  const std::string where = fmt::format("toolchain '{}'", toolchain.name);
  const auto wrong = [&](const std::string& what) {
    return fail(ErrorKind::input, fmt::format("'discover' has found an environment that is none: {}", what), where,
                "write found[\"environment\"] = {\"NAME\": \"value\"}");
  };
  if (found.is_null()) return environment;
  if (found.object() == nullptr) return wrong("it is not a dictionary");
  for (const auto& [name, value] : *found.object()) {
    if (value.text() == nullptr) return wrong(fmt::format("the value of '{}' is not text", name));
    if (const Status fine = check_variable(name, *value.text()); !fine)
      return fail(ErrorKind::input, "'discover' has found an environment: " + fine.error().message, where,
                  fine.error().hint);
    environment[name] = *value.text();
  }
  return environment;
}

Error failed(const ResolvedToolchain& resolved, const ProcessResult& result) {
  return {ErrorKind::input,
          fmt::format("{} cannot import {} in the environment that cases get: {}", (*resolved.interpreter)->path,
                      fmt::join(resolved.spec.python.modules, ", "), reason(result)),
          fmt::format("toolchain '{}'", resolved.spec.name),
          "repair that environment, name another interpreter (--python, --env-command), or let a variable through "
          "that it needs (--keep-env)"};
}

}  // namespace

Result<Discovery> read_answer(const json::Value& answer, const Toolchain& toolchain) {
  const json::Value& found = answer["found"];
  if (auto known = check_names(found, toolchain); !known) return std::unexpected(known.error());
  auto environment = read_environment(found["environment"], toolchain);
  if (!environment) return std::unexpected(environment.error());
  Discovery discovery;
  discovery.answer = answer;
  discovery.environment = *std::move(environment);
  for (const auto& [name, path] : members(answer["modules"])) discovery.modules[name] = path.text_or("");
  for (const auto& [name, fact] : members(found["facts"])) discovery.facts[name] = fact.text_or("");
  discovery.loaded = json::texts_of(answer["read"]);
  discovery.device = answer["device"] == true;
  discovery.compiled = answer["compiled"].text_or("");
  discovery.flags = json::texts_of(found["flags"]);
  discovery.include = json::texts_of(found["include"]);
  discovery.link = json::texts_of(found["link"]);
  discovery.preload = json::texts_of(found["preload"]);
  discovery.libraries = json::texts_of(answer["read"]);
  std::erase_if(discovery.libraries, [](const std::string& path) { return !path.contains(".so"); });
  discovery.drivers = json::texts_of(found["drivers"]);
  const auto in_both = [&](const char* name) {
    return PerLanguage{found[name]["py"].text_or(""), found[name]["cpp"].text_or("")};
  };
  discovery.warm_up = in_both("warm_up");
  discovery.seed = in_both("seed");
  discovery.device_observer = in_both("device_observer");
  discovery.no_cpp = found["no_cpp"].text_or("");
  for (const auto& [name, why] : members(found["no_runtime"]))
    discovery.no_runtime[name] = {why["py"].text_or(""), why["cpp"].text_or("")};
  return discovery;
}

std::string question_of(const Toolchain& toolchain) {
  Digest question;
  question.add(kDriver)
      .add(toolchain.python.discover)
      .add(toolchain.device.identify.py)
      .add(toolchain.texts.warm_up.py);
  for (const std::string& module : toolchain.python.modules) question.add(module);
  return question.hex();
}

Result<Discovery> discover(ProcessRunner& runner, const ResolvedToolchain& resolved,
                           const EnvironmentVariables& environment, const std::string& working_folder,
                           const Cache& cache) {
  const ResolvedInterpreter& interpreter = **resolved.interpreter;
  const Toolchain& toolchain = resolved.spec;
  Digest key;
  key.add(kDriver)
      .add(toolchain.python.discover)
      .add(toolchain.device.identify.py)
      .add(toolchain.texts.warm_up.py)
      .add(interpreter.path)
      .add(working_folder);
  // One folder for each interpreter, whatever the sources are: it compares them with what was compiled.
  Digest folder;
  folder.add(interpreter.path).add(interpreter.version);
  for (const std::string& module : toolchain.python.modules) {
    key.add(module);
    folder.add(module);
  }
  for (const auto& [variable, value] : environment) key.add(variable).add(value);
  const std::string compiled = cache.compiled_folder(folder.hex()).string();
  key.add(interpreter.identity);
  if (const auto remembered = cache.discovered(key.hex())) {
    const auto answer = json::parse(*remembered);
    if (!answer) return std::unexpected(answer.error());
    return read_answer(*answer, toolchain);
  }
  ProcessRequest request;
  request.argv = {interpreter.path,
                  "-c",
                  std::string(kDriver),
                  toolchain.python.discover,
                  toolchain.device.identify.py,
                  toolchain.texts.warm_up.py,
                  compiled};
  request.argv.insert(request.argv.end(), toolchain.python.modules.begin(), toolchain.python.modules.end());
  request.environment = environment;
  request.working_folder = working_folder;
  request.deadline = Milliseconds(300'000);
  request.output_limit = std::size_t{4} << 20;
  const ProcessResult result = run(runner, std::move(request));
  if (!succeeded(result)) return std::unexpected(failed(resolved, result));
  const std::string output = result.out.text();
  const std::string line(last_line(trim(output)));
  const auto answer = json::parse(line);
  if (!answer) return std::unexpected(answer.error());
  auto discovery = read_answer(*answer, toolchain);
  // Where it cannot be remembered, it is asked again the next time.
  if (discovery) std::ignore = cache.set_discovered(key.hex(), line, json::texts_of((*answer)["read"]));
  return discovery;
}

void apply(const Discovery& found, ResolvedToolchain& resolved) {
  resolved.modules = found.modules;
  resolved.compiled = found.compiled;
  resolved.facts = found.facts;
  resolved.loaded = state_of_all(found.loaded);
  resolved.loaded_files = found.loaded;
  resolved.no_runtime = found.no_runtime;
  Toolchain& toolchain = resolved.spec;
  for (const std::string& path : found.libraries)
    if (is_subject(toolchain, path)) resolved.libraries.push_back(path);
  const auto join = [](std::vector<std::string>& to, const std::vector<std::string>& more, bool first) {
    to.insert(first ? to.begin() : to.end(), more.begin(), more.end());
  };
  if (!toolchain.device.identify.py.empty() && !found.device) {
    toolchain.device.identify.py.clear();
    toolchain.device.sync.py.clear();
  }
  for (const auto& [first, text] : {std::pair{&found.warm_up.py, &toolchain.texts.warm_up.py},
                                    std::pair{&found.warm_up.cpp, &toolchain.texts.warm_up.cpp}}) {
    if (!first->empty()) *text = *first + "\n" + *text;
  }
  if (!found.seed.py.empty()) toolchain.texts.seed.py = found.seed.py;
  if (!found.seed.cpp.empty()) toolchain.texts.seed.cpp = found.seed.cpp;
  if (toolchain.device.observer == PerLanguage()) toolchain.device.observer = found.device_observer;
  join(toolchain.device.drivers, found.drivers, false);
  toolchain.environment.insert(found.environment.begin(), found.environment.end());
  join(toolchain.cpp.flags, found.flags, true);
  join(toolchain.cpp.include, found.include, false);
  join(toolchain.cpp.link, found.link, false);
  join(toolchain.cpp.preload, found.preload, false);
}

}  // namespace tally
