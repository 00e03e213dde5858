#include "build/resolve.h"

#include <fmt/format.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/contains.h"
#include "base/digest.h"
#include "base/text.h"
#include "build/diagnostics.h"
#include "build/identity.h"
#include "build/named_files.h"
#include "json/text.h"
#include "process/install_command.h"

namespace tally {

namespace {

ProcessRequest tool_request(std::vector<std::string> argv, const ResolveContext& context) {
  ProcessRequest request;
  request.argv = std::move(argv);
  request.environment = context.environment;
  request.working_folder = context.working_folder;
  request.deadline = Milliseconds(60'000);
  return request;
}

/// As it would be found from the context's folder, which need not be this process's.
std::optional<std::string> find_program_of(const ResolveContext& context, const std::string& name) {
  const auto from_there = [&](std::string_view path) {
    return (std::filesystem::path(context.working_folder) / path).string();
  };
  if (name.contains('/')) return find_program(from_there(name), {});
  std::string path;
  for (const std::string_view folder : split(value_of(context.environment, "PATH"), ':'))
    path.append(path.empty() ? "" : ":").append(from_there(folder));
  return find_program(name, path);
}

std::vector<std::string> empty_compilation(const std::string& compiler, const CppSide& cpp) {
  std::vector<std::string> argv = {compiler};
  argv.insert(argv.end(), cpp.flags.begin(), cpp.flags.end());
  argv.insert(argv.end(), {"-fsyntax-only", "-x", "c++", "/dev/null"});
  return argv;
}

struct CompilerAnswers {
  ProcessResult version;
  ProcessResult empty;  ///< Of a compilation of nothing with the toolchain's flags.
  ProcessResult lld;    ///< Of LLVM's linker, which says its version.
};

/// Beside each other: a start of clang takes 45 ms before it does anything.
CompilerAnswers ask_compiler(ProcessRunner& runner, const std::string& compiler, const CppSide& cpp,
                             const ResolveContext& context) {
  std::vector<ProcessRequest> requests;
  requests.push_back(tool_request({compiler, "--version"}, context));
  requests.push_back(tool_request(empty_compilation(compiler, cpp), context));
  requests.push_back(tool_request({compiler, "-fuse-ld=lld", "-Wl,--version"}, context));
  std::vector<ProcessResult> results = run_beside(runner, std::move(requests));
  return {.version = std::move(results[0]), .empty = std::move(results[1]), .lld = std::move(results[2])};
}

/// Where the linker would take a "-lname" from: what the folders of "-L" have, or what the compiler's own have.
std::vector<std::string> libraries_of(ProcessRunner& runner, const std::string& compiler, const std::string& library,
                                      const CppSide& cpp, const ResolveContext& context) {
  std::vector<std::string> arguments = cpp.flags;
  arguments.insert(arguments.end(), cpp.link.begin(), cpp.link.end());
  std::vector<std::string> found = libraries_named(library, arguments, context.working_folder);
  std::vector<ProcessRequest> requests;
  for (const char* ending : {"so", "a"}) {
    requests.push_back(
        tool_request({compiler, fmt::format("-print-file-name=lib{}.{}", library.substr(2), ending)}, context));
  }
  for (const ProcessResult& result : run_beside(runner, std::move(requests)))
    found.emplace_back(trim(result.out.text()));  // the name alone, where there is none
  return found;
}

/// Another version of a library, or another text of a file that an option names, is another key.
std::string arguments_identity(ProcessRunner& runner, const std::string& compiler, const CppSide& cpp,
                               const ResolveContext& context, FileDigests& digests) {
  Digest digest;
  for (const auto* const arguments : {&cpp.flags, &cpp.link}) {
    for (const std::string& file : files_named_in(*arguments, context.working_folder))
      digest.add(file).add(digests.of(file));
  }
  for (const std::string& input : cpp.link) {
    digest.add(input);
    if (!input.starts_with("-l")) continue;
    for (const std::string& file : libraries_of(runner, compiler, input, cpp, context))
      digest.add(file).add(file.starts_with('/') ? digests.of(file) : "");
  }
  return digest.hex();
}

/// The files that are the compiler: the one that is started, and what does its work. g++ starts cc1plus, and clang's
/// driver may have next to nothing in it but calls of LLVM's libraries.
std::vector<std::string> compiler_files(ProcessRunner& runner, const std::string& compiler, bool is_clang,
                                        const ResolveContext& context) {
  std::vector<std::string> files = {compiler};
  if (!is_clang) {
    const auto part = run(runner, tool_request({compiler, "-print-prog-name=cc1plus"}, context));
    const std::string text = part.out.text();
    if (text.starts_with('/')) files.emplace_back(trim(text));
    return files;
  }
  // What ldd does: the loader says what it would load, and starts nothing.
  ProcessRequest request = tool_request({compiler, "--version"}, context);
  set_variable(request.environment, "LD_TRACE_LOADED_OBJECTS", "1");
  const ProcessResult loaded = run(runner, std::move(request));
  const std::string text = loaded.out.text();
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> words = split(trim(line), ' ');  // "libLLVM-19.so.1 => /lib/… (0x…)"
    const bool is_part = words.size() >= 3 && (words[0].contains("LLVM") || words[0].contains("clang"));
    if (is_part && words[2].starts_with('/')) files.emplace_back(words[2]);
  }
  return files;
}

constexpr std::string_view kProbe = R"(
import sys
sys.dont_write_bytecode = True
import os
if os.environ.get("PYTHONSAFEPATH") and sys.version_info < (3, 11):  # newer ones do so themselves
    del sys.path[0]
path = list(sys.path)
started = [getattr(module, "__file__", None) for module in sys.modules.values()]
import importlib.util, json
if os.path.dirname(os.path.dirname(getattr(json, "__file__", None) or "")) != os.path.dirname(os.__file__):
    sys.exit(f"{getattr(json, '__file__', None)} takes the place of Python's own module json")
def has_code(spec):  # a folder without __init__.py may be a package, or one of the user's that has a module's name
    for folder in spec.submodule_search_locations or ():
        for _, (_, _, files) in zip(range(100), os.walk(folder)):
            if any(file.endswith((".py", ".so")) for file in files):
                return True
    return False
modules = []
missing = []
for name in sys.argv[1:]:
    try:
        spec = importlib.util.find_spec(name)
    except ImportError:
        spec = None
    if spec is not None and spec.origin is None and not has_code(spec):
        spec = None
    if spec is None:
        missing.append(name)
    else:
        try:
            from importlib.metadata import version
            number = version(name.partition(".")[0])
        except Exception:
            number = ""
        modules.append([name, number, spec.origin or ""])
print(json.dumps({"executable": sys.executable, "version": sys.version.split()[0], "modules": modules,
                  "missing": missing, "path": path, "started": [file for file in started if file],
                  "old": sys.version_info < (3, 9)}))
)";

/// Why an interpreter will not do, in words.
struct Unfit {
  std::string why;
  bool is_broken = false;            ///< It does not even work by itself.
  std::vector<std::string> missing;  ///< Modules that it lacks.
};

/// " (apt-get install python3-numpy)"; nothing for a part of a package: that it is missing has another cause.
std::string package_with(const std::string& module) {
  if (module.contains('.')) return "";
  return fmt::format(" ({})", install_command("python3-" + module));
}

/// An interpreter's own words: 'exited with code 1: SyntaxError: invalid syntax (File "/home/me/json.py", line 1)'.
std::string last_words(const ProcessResult& result) {
  const std::string text = result.err.text();
  const std::string_view said = trim(last_line(trim(text)));
  std::string words = describe(result.outcome);
  if (!said.empty()) words += fmt::format(": {}", said);
  std::string_view place;
  for (const std::string_view line : split(text, '\n')) {
    if (trim(line).starts_with("File \"") && !line.contains("\"<")) place = trim(line);
  }
  if (!place.empty()) words += fmt::format(" ({})", place);
  return words;
}

/// What an interpreter says of itself.
std::expected<ResolvedInterpreter, Unfit> probe(ProcessRunner& runner, const std::string& program,
                                                const std::vector<std::string>& modules,
                                                const ResolveContext& context) {
  std::vector<std::string> argv = {program, "-c", std::string(kProbe)};
  argv.insert(argv.end(), modules.begin(), modules.end());
  const ProcessResult result = run(runner, tool_request(std::move(argv), context));
  const auto unfit = [](std::string why, bool is_broken = false) {
    return std::unexpected(Unfit{.why = std::move(why), .is_broken = is_broken, .missing = {}});
  };
  if (const auto* spawn = std::get_if<SpawnFailed>(&result.outcome)) return unfit(spawn->error.message, true);
  if (!succeeded(result)) return unfit(last_words(result), true);
  const auto read = json::parse(result.out.text());
  if (!read || !read->has("executable")) return unfit("gave no answer to our questions", true);
  const json::Value& answer = *read;
  if (answer["old"] == true)
    return unfit(fmt::format("is Python {}, and 3.9 is the oldest we host", answer["version"].text_or("?")));
  if (std::vector<std::string> missing = json::texts_of(answer["missing"]); !missing.empty()) {
    std::string why = fmt::format("has no module {}", fmt::join(missing, ", "));
    return std::unexpected(Unfit{.why = std::move(why), .missing = std::move(missing)});
  }
  ResolvedInterpreter interpreter;
  interpreter.path = answer["executable"].text_or(program);
  interpreter.version = answer["version"].text_or("");
  Digest identity;
  Digest text;
  identity.add(file_identity(interpreter.path)).add(interpreter.version);
  text.add(interpreter.version);
  for (std::size_t i = 0; i < answer["modules"].size(); ++i) {
    const std::vector<std::string> module = json::texts_of(answer["modules"][i]);  // its name, its version, its file
    if (module.size() != 3) continue;
    interpreter.modules.push_back(fmt::format("{}", fmt::join(module, " ")));
    identity.add(file_identity(module.back())).add(interpreter.modules.back());
    text.add(interpreter.modules.back());
  }
  interpreter.identity = identity.hex();
  interpreter.started = json::texts_of(answer["started"]);
  Digest start;
  start.add(interpreter.identity).add(state_of_all(interpreter.started));
  for (const std::string& folder : json::texts_of(answer["path"])) {
    start.add(folder);
    text.add(folder);
    interpreter.folders.push_back(folder);
  }
  interpreter.start = start.hex();
  interpreter.start_text = text.hex();
  return interpreter;
}

/// Whether a program is of the environment that is activated, virtual or conda's.
bool is_activated(const std::string& program, const ResolveContext& context) {
  return std::ranges::any_of(std::array{"VIRTUAL_ENV", "CONDA_PREFIX"}, [&](const char* name) {
    const std::string_view folder = value_of(context.environment, name);
    return !folder.empty() && program.starts_with(std::string(folder) + "/");
  });
}

}  // namespace

std::string_view value_of(const EnvironmentVariables& environment, std::string_view name) {
  for (const auto& [key, value] : environment) {
    if (key == name) return value;
  }
  return {};
}

void set_variable(EnvironmentVariables& environment, const std::string& name, std::string value) {
  for (auto& [key, old] : environment) {
    if (key == name) {
      old = std::move(value);
      return;
    }
  }
  environment.emplace_back(name, std::move(value));
}

EnvironmentVariables with_first(EnvironmentVariables environment, const std::string& name, const std::string& entry) {
  const auto known = std::ranges::find(environment, name, &EnvironmentVariables::value_type::first);
  if (known == environment.end()) {
    environment.emplace_back(name, entry);
  } else {
    known->second = known->second.empty() ? entry : entry + ":" + known->second;
  }
  std::ranges::sort(environment);
  return environment;
}

EnvironmentVariables with_variables(EnvironmentVariables environment, const std::map<std::string, std::string>& own) {
  const auto theirs = [](const auto& one) -> const std::string& { return one.first; };
  for (const auto& [name, value] : own) {
    if (!contains(environment, name, theirs)) environment.emplace_back(name, value);
  }
  std::ranges::sort(environment);
  return environment;
}

std::vector<std::string> linked_with(const CppSide& cpp) {
  // A linker that must find everything has to be shown everything.
  const bool strict = std::ranges::any_of(cpp.flags, [](std::string_view flag) {
    return flag.find("-z,defs") != std::string_view::npos || flag.find("no-undefined") != std::string_view::npos;
  });
  std::vector<std::string> inputs = cpp.link;
  if (strict) return inputs;
  std::erase_if(inputs, [&](const std::string& input) {
    const std::string name = input.starts_with("-l") ? fmt::format("lib{}.so", input.substr(2)) : input;
    return std::ranges::find(cpp.preload, name) != cpp.preload.end();
  });
  return inputs;
}

Result<ResolvedCompiler> resolve_compiler(ProcessRunner& runner, const Toolchain& toolchain,
                                          const ResolveContext& context, FileDigests& digests) {
  const CppSide& cpp = toolchain.cpp;
  std::string tried;
  for (const std::string& candidate : cpp.compilers) {
    const auto program = find_program_of(context, candidate);
    if (!program) {
      tried += fmt::format("\n  {}: not found", candidate);
      continue;
    }
    const CompilerAnswers answers = ask_compiler(runner, *program, cpp, context);
    if (!succeeded(answers.version)) {
      tried += fmt::format("\n  {}: {}", candidate, describe(answers.version.outcome));
      continue;
    }
    // An old compiler may not know the language that the flags name.
    if (!succeeded(answers.empty)) {
      tried += fmt::format("\n  {}: does not take {}: {}", candidate, fmt::join(cpp.flags, " "),
                           first_complaint(answers.empty));
      continue;
    }
    ResolvedCompiler compiler;
    compiler.path = *program;
    const std::string text = answers.version.out.text();
    compiler.version = std::string(split(text, '\n').front());
    compiler.is_clang = text.find("clang") != std::string::npos;
    ProcessResult linker = answers.lld;
    if (succeeded(linker)) {
      compiler.linker = "-fuse-ld=lld";
    } else {
      linker = run(runner, tool_request({*program, "-Wl,--version"}, context));
    }
    if (succeeded(linker)) compiler.linker_version = std::string(first_line(linker.out.text()));
    Digest identity;
    for (const std::string& file : compiler_files(runner, *program, compiler.is_clang, context))
      identity.add(file).add(digests.of(file));
    identity.add(text).add(compiler.linker).add(arguments_identity(runner, *program, cpp, context, digests));
    compiler.link = linked_with(cpp);
    identity.add(fmt::format("linked with {}", fmt::join(compiler.link, " ")));
    compiler.identity = identity.hex();
    return compiler;
  }
  return fail(ErrorKind::missing,
              fmt::format("no C++ compiler works for toolchain '{}'; tried:{}", toolchain.name, tried), {},
              fmt::format("install clang-19 ({}), or name a compiler with --cxx or the toolchain's cxx",
                          install_command("clang-19")));
}

Result<ResolvedInterpreter> resolve_interpreter(ProcessRunner& runner, const Toolchain& toolchain,
                                                const ResolveContext& context) {
  std::string tried;
  std::string passed_over;
  std::vector<std::string> missing;
  bool is_broken = false;
  for (const std::string& candidate : toolchain.python.interpreters) {
    const auto program = find_program_of(context, candidate);
    if (!program) {
      tried += fmt::format("\n  {}: not found", candidate);
      continue;
    }
    auto interpreter = probe(runner, *program, toolchain.python.modules, context);
    if (interpreter) {
      interpreter->passed_over = std::move(passed_over);
      return *std::move(interpreter);
    }
    if (is_activated(*program, context)) passed_over = fmt::format("{} {}", *program, interpreter.error().why);
    tried += fmt::format("\n  {} {}", candidate, interpreter.error().why);
    is_broken = is_broken || interpreter.error().is_broken;
    if (missing.empty()) missing = interpreter.error().missing;
  }
  std::string needed = "install python3";
  if (is_broken) {
    needed =
        "repair it or its environment (PYTHONPATH, PYTHONHOME), or name another interpreter with --python or the "
        "toolchain's python";
  } else if (!missing.empty()) {
    needed = fmt::format("install {} for one of them{}, or name an interpreter with --python or the toolchain's python",
                         fmt::join(missing, ", "), package_with(missing.front()));
  }
  return fail(ErrorKind::missing,
              fmt::format("no Python interpreter works for toolchain '{}'; tried:{}", toolchain.name, tried), {},
              needed);
}

}  // namespace tally
