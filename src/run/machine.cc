#include "run/machine.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/contains.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "measurement/settings.h"
#include "process/loader.h"

namespace tally {

namespace {

/// The value after the first line that starts with `key`, without the separator and quotes.
std::string field_of(const std::string& path, std::string_view key, char separator) {
  const auto text = read_file(path);
  if (!text) return {};
  for (std::string_view line : split(*text, '\n')) {
    if (!line.starts_with(key)) continue;
    const std::size_t at = line.find(separator);
    if (at == std::string_view::npos) continue;
    line = trim(line.substr(at + 1));
    if (line.size() > 1 && line.front() == '"') line = line.substr(1, line.size() - 2);
    return std::string(line);
  }
  return {};
}

std::string output_of(ProcessRunner& runner, std::vector<std::string> argv, const EnvironmentVariables& environment) {
  ProcessRequest request;
  request.argv = std::move(argv);
  request.environment = environment;
  request.output_limit = std::size_t{1} << 20;
  request.deadline = Milliseconds(30'000);
  const ProcessResult result = run(runner, std::move(request));
  return succeeded(result) ? result.out.text() : std::string{};
}

/// The file that the loader would open for `library`, a path or a soname.
std::string locate(const std::string& library, std::string_view loader_cache, const EnvironmentVariables& environment) {
  if (library.find('/') != std::string::npos) return library;
  std::error_code code;
  for (const std::string_view folder : split(value_of(environment, "LD_LIBRARY_PATH"), ':')) {
    const std::filesystem::path path = std::filesystem::path(folder) / library;
    if (!folder.empty() && std::filesystem::exists(path, code)) return path.string();
  }
  for (const std::string_view line : split(loader_cache, '\n')) {
    if (!trim(line).starts_with(library + " ")) continue;
    if (const std::size_t arrow = line.find("=> "); arrow != std::string_view::npos)
      return std::string(line.substr(arrow + 3));
  }
  return {};
}

void describe_modules(const ResolvedToolchain& toolchain, FileDigests& digests, Environment& described) {
  // Where a toolchain says what its subject is, the modules that it requires belong to it.
  const bool is_subject = !toolchain.spec.subject.empty() && !toolchain.spec.own_host.python;
  auto& side = is_subject ? described.subject : described.facts;
  for (const std::string& module : (*toolchain.interpreter)->modules) {
    const std::vector<std::string_view> parts = split(module, ' ');
    if (!parts[1].empty()) side["module." + std::string(parts[0])] = std::string(parts[1]);
  }
  for (const auto& [name, place] : toolchain.modules) {
    const bool is_file = place.ends_with(".py");
    const bool is_folder = !is_file && (digests.is_elsewhere(place) || std::filesystem::is_directory(place));
    if (is_folder) side[name + std::string(kAllSources)] = digests.of_sources(place);
    if (is_file) side[std::filesystem::path(place).filename().string()] = digests.of(place);
  }
}

/// What installed packages, or the user, have an interpreter import whenever it starts, and all that this imports of
/// packages: modules that are imported before lie elsewhere in memory.
void describe_startup(const ResolvedInterpreter& interpreter, FileDigests& digests, Environment& described) {
  for (const std::string& file : interpreter.started) {
    const std::string name = std::filesystem::path(file).filename();
    const bool is_customization = name == "sitecustomize.py" || name == "usercustomize.py";
    constexpr std::string_view kPackages = "-packages/";  // site-, or Debian's dist-
    const std::size_t folder = file.rfind(kPackages);
    const bool is_packaged = folder != std::string::npos;
    if (!is_packaged && !is_customization) continue;
    described.facts["startup." + (is_packaged ? file.substr(folder + kPackages.size()) : name)] = digests.of(file);
  }
}

/// What a program in Python has loaded: of the project, and of installed packages.
void describe_program(const PythonProgram& program, FileDigests& digests, Environment& described) {
  for (const auto& [name, file] : program.own) described.subject[name] = digests.of(file);
  for (const auto& [package, files] : program.packages) {
    const std::size_t blank = package.find(' ');
    Digest all;
    for (const std::string& file : files) all.add(digests.of(file));
    described.facts["package." + package.substr(0, blank)] =
        (blank == std::string::npos ? "" : package.substr(blank + 1) + ", ") + all.hex();
  }
}

/// g++ from 13 on: its --version ends its first line with "14.2.0".
bool unrolls_small_loops(const ResolvedCompiler& compiler) {
  constexpr int kFirst = 13;
  const std::size_t blank = compiler.version.rfind(' ');
  return !compiler.is_clang && blank != std::string::npos &&
         std::atoi(compiler.version.c_str() + blank + 1) >= kFirst;  // NOLINT(cert-err34-c): 0 is none
}

}  // namespace

Machine read_machine(int allowed_cpus) {
  Machine machine;
  machine.cpu = field_of("/proc/cpuinfo", "model name", ':');
  machine.cpus = allowed_cpus;
  struct sysinfo memory{};
  if (::sysinfo(&memory) == 0) machine.memory_bytes = static_cast<std::uint64_t>(memory.totalram) * memory.mem_unit;
  utsname kernel{};
  if (::uname(&kernel) == 0) {
    machine.kernel = std::string(kernel.sysname) + " " + kernel.release;
    machine.architecture = kernel.machine;
  }
  machine.system = field_of("/etc/os-release", "PRETTY_NAME", '=');
  return machine;
}

std::string machine_name(const EnvironmentVariables& environment) {
  if (const std::string_view node = value_of(environment, "SLURMD_NODENAME"); !node.empty()) return std::string(node);
  utsname names{};
  return ::uname(&names) == 0 ? names.nodename : std::string();
}

std::map<std::string, std::string> gpu_facts(const std::string& folder) {
  std::map<std::string, int> cards;
  std::error_code code;
  for (const auto& card : std::filesystem::directory_iterator(folder + "/gpus", code)) {
    if (const std::string model = field_of(card.path() / "information", "Model:", ':'); !model.empty()) ++cards[model];
  }
  std::map<std::string, std::string> facts;
  for (const auto& [model, count] : cards) {
    std::string& all = facts["gpu"];
    all += fmt::format("{}{}", all.empty() ? "" : ", ", count > 1 ? fmt::format("{} {}", count, model) : model);
  }
  // "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (…)"
  const auto is_version = [](std::string_view word) {
    return word.contains('.') && word.find_first_not_of("0123456789.") == std::string_view::npos;
  };
  const std::string line = field_of(folder + "/version", "NVRM version:", ':');
  const std::vector<std::string_view> words = split(line, ' ');
  if (const auto version = std::ranges::find_if(words, is_version); version != words.end())
    facts["gpu.driver"] = *version;
  return facts;
}

std::string folder_of_environment(const std::string& interpreter) {
  return std::filesystem::path(interpreter).parent_path().parent_path().string();
}

std::map<std::string, std::string> machine_facts(ProcessRunner& runner, const EnvironmentVariables& environment) {
  std::map<std::string, std::string> facts;
  facts["cpu"] = field_of("/proc/cpuinfo", "model name", ':');
  facts["cpu.flags"] = digest(field_of("/proc/cpuinfo", "flags", ':'));
  // Which variant of memcpy and its like is chosen follows from these.
  std::string dispatch;
  const Result<std::string> loader = loader_of("/proc/self/exe");
  const std::string diagnostics = loader ? output_of(runner, {*loader, "--list-diagnostics"}, environment) : "";
  for (const std::string_view line : split(diagnostics, '\n')) {
    // EBX of CPUID leaf 1 holds the number of the core that asked: two runs of one machine differed by it.
    if (line.starts_with("x86.cpu_features.features[0x0].cpuid[0x1]=")) continue;
    if (line.starts_with("x86.cpu_features")) dispatch += std::string(line) + "\n";
  }
  facts["glibc.dispatch"] = loader ? digest(dispatch) : "unknown: " + describe(loader.error());
  return facts;
}

std::string offered_by_valgrind() {
  // What coregrind/m_machine.c asks CPUID for on amd64, and by which it chooses what the guest's CPUID says.
  constexpr auto kAsked = std::to_array<std::string_view>(
      {"abm", "avx", "avx2", "bmi1", "cx16", "f16c", "pni", "rdrand", "rdseed", "rdtscp", "ssse3"});
  const std::string there = field_of("/proc/cpuinfo", "flags", ':');
  const std::vector<std::string_view> flags = split(there, ' ');
  std::vector<std::string> offered;
  for (const std::string_view one : kAsked) {
    if (contains(flags, one)) offered.emplace_back(one);
  }
  return join(offered, " ");
}

std::map<std::string, std::string> counting_facts(bool is_marked) {
  return {{"counting", fmt::format("{}{}", kCountingVersion, is_marked ? " by callgrind" : "")},
          {"cpu.offered", offered_by_valgrind()}};
}

std::map<std::string, std::string> common_facts(const EnvironmentVariables& environment,
                                                const std::string& valgrind_version) {
  std::map<std::string, std::string> facts;
  facts["glibc"] = ::gnu_get_libc_version();
  // Variables by which mathematics libraries choose how many threads to use, and how they wait.
  for (const auto& [name, value] : environment) {
    for (const std::string_view prefix : {"OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_", "PYTHONHASHSEED"}) {
      if (name.starts_with(prefix)) facts["variable." + name] = value;
    }
  }
  if (!valgrind_version.empty()) facts["valgrind"] = valgrind_version;
  return facts;
}

Environment describe_environment(ProcessRunner& runner, const ResolvedToolchain& toolchain, Language language,
                                 std::map<std::string, std::string> facts, const EnvironmentVariables& environment,
                                 FileDigests& digests) {
  Environment described;
  described.facts = std::move(facts);
  for (const auto& [name, value] : with_variables(environment, toolchain.spec.environment)) {
    if (toolchain.spec.environment.contains(name)) described.facts["variable." + name] = value;
  }
  if (language == Language::cpp && toolchain.compiler && *toolchain.compiler) {
    described.facts["compiler"] = (*toolchain.compiler)->version;
    described.facts["compiler.flags"] = join(toolchain.spec.cpp.flags, " ");
    // An exception's way through tables that GNU ld has laid out is 44 instructions longer than through those of lld.
    if (!(*toolchain.compiler)->linker_version.empty())
      described.facts["compiler.linker"] = (*toolchain.compiler)->linker_version;
    // Counts of before, which had an instruction too many, are of another environment (snippet.h).
    if (unrolls_small_loops(**toolchain.compiler)) described.facts["compiler.loop"] = "not unrolled";
  }
  if (language == Language::python && *toolchain.interpreter) {
    described.facts["python"] = (*toolchain.interpreter)->version;
    if (toolchain.carried) described.facts["glibc"] = toolchain.carried->found.glibc;
    FileDigests& of_python = digests_of(toolchain, digests);
    describe_startup(**toolchain.interpreter, of_python, described);
    describe_modules(toolchain, of_python, described);
    if (toolchain.spec.own_host.python) describe_program(*toolchain.spec.own_host.python, digests, described);
  }
  auto& side = toolchain.spec.subject.empty() ? described.facts : described.subject;
  side.insert(toolchain.facts.begin(), toolchain.facts.end());
  // Until hosts report which they have mapped: where the loader would look.
  std::string loader_cache;
  for (const std::string& library : toolchain.spec.subject) {
    if (library.contains('*')) continue;
    if (loader_cache.empty()) loader_cache = output_of(runner, {"/sbin/ldconfig", "-p"}, environment);
    const std::string path = locate(library, loader_cache, environment);
    described.subject[std::filesystem::path(library).filename().string()] =
        path.empty() ? "not found" : digests.of(path);
  }
  return described;
}

}  // namespace tally
