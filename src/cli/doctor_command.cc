#include "cli/doctor_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>
#include <sys/personality.h>

#include <algorithm>
#include <fstream>
#include <ostream>
#include <tuple>
#include <utility>

#include "base/byte_count.h"
#include "base/files.h"
#include "base/text.h"
#include "build/cache.h"
#include "build/resolve.h"
#include "build/source.h"
#include "cli/doctor_machine.h"
#include "cpu/lease.h"
#include "definition/builtin_toolchains.h"
#include "discovery/toolchains.h"
#include "discovery/valgrind.h"
#include "hosts/environment.h"
#include "hosts/host_images.h"
#include "hosts/host_spec.h"
#include "json/text.h"
#include "process/install_command.h"
#include "process/mapped_files.h"
#include "process/real_runner.h"
#include "run/cards.h"

namespace tally::cli {

namespace {

enum class State : std::uint8_t {
  missing,
  ok,
  absent,  ///< Only some measurements need it.
};

struct Finding {
  std::string what;
  State state = State::missing;
  std::string detail;
  std::string hint;  ///< Only when not ok.
};

State ok_if(bool ok) { return ok ? State::ok : State::missing; }

/// For a tool that hangs. Torch's headers take a compiler 10 s, and minutes beside a build.
constexpr Milliseconds kPatience{600'000};

ProcessResult run_tool(ProcessRunner& runner, const Context& context, std::vector<std::string> argv) {
  ProcessRequest request;
  request.argv = std::move(argv);
  request.environment = context.environment;
  request.deadline = kPatience;
  request.disable_aslr = true;
  return run(runner, std::move(request));
}

Finding check_valgrind(ProcessRunner& runner, const Context& context) {
  const auto found = find_valgrind(runner, context.environment, context.environment, context.libexec);
  if (!found)
    return {"valgrind", State::missing, "not found",
            install_command("valgrind") + "; without it only times can be taken"};
  const auto counter_runs = [&] {
    std::vector<std::string> argv = found->counter_start;
    argv.insert(argv.end(), {valgrind_tool(found->counter), "--callgrind-out-file=/dev/null", "-q", "/bin/true"});
    return run_tool(runner, context, argv);
  };
  if (found->path.empty()) {
    const ProcessResult result = counter_runs();
    if (!succeeded(result)) {
      return {"valgrind", State::missing,
              fmt::format("not found, and {} does not start by itself: {}", found->counter, trim(result.err.text())),
              install_command("valgrind") + "; without it only times can be taken"};
    }
    return {"valgrind",
            State::ok,
            fmt::format(
                "not found; tally-counter, which has the core of {}, counts by itself. Only --cache-sim, --branch-sim "
                "and --call-context need Valgrind ({})",
                found->counter_version, install_command("valgrind")),
            {}};
  }
  // A Valgrind that cannot run a program at all (a too new kernel or libc) says so here.
  const ProcessResult with_callgrind =
      run_tool(runner, context, {found->path, "--tool=callgrind", "--callgrind-out-file=/dev/null", "-q", "/bin/true"});
  if (!succeeded(with_callgrind))
    return {
        "valgrind", State::missing,
        fmt::format("{} at {} cannot run a program: {}", found->version, found->path, trim(with_callgrind.err.text())),
        "install a newer Valgrind"};
  if (!found->counter.empty()) {
    const ProcessResult with_counter = counter_runs();
    if (!succeeded(with_counter))
      return {"valgrind", State::missing,
              fmt::format("{} at {} does not start {}: {}", found->version, found->path, found->counter,
                          trim(with_counter.err.text())),
              "build or install Tallymark again; without that file Callgrind counts"};
  }
  return {"valgrind",
          State::ok,
          fmt::format("{} ({}); {}", found->version, found->path,
                      found->counter.empty() ? "counts with Callgrind, which takes twice as long as a tally-counter"
                      : found->version == found->counter_version
                          ? "counts with tally-counter"
                          : "counts with tally-counter, which has the core of " + found->counter_version),
          {}};
}

Finding check_aslr(ProcessRunner& runner, const Context& context) {
  if (run_tool(runner, context, {"/bin/true"}).aslr_refused) {
    return {"address randomisation", State::missing, "cannot be switched off here: counts may vary",
            "allow personality(2) in the container (docker: --security-opt seccomp=unconfined)"};
  }
  return {"address randomisation", State::ok, "can be switched off for each process", {}};
}

Finding check_cpus(const Context& context) {
  const auto topology = read_topology();
  if (!topology) return {"CPUs", State::missing, describe(topology.error()), topology.error().hint};
  const auto folder = CpuLeases::default_folder(std::string(value_of(context.environment, "TALLY_CPU_LOCKS")));
  if (!folder) return {"CPUs", State::missing, describe(folder.error()), folder.error().hint};
  return {"CPUs",
          State::ok,
          fmt::format("{} ({} cores), leased by locks in {}", to_string(topology->allowed), topology->cores.size(),
                      *folder),
          {}};
}

Finding check_cache(const Context& context) {
  const auto root =
      default_cache_root(value_of(context.environment, "XDG_CACHE_HOME"), value_of(context.environment, "HOME"));
  if (!root) return {"build cache", State::missing, root.error().message, root.error().hint};
  const auto scratch = Cache(*root).scratch();
  if (!scratch) return {"build cache", State::missing, describe(scratch.error()), scratch.error().hint};
  std::error_code ignored;
  std::filesystem::remove(*scratch, ignored);
  return {"build cache", State::ok, root->string(), {}};
}

Finding check_images(const Context& context) {
  const auto root =
      default_cache_root(value_of(context.environment, "XDG_CACHE_HOME"), value_of(context.environment, "HOME"));
  const auto quota = HostImages::quota_of(value_of(context.environment, HostImages::kVariable));
  if (!quota) return {"images of hosts", State::missing, quota.error().message, quota.error().hint};
  if (!root || *quota == 0) return {"images of hosts", State::ok, "off: each host is started", {}};
  std::error_code code;
  if (!std::filesystem::exists(context.libexec + "/tally-restore", code))
    return {"images of hosts", State::ok, "none without a tally-counter: each host is started", {}};
  const HostImages store(host_images_folder(*root));
  std::uint64_t bytes = store.library_bytes();
  const std::vector<HostImages::Image> images = store.list();
  for (const HostImages::Image& one : images) bytes += one.bytes;
  return {"images of hosts",
          State::ok,
          fmt::format("{}, {} of {} at the most", images.size(), bytes_text(bytes), bytes_text(*quota)),
          {}};
}

/// A compiler and the headers, which are there only when they compile.
Finding check_cpp(ProcessRunner& runner, const Context& context, const ResolvedToolchain& toolchain,
                  const std::string& names) {
  const Result<ResolvedCompiler>& compiler = *toolchain.compiler;
  Finding cpp{fmt::format("C++ ({})", names), ok_if(compiler.has_value()), {}, {}};
  if (!compiler) {
    if (compiler.error().kind == ErrorKind::missing) cpp.state = State::absent;
    cpp.detail = compiler.error().message;
    cpp.hint = compiler.error().hint;
    return cpp;
  }
  auto folder = TemporaryFolder::make();
  const std::filesystem::path file = folder ? folder->path() / "prelude.cc" : "/nonexistent";
  std::ignore = write_file(file, prelude_source(toolchain.spec.cpp));  // what is not there the compiler names
  std::vector<std::string> argv = {compiler->path, "-fsyntax-only", "-I" + context.libexec + "/include"};
  argv.insert(argv.end(), toolchain.spec.cpp.flags.begin(), toolchain.spec.cpp.flags.end());
  for (const std::string& include : toolchain.spec.cpp.include) argv.push_back("-I" + include);
  argv.push_back(file.string());
  const ProcessResult result = run_tool(runner, context, argv);
  cpp.state = ok_if(succeeded(result));
  const bool in_time = !std::holds_alternative<TimedOut>(result.outcome);
  cpp.detail = fmt::format("{} ({})", compiler->version, compiler->path);
  if (!in_time) cpp.detail += "; compiling its headers " + describe(result.outcome);
  if (cpp.state != State::ok && in_time) {
    cpp.detail += "; its headers do not compile";
    cpp.hint = trim(result.err.text());
  }
  return cpp;
}

Finding check_python(const ResolvedToolchain& toolchain, const std::string& names) {
  const Result<ResolvedInterpreter>& interpreter = *toolchain.interpreter;
  Finding python{fmt::format("Python ({})", names), ok_if(interpreter.has_value()), {}, {}};
  if (!interpreter) {
    if (interpreter.error().kind == ErrorKind::missing) python.state = State::absent;
    python.detail = interpreter.error().message;
    python.hint = interpreter.error().hint;
    return python;
  }
  python.detail = fmt::format("Python {} ({})", interpreter->version, interpreter->path);
  for (const std::string& module : interpreter->modules) python.detail += ", " + module.substr(0, module.rfind(' '));
  if (toolchain.carried) python.detail += "; not installed here: its images were carried here, and only count";
  return python;
}

/// What Python has loaded is what C++ links: the C++ host must map the very files, and no others of their names.
Finding check_same_libraries(ProcessRunner& runner, const Context& context, const ResolvedToolchain& toolchain) {
  namespace fs = std::filesystem;
  Finding same{fmt::format("C++ and Python ({})", toolchain.spec.name), State::missing, {}, {}};
  std::vector<std::string> argv = {context.libexec + "/tally-host-cpp", "--mapped"};
  for (const std::string& library : toolchain.spec.cpp.preload) argv.insert(argv.end(), {"--preload", library});
  const ProcessResult result = run_tool(runner, context, argv);
  if (!succeeded(result)) {
    same.detail = fmt::format("C++ cannot load what Python has loaded: {}", trim(result.err.text()));
    same.hint = "see LD_LIBRARY_PATH, and which libraries are installed twice";
    return same;
  }
  const std::vector<std::string> mapped = parse_mapped_files(result.out.text());
  std::vector<std::string> names;
  for (const std::string& wanted : toolchain.spec.cpp.preload) {
    const std::string name = fs::path(wanted).filename().string();
    names.push_back(name);
    for (const std::string& path : mapped) {
      if (fs::path(path).filename() != name || path == fs::weakly_canonical(wanted)) continue;
      same.detail = fmt::format("C++ has loaded {}, and Python {}", path, wanted);
      same.hint = "see LD_LIBRARY_PATH, and which libraries are installed twice";
      return same;
    }
  }
  same.state = State::ok;
  same.detail = fmt::format("C++ and Python load the same {}", fmt::join(names, ", "));
  return same;
}

void check_toolchain(ProcessRunner& runner, const Context& context, const Toolchain& toolchain,
                     const std::string& names, std::vector<Finding>& findings) {
  const RunEnvironment environment{context.environment, filter_environment(context.environment, {}),
                                   context.working_folder};
  const auto root =
      default_cache_root(value_of(context.environment, "XDG_CACHE_HOME"), value_of(context.environment, "HOME"));
  const ResolvedToolchain resolved =
      resolve_toolchain(runner, toolchain, {}, environment, Cache(root.value_or("/nonexistent")));
  findings.push_back(check_cpp(runner, context, resolved, names));
  findings.push_back(check_python(resolved, names));
  if (!toolchain.python.discover.empty() && resolved.compiler->has_value() && !resolved.spec.cpp.preload.empty())
    findings.push_back(check_same_libraries(runner, context, resolved));
}

/// Those that differ in nothing but their name are looked at once. What one language or PyTorch needs may be absent, as
/// long as something can be measured.
std::vector<Finding> check_toolchains(ProcessRunner& runner, const Context& context,
                                      const std::vector<Toolchain>& toolchains) {
  std::vector<std::pair<Toolchain, std::vector<std::string>>> distinct;
  for (const Toolchain& one : toolchains) {
    const auto same = std::ranges::find_if(distinct, [&](const auto& other) {
      Toolchain renamed = one;
      renamed.name = other.first.name;
      return renamed == other.first;
    });
    if (same != distinct.end()) {
      same->second.push_back(one.name);
    } else {
      distinct.push_back({one, {one.name}});
    }
  }
  std::vector<Finding> findings;
  for (const auto& [toolchain, names] : distinct)
    check_toolchain(runner, context, toolchain, join(names, ", "), findings);
  if (std::ranges::none_of(findings, [](const Finding& one) { return one.state == State::ok; })) {
    for (Finding& one : findings) one.state = State::missing;
  }
  return findings;
}

std::string_view name(State state) { return state == State::ok ? "ok" : state == State::absent ? "absent" : "missing"; }

constexpr std::size_t kDetailColumn = 34;

void print_finding(const Finding& one, std::ostream& out) {
  fmt::print(out, "{:8} {:24} {}\n", one.state == State::missing ? "MISSING" : name(one.state), one.what,
             replace_all(one.detail, "\n", "\n" + std::string(kDetailColumn, ' ')));
  if (one.state != State::ok) fmt::print(out, "{}-> {}\n", std::string(kDetailColumn, ' '), one.hint);
}

}  // namespace

void add_doctor_options(OptionSet& command, DoctorOptions& options) {
  command.add("--machine", &options.machine, "Print what counts follow from on this machine, and what may move them");
  command.add("--json", &options.json, "Print JSON");
}

int run_doctor(const Context& context, const DoctorOptions& options, std::ostream& out, std::ostream& /*err*/) {
  RealProcessRunner runner(context.libexec + "/tally-supervisor");
  if (options.machine) return describe_this_machine(runner, context, options.json, out);
  std::vector<Finding> findings = {check_valgrind(runner, context), check_aslr(runner, context), check_cpus(context),
                                   check_cache(context), check_images(context)};
  for (const std::string& card : describe_cards(runner, context.environment))
    findings.push_back({"gpu", State::ok, card, {}});
  std::ranges::move(check_toolchains(runner, context, builtin_toolchains()), std::back_inserter(findings));
  bool fine = true;
  json::Array list;
  for (const Finding& finding : findings) {
    fine = fine && finding.state != State::missing;
    list.push_back(json::Object{{"what", finding.what},
                                {"ok", finding.state == State::ok},
                                {"state", std::string(name(finding.state))},
                                {"detail", finding.detail},
                                {"hint", finding.hint},
                                {"mend", finding.hint}});
    if (!options.json) print_finding(finding, out);
  }
  if (options.json) out << json::to_text(json::Object{{"ok", fine}, {"findings", std::move(list)}}, 2) << '\n';
  return fine ? kFine : kFailed;
}

}  // namespace tally::cli
