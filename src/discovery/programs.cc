#include "discovery/programs.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/text.h"
#include "build/resolve.h"
#include "discovery/python_programs.h"
#include "process/loader.h"
#include "protocol/descriptors.h"

namespace tally {

namespace fs = std::filesystem;

namespace {

constexpr Milliseconds kDeadline(60'000);
constexpr std::string_view kGoogleBenchmark = "libbenchmark.so";
constexpr std::string_view kThreads = "@threads=";
constexpr std::string_view kByArguments = "by arguments of its own: after --, or args in a suite";

/// What its functions of these names are in a program that has Google Benchmark inside.
constexpr std::string_view kGoogleRun = "_ZN9benchmark22RunSpecifiedBenchmarksE";

Error no_program(const std::string& path, const std::string& why) {
  return {ErrorKind::input, why, path,
          "give a program that is linked with tallymark::bench or tallymark::benchmark, or with Google Benchmark"};
}

bool is_google(std::string_view elf) {
  return needs_library(elf, kGoogleBenchmark) ||
         (!program_interpreter(elf).empty() && defines_function(elf, kGoogleRun));
}

/// Built with tallymark::benchmark: its namespace is in the names of its types, which no link takes out.
bool is_ours(std::string_view elf) { return elf.find("compiled_with_tallymark") != std::string_view::npos; }

/// A program that did not answer: what it wrote.
Error no_answer(const std::string& path, const Outcome& outcome, const std::string& said) {
  Error error = no_program(path, "does not list its benchmarks: " + describe(outcome) +
                                     (said.empty() ? "" : ", and says: " + std::string(last_line(trim(said)))));
  if (std::holds_alternative<TimedOut>(outcome)) {
    error.hint = "its main runs as far as its last benchmark to list them: choose fewer " + std::string(kByArguments);
  } else if (said.find("error while loading shared libraries") != std::string::npos) {
    error.hint = "let its libraries be found: by its run path, or by LD_LIBRARY_PATH and --keep-env LD_LIBRARY_PATH";
  } else if (said.find("ASan") != std::string::npos) {
    error.hint = "build it without -fsanitize=address: Valgrind cannot run it";
  }
  return error;
}

/// Google Benchmark is linked into it, and nothing of ours can take its place: started, it would run all its
/// benchmarks.
bool hides_google(std::string_view elf) {
  const auto has = [&](std::string_view text) { return elf.find(text) != std::string_view::npos; };
  return has("benchmark_filter") && has("benchmark_min_time") && !is_google(elf) && !is_ours(elf) &&
         !has(protocol::kBenchmarkListStart);
}

Error hidden_google(const std::string& path, std::string_view elf) {
  const bool alone = program_interpreter(elf).empty();
  Error error =
      no_program(path, std::string("its benchmarks cannot be listed: Google Benchmark is linked into it, and it ") +
                           (alone ? "is wholly static" : "has lost its symbol table"));
  error.hint =
      std::string(alone ? "link it without -static" : "link it without -s") + ", or build it with tallymark::benchmark";
  return error;
}

/// Whether it would run as somebody else, or for another group: a loader preloads nothing into such a program.
bool changes_rights(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return false;
  return ((status.st_mode & S_ISUID) != 0 && status.st_uid != ::getuid()) ||
         ((status.st_mode & S_ISGID) != 0 && status.st_gid != ::getgid());
}

/// "fixture/method" is two. A name of which a part could not stand alone ("a//b", "dump/x / -") is one.
std::vector<std::string_view> label_parts(std::string_view name) {
  auto parts = split(name, '/');
  const auto stands_alone = [](std::string_view part) { return !part.empty() && trim(part).size() == part.size(); };
  if (!std::ranges::all_of(parts, stands_alone)) return {trim(name)};
  return parts;
}

/// "1,4".
Result<std::vector<int>> thread_counts(const std::string& program, std::string_view text) {
  std::vector<int> counts;
  for (const std::string_view one : split(text, ',')) {
    int count = 0;
    const auto read = std::from_chars(one.data(), one.data() + one.size(), count);
    if (read.ec != std::errc() || read.ptr != one.data() + one.size() || count < 1)
      return std::unexpected(no_program(program, "lists a number of threads that is none"));
    counts.push_back(count);
  }
  return counts;
}

/// Adds one line of the list.
Status add_benchmark(Suite& suite, const std::string& toolchain, const std::string& group, std::string_view line) {
  const auto fields = split(line, '\t');
  Benchmark benchmark{.label = {group}, .cpp = {std::string(fields.front()), {}}, .cpp_is_name = true};
  for (const std::string_view part : label_parts(fields.front())) benchmark.label.emplace_back(part);
  benchmark.options.toolchain = toolchain;
  for (std::size_t i = 1; i < fields.size(); ++i) {
    if (fields[i].starts_with(kThreads)) {
      auto counts = thread_counts(group, fields[i].substr(kThreads.size()));
      if (!counts) return std::unexpected(counts.error());
      benchmark.options.threads = *std::move(counts);
      continue;
    }
    const std::size_t equals = fields[i].find('=');
    Param param{.name = std::string(fields[i].substr(0, equals))};
    if (equals != std::string_view::npos) {
      for (const std::string_view value : split(fields[i].substr(equals + 1), ',')) param.values.emplace_back(value);
    }
    benchmark.cpp.text += fmt::format("/${{{}}}", param.name);
    benchmark.params.push_back(std::move(param));
  }
  return suite.add(std::move(benchmark));
}

}  // namespace

Result<Suite> suite_of_list(const std::string& program, const std::string& preload, std::string_view list) {
  const auto lines = split(list, '\n');
  if (lines.front() != protocol::kBenchmarkListStart)
    return std::unexpected(no_program(program, "is not a benchmark program: it lists no benchmarks"));
  const std::string group = fs::path(program).filename().string();
  Toolchain toolchain;
  toolchain.name = "program";
  toolchain.own_host.executable = program;
  toolchain.own_host.preload = preload;
  toolchain.subject = {program};
  const std::string name = toolchain.name;
  Suite suite;
  if (auto added = suite.add_toolchain(std::move(toolchain)); !added) return std::unexpected(added.error());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    if (auto added = add_benchmark(suite, name, group, lines[i]); !added) return std::unexpected(added.error());
  }
  if (suite.definitions().empty()) {
    Error none = no_program(program, "has no benchmarks");
    none.hint = "register one, or choose others " + std::string(kByArguments);
    return std::unexpected(std::move(none));
  }
  return suite;
}

Result<Suite> suite_of_program(ProcessRunner& runner, const Program& program, const RunEnvironment& environment,
                               const std::string& libexec) {
  std::error_code code;
  const fs::path path = fs::canonical(fs::path(environment.working_folder) / program.path, code);
  if (code) return std::unexpected(no_program(program.path, "cannot be run: " + code.message()));
  if (fs::is_directory(path, code)) return std::unexpected(no_program(program.path, "is a folder"));
  if (::access(path.c_str(), X_OK) != 0) return std::unexpected(no_program(program.path, "is not executable"));
  const auto elf = read_file(path);
  if (elf && hides_google(*elf)) return std::unexpected(hidden_google(program.path, *elf));
  const std::string preload = elf && is_google(*elf) ? libexec + "/tally_google_benchmark.so" : "";
  if (!preload.empty() && changes_rights(path)) {
    Error error = no_program(program.path, "is set-uid or set-gid, and its benchmarks cannot be listed");
    error.hint = "give a copy of it, which has its caller's rights (cp), or build it with tallymark::benchmark";
    return std::unexpected(std::move(error));
  }
  UniqueFd list(::memfd_create("benchmarks", MFD_CLOEXEC));
  UniqueFd end(::dup(list.get()));
  if (!list || !end) return std::unexpected(errno_error("make room for a list of benchmarks", program.path));
  ProcessRequest request;
  request.argv = {path.string()};
  request.argv.insert(request.argv.end(), program.args.begin(), program.args.end());
  request.environment = with_variables(environment.filtered, program.environment);
  request.environment.emplace_back(protocol::kAskVariable, protocol::kAskToList);
  if (!preload.empty()) request.environment = with_first(std::move(request.environment), "LD_PRELOAD", preload);
  request.working_folder = environment.working_folder;
  request.deadline = kDeadline;
  request.pass_fds.push_back({protocol::kBenchmarkList, std::move(end)});
  const ProcessResult result = run(runner, std::move(request));
  const auto text = read_file(fmt::format("/proc/self/fd/{}", list.get()));
  // Where the list is written, what the program does afterwards is of no use to it (host/embedded/asked.h).
  if (!succeeded(result) && !(text && text->starts_with(protocol::kBenchmarkListStart))) {
    const std::string said = result.err.text();
    if (const auto* const failed = std::get_if<SpawnFailed>(&result.outcome))
      return std::unexpected(no_program(program.path, "cannot be run: " + failed->error.message));
    return std::unexpected(no_answer(program.path, result.outcome, said));
  }
  if (!text) return std::unexpected(text.error());
  auto listed = suite_of_list(path.string(), preload, *text);
  // A place in a message is the one that the user has named.
  if (!listed && listed.error().where == path) listed.error().where = program.path;
  return listed;
}

ProgramLister program_lister(ProcessRunner& runner, std::string libexec, Caller caller, Tools tools,
                             Settings settings) {
  return [&runner, libexec = std::move(libexec), caller = std::move(caller), tools = std::move(tools),
          settings = std::move(settings),
          found = std::optional<RunEnvironment>()](const Program& program) mutable -> Result<Suite> {
    if (!found) {
      auto environment = run_environment(runner, caller, tools, settings);
      if (!environment) return std::unexpected(environment.error());
      found = *std::move(environment);
    }
    return program.framework.empty() ? suite_of_program(runner, program, *found, libexec)
                                     : suite_of_python_program(runner, program, tools, *found, libexec);
  };
}

bool is_program(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic(4, '\0');
  return file.read(magic.data(), 4) && magic == "\177ELF";
}

}  // namespace tally
