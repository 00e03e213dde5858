#include "process/running_child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "process/process_tree.h"
#include "process/spawn.h"
#include "process/supervisor_wire.h"

namespace tally {
namespace {

constexpr std::size_t kReadSize = 64UZ * 1024;  // A pipe's usual capacity: more cannot wait in it.

Result<std::string> locate(const ProcessRequest& request) {
  if (request.argv.empty() || request.argv[0].empty()) return fail(ErrorKind::internal, "a process without a command");
  const std::string& name = request.argv[0];
  std::string_view path = "/usr/local/bin:/usr/bin:/bin";
  for (const auto& [variable, value] : request.environment) {
    if (variable == "PATH") path = value;
  }
  // A relative path is meant from the folder in which the process starts.
  const bool relative = name.contains('/') && name[0] != '/' && !request.working_folder.empty();
  const std::string file = relative ? fmt::format("{}/{}", request.working_folder, name) : name;
  if (const std::optional<std::string> found = find_program(file, path)) return relative ? name : *found;
  if (name.contains('/')) return fail(ErrorKind::missing, fmt::format("there is no program {}", name));
  return fail(ErrorKind::missing, fmt::format("there is no program '{}' in the PATH {}", name, path));
}

Status check_text(const ProcessRequest& request) {
  const auto broken = [](const std::string& text) { return text.contains('\0'); };
  if (std::ranges::any_of(request.argv, broken)) {
    return fail(ErrorKind::input, "an argument holds a NUL character", request.argv[0]);
  }
  for (const auto& [name, value] : request.environment) {
    if (name.empty() || name.contains('=') || broken(name) || broken(value)) {
      return fail(ErrorKind::input, fmt::format("'{}' cannot be an environment variable", name), request.argv[0]);
    }
  }
  return {};
}

Result<UniqueFd> standard_input(const std::string& text) {
  if (text.empty()) {
    UniqueFd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!null) return std::unexpected(errno_error("open", "/dev/null"));
    return null;
  }
  UniqueFd memory(memfd_create("stdin", MFD_CLOEXEC));  // Unlike a pipe it needs nobody to write while others run.
  if (!memory) return std::unexpected(errno_error("make a file in memory", "standard input"));
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write(memory.get(), text.data() + done, text.size() - done);
    if (written < 0) return std::unexpected(errno_error("write", "standard input"));
    done += static_cast<std::size_t>(written);
  }
  lseek(memory.get(), 0, SEEK_SET);
  return memory;
}

struct Pipe {
  UniqueFd ours;
  UniqueFd theirs;
};

Result<Pipe> output_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) < 0) return std::unexpected(errno_error("make a pipe", "output"));
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Result<Pipe> supervisor_wire() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) < 0) {
    return std::unexpected(errno_error("make a socket pair", "tally-supervisor"));
  }
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

/// The supervisor starts in the process's folder.
std::string absolute_folder(const std::string& folder) {
  std::error_code error;
  return folder.empty() ? folder : std::filesystem::absolute(folder, error).string();
}

bool passes(const ProcessRequest& request, int target) {
  return std::ranges::any_of(request.pass_fds, [&](const PassedFd& passed) { return passed.target == target; });
}

int above_targets(const ProcessRequest& request) {
  int highest = 2;
  for (const PassedFd& passed : request.pass_fds) highest = std::max(highest, passed.target);
  return highest + 1;
}

}  // namespace

RunningChild::RunningChild(const ProcessRequest& request)
    : out_{UniqueFd(), BoundedOutput(request.output_limit)},
      err_{UniqueFd(), BoundedOutput(request.output_limit)},
      program_(request.argv[0]),
      deadline_(request.deadline),
      grace_(request.grace) {}

Result<std::unique_ptr<RunningChild>> RunningChild::start(ProcessRequest request, const std::string& supervisor) {
  const Result<std::string> path = locate(request);
  if (!path) return std::unexpected(path.error());
  if (const Status text = check_text(request); !text) return std::unexpected(text.error());

  std::unique_ptr<RunningChild> child(new RunningChild(request));
  SpawnPlan plan{.path = *path,
                 .argv = std::move(request.argv),
                 .environment = {},
                 .working_folder = std::move(request.working_folder),
                 .cpus = std::move(request.cpus),
                 .stack_bytes = request.stack_bytes,
                 .disable_aslr = request.disable_aslr,
                 .fds = {}};
  for (const auto& [name, value] : request.environment) plan.environment.push_back(fmt::format("{}={}", name, value));

  std::vector<UniqueFd> theirs;  // Open until the spawn.
  const auto give = [&](int target, UniqueFd fd) {
    plan.fds.emplace_back(target, fd.get());
    theirs.push_back(std::move(fd));
  };
  if (!passes(request, 0)) {
    Result<UniqueFd> input = standard_input(request.stdin_text);
    if (!input) return std::unexpected(input.error());
    give(0, std::move(*input));
  }
  for (const auto& [target, stream] : {std::pair{1, &child->out_}, std::pair{2, &child->err_}}) {
    if (passes(request, target)) continue;
    Result<Pipe> pipe = output_pipe();
    if (!pipe) return std::unexpected(pipe.error());
    stream->fd = std::move(pipe->ours);
    give(target, std::move(pipe->theirs));
  }
  const int control = above_targets(request);
  for (PassedFd& passed : request.pass_fds) give(passed.target, std::move(passed.fd));
  Result<Pipe> wire = supervisor_wire();
  if (!wire) return std::unexpected(wire.error());
  child->supervisor_ = std::move(wire->ours);
  give(control, std::move(wire->theirs));
  plan.argv.insert(plan.argv.begin(), {supervisor, std::to_string(control), absolute_folder(request.scratch),
                                       std::to_string(request.grace.orphaned.count()), plan.path});
  plan.path = supervisor;
  child->started_ = Clock::now();
  const Result<Spawned> spawned = spawn(plan);
  if (!spawned) return std::unexpected(spawned.error());
  child->pid_ = spawned->pid;
  child->aslr_refused_ = spawned->aslr_refused;
  child->pidfd_.reset(static_cast<int>(syscall(SYS_pidfd_open, child->pid_, 0)));
  if (child->pidfd_) return child;
  const Error refused = errno_error("watch a process (pidfd_open)", child->program_);
  signal_tree(child->pid_, SIGKILL);
  waitpid(child->pid_, nullptr, 0);
  return std::unexpected(refused);
}

void RunningChild::read(Stream& stream) {
  // One capacity of a pipe at a time, so that a flood cannot keep us from the deadlines of others.
  std::array<char, kReadSize> buffer;
  const ssize_t got = ::read(stream.fd.get(), buffer.data(), buffer.size());
  if (got > 0) stream.kept.append({buffer.data(), static_cast<std::size_t>(got)});
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) stream.fd.reset();
}

void RunningChild::order(char what) { send(supervisor_.get(), &what, 1, MSG_NOSIGNAL | MSG_DONTWAIT); }

void RunningChild::stop(Outcome reason, CancelMode mode, Clock::time_point now) {
  if (!stop_reason_) stop_reason_ = std::move(reason);
  if (mode == CancelMode::at_once) grace_ = {Milliseconds(0), Milliseconds(0)};
  if (stage_ == Stage::running || mode == CancelMode::at_once) next_stage_ = now;
  act(now);
}

void RunningChild::sweep() { order(supervisor::kSweepTree); }

std::optional<Clock::time_point> RunningChild::next_step() const {
  if (stage_ == Stage::killed) return std::nullopt;
  if (stop_reason_) return next_stage_;
  if (deadline_) return started_ + *deadline_;
  return std::nullopt;
}

void RunningChild::act(Clock::time_point now) {
  if (!stop_reason_ && deadline_ && now >= started_ + *deadline_) {
    stop_reason_ = TimedOut{*deadline_};
    next_stage_ = now;
  }
  while (stop_reason_ && stage_ != Stage::killed && now >= next_stage_) {
    stage_ = static_cast<Stage>(static_cast<int>(stage_) + 1);
    const Milliseconds grace = stage_ == Stage::interrupted  ? grace_.interrupt
                               : stage_ == Stage::terminated ? grace_.terminate
                                                             : Milliseconds(0);
    next_stage_ = now + grace;
    if (stage_ == Stage::killed) order(supervisor::kKillTree);
    if (grace == Milliseconds(0)) continue;  // No time to heed it: not sent.
    order(stage_ == Stage::interrupted ? supervisor::kInterruptTree : supervisor::kTerminateTree);
  }
}

Outcome RunningChild::outcome_of(int raw_status, ProcessResult& result) {
  supervisor::Report report;
  const ssize_t got = recv(supervisor_.get(), &report, sizeof report, MSG_DONTWAIT);
  if (got != sizeof report) {
    if (stop_reason_) return *stop_reason_;
    return SpawnFailed{Error{ErrorKind::io,
                             fmt::format("tally-supervisor itself {}", describe(decode_wait_status(raw_status))),
                             program_, ""}};
  }
  result.leftovers = report.leftovers;
  if (report.exec_errno != 0) {
    return SpawnFailed{
        Error{ErrorKind::io, fmt::format("cannot execute: {}", std::strerror(report.exec_errno)), program_, ""}};
  }
  if (stop_reason_) return *stop_reason_;
  return std::visit([](auto status) -> Outcome { return status; }, decode_wait_status(report.wait_status));
}

ProcessResult RunningChild::finish() {
  ProcessResult result;
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  result.wall = Clock::now() - started_;
  result.aslr_refused = aslr_refused_;
  result.outcome = outcome_of(status, result);
  for (Stream* stream : {&out_, &err_}) {
    // At most what can wait in a pipe (1 MiB is its limit): where the supervisor was killed, somebody may continue
    // writing.
    for (int i = 0; i < 16 && stream->fd; ++i) read(*stream);
    stream->fd.reset();
  }
  result.out = out_.kept.take();
  result.err = err_.kept.take();
  return result;
}

}  // namespace tally
