#include "hosts/python_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <ranges>

#include "build/identity.h"
#include "protocol/descriptors.h"

namespace tally {

namespace {

/// Loads the extension and the script from open descriptors: their paths have no place in an interpreter's heap.
/// Folders are their owners': a package without compiled files is compiled in each process, and a first run finds what
/// the second one will find. The working folder is looked through once the start has begun, and not for what is the
/// host's own: a file more in it would move what the interpreter's own start leaves in the heap.
std::string boot_text() {
  return fmt::format(R"(import sys
sys.dont_write_bytecode = True
first = sys.path[:1]
if first == [""]:
    del sys.path[0]
import importlib.machinery as m, importlib.util as u
s = u.spec_from_file_location("_tally_host", "/proc/self/fd/{}", loader=m.ExtensionFileLoader("_tally_host", "/proc/self/fd/{}"))
x = u.module_from_spec(s)
s.loader.exec_module(x)
sys.modules["_tally_host"] = x
with open({}) as f:
    text = f.read()
sys.modules["tally_start"] = m = type(sys)("tally_start")
exec(compile(text, "<tally start>", "exec"), m.__dict__)
with open({}) as f:
    text = f.read()
m.FIRST = first if first == [""] else []
exec(compile(text, "<tally host>", "exec"))
)",
                     protocol::kHostExtension, protocol::kHostExtension, protocol::kHostStart, protocol::kHostScript);
}

/// The user's interpreter does not look for modules in its working folder, so neither does ours.
bool has_safe_path(const EnvironmentVariables& environment) { return !value_of(environment, "PYTHONSAFEPATH").empty(); }

/// What CPython 3.11 and newer ones do themselves.
std::string safe_path_text(const ResolvedInterpreter& interpreter, const HostSurroundings& around) {
  const bool is_old = interpreter.version.starts_with("3.9.") || interpreter.version.starts_with("3.10.");
  return is_old && has_safe_path(around.environment) ? "import sys\ndel sys.path[0]\n" : "";
}

/// An entry of PYTHONPATH that means another folder from another working folder.
bool has_relative_search_path(const EnvironmentVariables& environment) {
  for (const auto& [name, value] : environment) {
    if (name != "PYTHONPATH" || value.empty()) continue;
    for (const auto entry : std::views::split(value, ':')) {
      if (entry.empty() || entry.front() != '/') return true;
    }
  }
  return false;
}

/// PYTHONPATH as it is meant where the user stands: a program's host starts elsewhere. An empty entry is that folder.
void make_search_path_absolute(EnvironmentVariables& environment, const std::string& folder) {
  if (!has_relative_search_path(environment)) return;
  std::string path;
  for (const auto part : std::views::split(value_of(environment, "PYTHONPATH"), ':')) {
    const std::string_view entry(part);
    if (!path.empty()) path += ':';
    path += entry.starts_with('/') ? std::string(entry) : entry.empty() ? folder : fmt::format("{}/{}", folder, entry);
  }
  set_variable(environment, "PYTHONPATH", path);
}

/// A package's folder, or a file: answer.py, answer.abi3.so, answer.cpython-311-x86_64-linux-gnu.so. Not answer.json.
bool may_be_module(const std::filesystem::directory_entry& entry, std::string_view module) {
  const std::string name = entry.path().filename().string();
  const std::size_t dot = name.find('.');
  if (std::string_view(name).substr(0, dot) != module.substr(0, module.find('.'))) return false;
  if (dot == std::string::npos) return true;
  const std::string extension = entry.path().extension().string();
  return extension == ".py" || extension == ".pyc" || extension == ".so";
}

/// Where the interpreter starts: an import looks through the working folder first, and keeps its path and its list of
/// files, so that a longer path moved a sort by 4 instructions, and files that come and go moved 11 to 25 of 181 cases.
/// Cases enter the user's folder after the fork. Only modules that are to be found from the user's folder make the
/// interpreter start there.
std::string interpreter_folder(const std::vector<std::string>& modules, const HostSurroundings& around) {
  namespace fs = std::filesystem;
  if (has_safe_path(around.environment)) return "/";
  if (has_relative_search_path(around.environment)) return around.working_folder;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(around.working_folder, code)) {
    if (std::ranges::any_of(modules, [&](const std::string& module) { return may_be_module(entry, module); }))
      return around.working_folder;
  }
  return "/";
}

/// Takes out of a program's environment all that the loader and the interpreter do not read themselves: NAME=VALUE,
/// each ended by a null. The host sets them before it collects the program.
std::string take_late_environment(EnvironmentVariables& environment) {
  const auto is_of_start = [](std::string_view name) {
    return std::ranges::any_of(std::array{"PYTHON", "LD_", "LC_", "LANG", "GLIBC_", "MALLOC_", "TALLY_", "TZ"},
                               [&](std::string_view prefix) { return name.starts_with(prefix); });
  };
  std::string text;
  for (auto at = environment.begin(); at != environment.end();) {
    auto& [name, value] = *at;
    if (is_of_start(name)) {
      ++at;
      continue;
    }
    text.append(name).append("=").append(value).push_back('\0');
    at = environment.erase(at);
  }
  return text;
}

/// Python that defines `device`, and gives it what the other text defines as `observe`: the host's own script knows of
/// one text. (Each change of the script moves what it leaves in the heap, and cases with it.)
std::string with_observer(const std::string& device, const std::string& observer) {
  if (observer.empty()) return device;
  return device + "\n" + observer + "\nif 'device' in globals():\n    device.observe = observe\n";
}

/// The same of a host for devices, whose toolchain says more of them: settings follow the device's name in lines of
/// their own, and 4 writes over its cache. It is no text of a host that counts on the processor.
std::string with_device_parts(const DeviceSide& device, bool counted) {
  std::string text = device.identify.py + "\n" + device.settings.py + "\n";
  if (!counted) text += device.observer.py + "\n" + device.flush.py + "\n";
  text += R"py(
def parts():
    names = globals()
    find, settings = names.get("device"), names.get("device_settings")
    watch, flush = names.get("observe"), names.get("device_flush")
    def device():
        kind = find()
        return kind and "\n".join([kind, *(f"{name}={value}" for name, value in settings().items())])
    def observe(what):
        return flush() if what == 4 else watch and watch(what)
    if find and settings:
        names["device"] = device
    if find and (watch or flush):
        names["device"].observe = observe if flush else watch
parts()
)py";
  return text;
}

/// What is tally's own of a host.
std::vector<HostSpec::File> host_files(const std::optional<PythonProgram>& program, const std::string& libexec) {
  const HostSpec::File start{libexec + "/tally_start.py", protocol::kHostStart};
  const std::string host = libexec + "/tally_host.py";
  if (!program)
    return {{libexec + "/_tally_host.abi3.so", protocol::kHostExtension}, {host, protocol::kHostScript}, start};
  return {{libexec + "/_tally_program.abi3.so", protocol::kHostExtension},
          {libexec + "/tally_program.py", protocol::kHostScript},
          start,
          {host, protocol::kHostCommon},
          {fmt::format("{}/tally_{}.py", libexec, program->framework), protocol::kProgramFramework}};
}

/// Each ended by a null: how many paths, its folder, the paths, the arguments.
std::string program_text(const PythonProgram& program, const std::vector<std::string>& arguments) {
  std::string text = fmt::format("{}", program.paths.size()) + '\0' + program.folder + '\0';
  for (const auto* const list : {&program.paths, &arguments}) {
    for (const std::string& one : *list) (text += one).push_back('\0');
  }
  return text;
}

}  // namespace

bool begins_with_first_modules(const ResolvedToolchain& toolchain, const HostKind& kind,
                               const EnvironmentVariables& environment) {
  if (kind.language != Language::python || !toolchain.interpreter) return false;
  const std::string& version = (*toolchain.interpreter)->version;
  // A filter of warnings may name a class of any module.
  return value_of(environment, "PYTHONWARNINGS").empty() &&
         std::ranges::any_of(std::array{"3.9.", "3.10.", "3.11.", "3.12.", "3.13."},
                             [&](const char* known) { return version.starts_with(known); });
}

void add_python(HostSpec& spec, const ResolvedToolchain& toolchain, const HostKind& kind,
                const HostSurroundings& around) {
  const ResolvedInterpreter& interpreter = **toolchain.interpreter;
  spec.made_of = interpreter.start + toolchain.loaded;
  spec.made_of_text = interpreter.start_text;
  spec.installation = toolchain.installation;
  spec.is_carried = toolchain.carried != nullptr;
  spec.made_of_files = interpreter.started;
  spec.made_of_files.insert(spec.made_of_files.end(), toolchain.loaded_files.begin(), toolchain.loaded_files.end());
  const std::optional<PythonProgram>& program = toolchain.spec.own_host.python;
  spec.files = host_files(program, around.libexec);
  if (program) {
    spec.is_users_program = true;
    make_search_path_absolute(spec.environment, around.working_folder);
    spec.late_environment = take_late_environment(spec.environment);
    spec.program = program_text(*program, toolchain.spec.own_host.args);
    spec.made_of += state_of_all(program->loaded);
    spec.made_of_files.insert(spec.made_of_files.end(), program->loaded.begin(), program->loaded.end());
  }
  if (!toolchain.compiled.empty()) {
    // A path of one length, wherever the cache lies.
    spec.files.push_back({toolchain.compiled, protocol::kHostCompiled});
    set_variable(spec.environment, "PYTHONPYCACHEPREFIX", fmt::format("/proc/self/fd/{}", protocol::kHostCompiled));
  }
  // A program goes to its own folder by itself.
  spec.working_folder = program ? "/" : interpreter_folder(toolchain.spec.python.modules, around);
  spec.argv.insert(spec.argv.end(), {interpreter.path, "-S", "-c", safe_path_text(interpreter, around) + boot_text()});
  for (const std::string& module : toolchain.spec.python.modules) spec.argv.push_back(module);
  spec.argv.emplace_back("--");
  if (!kind.on_device) {
    if (!toolchain.spec.texts.warm_up.py.empty()) spec.argv.push_back(toolchain.spec.texts.warm_up.py);
    if (const ScriptedRuntime* own = find_runtime(toolchain.spec, kind.runtime)) spec.argv.push_back(own->warm_up);
  }
  // Once to the host, which knows whether there is any device, and not to every case. Nobody observes a device where
  // instructions are counted: there the observer's text, and each change of it, would move counts for nothing.
  if (!toolchain.spec.device.identify.py.empty()) {
    const std::string observer = kind.counted ? std::string() : toolchain.spec.device.observer.py;
    const std::string text = kind.on_device ? with_device_parts(toolchain.spec.device, kind.counted)
                                            : with_observer(toolchain.spec.device.identify.py, observer);
    spec.argv.insert(spec.argv.end(), {"--", text, toolchain.spec.device.sync.py});
  }
}

}  // namespace tally
