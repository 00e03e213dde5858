#include "hosts/host_spec.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <span>

#include "base/digest.h"
#include "base/files.h"
#include "build/identity.h"
#include "hosts/command_host.h"
#include "hosts/probe_host.h"
#include "hosts/python_host.h"
#include "process/loader.h"
#include "protocol/case_watch.h"
#include "protocol/descriptors.h"
#include "protocol/dump_names.h"
#include "protocol/first_modules.h"
#include "protocol/frame.h"
#include "protocol/hidden_drivers.h"
#include "protocol/host_image.h"
#include "protocol/late_variables.h"

namespace tally {

namespace {

Result<PassedFd> pass_file(const std::string& path, int target) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) {
    Error error = errno_error("open a part of tally", path);
    error.hint = "tally's libexec folder is incomplete: build or install it again";
    return std::unexpected(std::move(error));
  }
  return PassedFd{target, std::move(fd)};
}

Result<PassedFd> pass_text(const std::string& text, int target) {
  UniqueFd fd(::memfd_create("environment", MFD_CLOEXEC));
  const auto length = static_cast<ssize_t>(text.size());
  if (!fd || ::write(fd.get(), text.data(), text.size()) != length || ::lseek(fd.get(), 0, SEEK_SET) != 0) {
    return std::unexpected(errno_error("keep a host's environment in memory", "memfd"));
  }
  return PassedFd{target, std::move(fd)};
}

/// Where the loader is to look for a program's libraries that lie relative to the program: it is given a descriptor,
/// and would take /proc/self/fd for the program's folder. Empty: nowhere but where it looks anyway.
std::string library_path(const std::string& program, const EnvironmentVariables& environment) {
  std::error_code code;
  const std::filesystem::path real = std::filesystem::canonical(program, code);
  const auto bytes = read_file(program);
  if (code || !bytes) return {};
  std::string path = path_from_origin(*bytes, real.parent_path().string());
  if (path.empty()) return path;
  // The loader's option takes the variable's place.
  for (const auto& [name, value] : environment) {
    if (name == "LD_LIBRARY_PATH" && !value.empty()) path.insert(0, value + ":");
  }
  return path;
}

/// A counted host is started by the loader, from an open descriptor: libraries ask for the program's path and keep it,
/// and with tally in a folder with a longer name `x += 1.0` read 13 instructions less.
Status add_cpp(HostSpec& spec, const ResolvedToolchain& toolchain, const std::optional<BuiltCase>& warm_up,
               const HostSurroundings& around) {
  const std::string& program = toolchain.spec.own_host.executable;
  const std::string& preload = toolchain.spec.own_host.preload;
  const std::string host = program.empty() ? around.libexec + "/tally-host-cpp" : program;
  // Where its author has fixed the executions, the first call is counted, and in it the search for what it calls: 900
  // instructions in three executions of a thousand.
  if (!preload.empty()) set_variable(spec.environment, "LD_BIND_NOW", "1");
  if (spec.counted) {
    auto loader = loader_of(host);
    if (!loader) return std::unexpected(loader.error());
    spec.files = {{host, protocol::kHostProgram}};
    spec.argv.push_back(*std::move(loader));
    if (const std::string path = program.empty() ? std::string() : library_path(program, spec.environment);
        !path.empty())
      spec.argv.insert(spec.argv.end(), {"--library-path", path});
    if (!preload.empty()) {
      spec.files.push_back({preload, protocol::kProgramPreload});
      spec.argv.insert(spec.argv.end(), {"--preload", fmt::format("/proc/self/fd/{}", protocol::kProgramPreload)});
    }
    spec.argv.push_back(fmt::format("/proc/self/fd/{}", protocol::kHostProgram));
  } else {
    spec.argv.push_back(host);
    if (!preload.empty()) spec.environment = with_first(std::move(spec.environment), "LD_PRELOAD", preload);
  }
  if (!program.empty()) {
    spec.is_users_program = true;
    spec.argv.insert(spec.argv.end(), toolchain.spec.own_host.args.begin(), toolchain.spec.own_host.args.end());
    set_variable(spec.environment, protocol::kAskVariable, protocol::kAskToServe);
    spec.made_of = state_of_all(std::span(&program, 1));
    spec.made_of_files = {program};
    return {};
  }
  for (const std::string& library : toolchain.spec.cpp.preload)
    spec.argv.insert(spec.argv.end(), {"--preload", library});
  if (warm_up) spec.argv.insert(spec.argv.end(), {"--warm-up", warm_up->library, warm_up->symbol});
  return {};
}

/// Taken out of the environment that the host is started with. A value that it has no room for stays.
EnvironmentVariables take_late_variables(EnvironmentVariables& environment) {
  EnvironmentVariables taken;
  std::erase_if(environment, [&](const auto& variable) {
    const auto& [name, value] = variable;
    const bool is_late = value.size() < protocol::kLateRoom &&
                         std::ranges::find(protocol::kLateVariables, name) != std::end(protocol::kLateVariables);
    if (is_late) taken.push_back(variable);
    return is_late;
  });
  return taken;
}

/// A host of cases on no device is what it would be on a machine without a driver; the counter sees to that, and what
/// is preloaded where another program runs it.
void hide_drivers(HostSpec& spec, const std::vector<std::string>& drivers, bool has_counter,
                  const HostSurroundings& around) {
  if (drivers.empty()) return;
  std::string list = fmt::format("{}", fmt::join(drivers, ":"));
  if (has_counter) {
    spec.argv.push_back(protocol::kHiddenDriversOption + std::move(list));
    return;
  }
  set_variable(spec.environment, protocol::kHiddenDriversVariable, std::move(list));
  spec.environment = with_first(std::move(spec.environment), "LD_PRELOAD", around.libexec + "/tally_no_drivers.so");
}

}  // namespace

std::string describe(const HostKind& kind) {
  if (kind.language == Language::command) return kind.counted ? "host of counted commands" : "host of commands";
  return fmt::format("{} host of {}{}{}{}{}{}", kind.language == Language::cpp ? "C++" : "Python", kind.toolchain,
                     kind.runtime.empty() ? "" : ", ", kind.runtime, kind.on_device ? " for devices" : "",
                     kind.probe != nullptr ? fmt::format(" {}", kind.probe->description)
                     : kind.counted        ? " under Valgrind"
                                           : "",
                     kind.anew ? ", a second process" : "");
}

bool is_fork_of_program(const HostKind& kind, const HostSurroundings& around) {
  return kind.language == Language::python && kind.counted && kind.probe == nullptr && !around.here.empty();
}

namespace {

/// Of Valgrind's core, whichever tool counts.
constexpr std::array<std::string_view, 11> kCoreFlags = {
    "--quiet",
    // With gdbserver, one run in three differed by up to 0.5 %.
    "--vgdb=no",
    "--fair-sched=yes",
    "--read-inline-info=no",
    "--read-var-info=no",
    "--smc-check=all-non-file",
    "--trace-children=no",
    "--child-silent-after-fork=yes",
    "--max-stackframe=16777216",  // our pinned stack is no switch of stacks
    "--num-callers=12",
    "--log-fd=2",
};

}  // namespace

std::string valgrind_tool(const std::string& path) {
  // Valgrind's own folder may lie as deep as package managers of supercomputers put it; the root is its own parent.
  constexpr int kLevels = 32;
  std::string tool = "--tool=..";
  for (int level = 1; level < kLevels; ++level) tool += "/..";
  return tool + path;
}

Settings of_instructions_alone(Settings settings) {
  settings.cache_sim = false;
  settings.branch_sim = false;
  settings.call_context = 0;
  return settings;
}

std::vector<std::string> valgrind_flags(const Settings& settings) {
  const auto yes = [](bool value) { return value ? "yes" : "no"; };
  std::vector<std::string> flags = {
      "--tool=callgrind",
      // Off until the libraries are loaded: importing torch takes 7 s instead of 60.
      "--instr-atstart=no",
      // For threads that a region starts: the collect state belongs to one thread, and the main one switches its own.
      "--collect-atstart=yes",
      "--separate-threads=no",
      "--separate-recs=1",
      fmt::format("--separate-callers={}", settings.call_context),
      "--collect-jumps=no",
      "--collect-systime=no",
      "--collect-bus=no",
      "--dump-instr=no",
      "--dump-line=yes",
      "--combine-dumps=no",
      "--compress-strings=yes",
      "--compress-pos=yes",
      "--skip-plt=yes",
      fmt::format("--cache-sim={}", yes(settings.cache_sim)),
      fmt::format("--branch-sim={}", yes(settings.branch_sim)),
  };
  flags.insert(flags.end(), kCoreFlags.begin(), kCoreFlags.end());
  if (settings.cache_sim) {
    // A fixed geometry, not this machine's: 32 KiB 8-way L1, 8 MiB 16-way last level, 64-byte lines.
    flags.insert(flags.end(), {"--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"});
  }
  return flags;
}

/// Names of functions are demangled by who reads them, of one dump in three.
std::vector<std::string> counter_flags(const std::string& counter) {
  std::vector<std::string> flags = {valgrind_tool(counter), "--demangle=no"};
  flags.insert(flags.end(), kCoreFlags.begin(), kCoreFlags.end());
  return flags;
}

Result<HostSpec> host_spec(const HostKind& kind, const ResolvedToolchain& toolchain,
                           const std::optional<BuiltCase>& warm_up, const HostSurroundings& around,
                           const Settings& settings) {
  HostSpec spec;
  spec.name = describe(kind);
  spec.family = describe(HostKind{
      .toolchain = kind.toolchain, .language = kind.language, .runtime = kind.runtime, .on_device = kind.on_device});
  spec.counted = kind.counted;
  spec.single_use = settings.isolation == "process";
  spec.anew = kind.anew;
  spec.environment =
      with_variables(kind.counted ? around.environment : around.timed_environment, toolchain.spec.environment);
  spec.working_folder = around.working_folder;
  if (kind.on_device) spec.environment = with_variables(std::move(spec.environment), around.device_environment);
  if (kind.hash_seed != 0) set_variable(spec.environment, "PYTHONHASHSEED", std::to_string(kind.hash_seed));
  if (kind.environment_padding != 0) {
    set_variable(spec.environment, "TALLY_PADDING", std::string(kind.environment_padding, 'x'));
  }
  if (kind.language == Language::command) {
    if (kind.counted && around.counter.empty()) {
      const bool wants_more = settings.cache_sim || settings.branch_sim || settings.call_context > 0;
      return wants_more ? fail(ErrorKind::input, "a command's caches, branches and calls are not counted", {},
                               "leave out --cache-sim, --branch-sim and --call-context")
                        : fail(ErrorKind::missing, "tally's own counter, which counts commands, is not there", {},
                               "see tally doctor; or take times: --wall-only");
    }
    spec.environment = around.command_environment;
    if (kind.environment_padding != 0)
      set_variable(spec.environment, "TALLY_PADDING", std::string(kind.environment_padding, 'x'));
    std::vector<std::string> flags = kind.counted ? counter_flags(around.counter) : std::vector<std::string>();
    if (kind.probe != nullptr && kind.probe->command_option != nullptr) flags.emplace_back(kind.probe->command_option);
    add_command_host(spec, flags, around);
    return spec;
  }
  if (is_fork_of_program(kind, around)) {
    // Each is another state of that process.
    spec.single_use = true;
    spec.argv = {around.libexec + "/tally-here", around.here};
    spec.dump_argument = 1;
    spec.working_folder = "/";
    return spec;
  }
  const bool has_flags = kind.probe != nullptr && kind.probe->valgrind_flags != nullptr;
  const bool has_counter = kind.counted && !has_flags && !around.counter.empty();
  if (kind.counted) {
    spec.argv = has_counter ? around.counter_start : std::vector<std::string>{around.valgrind};
    spec.counter_arguments = spec.argv.size();
    for (std::string& flag : has_flags     ? kind.probe->valgrind_flags(settings)
                             : has_counter ? counter_flags(around.counter)
                                           : valgrind_flags(settings))
      spec.argv.push_back(std::move(flag));
    if (has_counter && settings.time_of_day == "fixed") spec.argv.emplace_back(host::kFixedDayOption);
    if (!around.function_symbols.empty()) spec.argv.push_back("--extra-debuginfo-path=" + around.function_symbols);
    if (has_counter && begins_with_first_modules(toolchain, kind, spec.environment))
      spec.argv.emplace_back(host::kFirstModulesOption);
  }
  if (!kind.on_device) hide_drivers(spec, toolchain.spec.device.drivers, has_counter, around);
  if (kind.counted) spec.dump_argument = spec.argv.size();
  if (kind.language == Language::cpp) {
    if (auto added = add_cpp(spec, toolchain, kind.on_device ? std::nullopt : warm_up, around); !added)
      return std::unexpected(added.error());
  } else {
    add_python(spec, toolchain, kind, around);
  }
  // A program finds them when it begins.
  if (toolchain.spec.own_host.executable.empty() && !toolchain.spec.own_host.python)
    spec.late_variables = take_late_variables(spec.environment);
  if (kind.probe != nullptr) spec.folder_variable = kind.probe->folder_variable;
  if (kind.probe != nullptr && kind.probe->add != nullptr) kind.probe->add(spec, around);
  // What is to differ from an ordinary host is started each time: a second process proves nothing if it is the first
  // one again.
  const bool is_of_any_run = kind.probe == nullptr || kind.probe->may_be_image;
  const bool is_ordinary =
      is_of_any_run && !kind.anew && !kind.on_device && kind.hash_seed == 0 && kind.environment_padding == 0;
  if (has_counter && is_ordinary && around.images) {
    spec.images = around.images;
    spec.restorer = around.libexec + "/tally-restore";
  }
  return spec;
}

namespace {

std::vector<std::string> programs_of(const HostSpec& spec) {
  std::vector<std::string> programs = {spec.argv.front()};
  for (const HostSpec::File& file : spec.files) programs.push_back(file.path);
  return programs;
}

/// Of what it is started with from an argument on, but for the content of its files.
std::string start_digest_of(const HostSpec& spec, std::size_t from = 0) {
  Digest digest;
  digest.add(spec.working_folder)
      .add(spec.late_variables ? "late variables" : "")
      .add(spec.late_environment.value_or(""))
      .add(spec.program.value_or(""))
      .add(spec.single_use ? "single" : "")
      .add(spec.anew ? "anew" : "")
      .add(spec.folder_variable);
  for (const std::string& argument : std::span(spec.argv).subspan(from)) digest.add(argument);
  for (const auto& [name, value] : spec.environment) digest.add(name).add(value);
  for (const HostSpec::File& file : spec.files) digest.add(file.path);
  return digest.hex();
}

}  // namespace

HostKey key_of(const HostSpec& spec) {
  const std::string image = start_digest_of(spec);
  Digest lineage;
  lineage.add(image);
  for (const auto& [name, value] : spec.late_variables.value_or(EnvironmentVariables{})) lineage.add(name).add(value);
  const std::string state = state_of_all(programs_of(spec));
  const auto made_of_these = [&](const std::string& one) {
    return Digest().add(one).add(spec.made_of).add(state).hex();
  };
  return HostKey{made_of_these(lineage.hex()), made_of_these(image), lineage.hex()};
}

ImageOrigin origin_of(const HostSpec& spec) {
  ImageOrigin origin{.host = spec.name,
                     .content = Digest().add(start_digest_of(spec)).add(spec.made_of_text).hex(),
                     .files = programs_of(spec)};
  origin.files.insert(origin.files.end(), spec.made_of_files.begin(), spec.made_of_files.end());
  origin.state = state_of_all(origin.files);
  if (spec.installation.empty()) return origin;
  origin.own_content = Digest()
                           .add("with its libraries")
                           .add(start_digest_of(spec, spec.counter_arguments))
                           .add(spec.made_of_text)
                           .hex();
  origin.own_folder = std::filesystem::path(spec.restorer).parent_path().string();
  if (spec.is_carried) {
    origin.content = origin.own_content;
  } else {
    origin.installation = spec.installation;
  }
  return origin;
}

namespace {

/// Linux's usual limit. Threads get stacks of this size, and what a library keeps of one follows from it.
constexpr std::uint64_t kStackBytes = std::uint64_t{8} << 20U;

/// What every host gets.
ProcessRequest basic_request(const HostSpec& spec, UniqueFd control) {
  ProcessRequest request;
  request.environment = spec.environment;
  request.working_folder = spec.working_folder;
  request.stack_bytes = kStackBytes;
  request.disable_aslr = true;
  request.grace = {Milliseconds(0), Milliseconds(0)};
  request.pass_fds.push_back({protocol::kControlSocket, std::move(control)});
  return request;
}

/// A program that is collected may leave temporary files, and the next start would find them: they have a folder of
/// their own, which goes with the host's.
std::string late_environment_of(const HostSpec& spec, const std::string& dumps) {
  std::string text = *spec.late_environment;
  if (!spec.program || dumps.empty()) return text;
  return text.append("TMPDIR=").append(make_temporary_folder(dumps, 0)) + '\0';
}

}  // namespace

std::string late_variables_frame(const EnvironmentVariables& variables) {
  std::size_t size = 1024;
  for (const auto& [name, value] : variables) size += name.size() + value.size() + 64;
  std::string buffer(size, '\0');
  protocol::Writer frame(buffer, protocol::MessageType::variables, 0);
  for (const auto& [name, value] : variables) frame.text(protocol::Field::variable, fmt::format("{}={}", name, value));
  return std::string(frame.finish());
}

std::string make_temporary_folder(const std::string& dumps, std::uint32_t number) {
  const std::string folder = fmt::format("{}/tmp/{:07}", dumps, number);
  std::error_code code;
  std::filesystem::create_directories(folder, code);  // who enters it says that it is not there
  return folder;
}

ProcessRequest restore_request(const HostSpec& spec, const std::string& dumps, UniqueFd control, UniqueFd image,
                               const std::vector<std::string>& folders) {
  ProcessRequest request = basic_request(spec, std::move(control));
  request.argv = {spec.restorer, dumps + protocol::kDumpPattern};
  if (!folders.empty()) request.argv.push_back(fmt::format("{}", fmt::join(folders, ":")));
  request.pass_fds.push_back({protocol::image::kDescriptor, std::move(image)});
  return request;
}

Result<ProcessRequest> host_request(const HostSpec& spec, const std::string& dumps, UniqueFd control,
                                    const std::string& new_image) {
  ProcessRequest request = basic_request(spec, std::move(control));
  request.argv = spec.argv;
  if (spec.counted) {
    std::vector<std::string> options = {"--callgrind-out-file=" + dumps + protocol::kDumpPattern};
    if (!new_image.empty()) options.push_back(protocol::image::kOption + new_image);
    if (!new_image.empty() && spec.is_users_program) options.emplace_back(protocol::image::kOfProgramOption);
    request.argv.insert(request.argv.begin() + static_cast<std::ptrdiff_t>(spec.dump_argument), options.begin(),
                        options.end());
  }
  if (!spec.folder_variable.empty()) set_variable(request.environment, spec.folder_variable, dumps);
  if (spec.late_environment) {
    auto late = pass_text(late_environment_of(spec, dumps), protocol::kLateEnvironment);
    if (!late) return std::unexpected(late.error());
    request.pass_fds.push_back(*std::move(late));
  }
  if (spec.program) {
    auto text = pass_text(*spec.program, protocol::kProgramText);
    if (!text) return std::unexpected(text.error());
    request.pass_fds.push_back(*std::move(text));
  }
  if (spec.inherits_output) {
    // Without one, a command that wants it says so.
    if (UniqueFd output(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)); output)
      request.pass_fds.push_back({protocol::kInheritedOutput, std::move(output)});
  }
  for (const HostSpec::File& file : spec.files) {
    auto passed = pass_file(file.path, file.target);
    if (!passed) return std::unexpected(passed.error());
    request.pass_fds.push_back(*std::move(passed));
  }
  return request;
}

}  // namespace tally
