#include "engine/testing/fake_case.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <fstream>

#include "process/wait_status.h"
#include "protocol/dump_names.h"

namespace tally {

using protocol::Field;
using protocol::MessageType;
using protocol::Phase;
using protocol::Stage;
using protocol::Writer;

namespace {

constexpr std::size_t kFrame = 16UZ * 1024;
constexpr std::uint64_t kAllocation = 24;  // bytes

int exited_with(int code) { return W_EXITCODE(code, 0); }
int killed_by(int signal) { return W_EXITCODE(0, signal); }

template <typename T>
T nth_or_last(const std::vector<T>& values, std::size_t n) {
  return values.at(std::min(n, values.size() - 1));
}

/// A message in a buffer of its own.
struct Frame {
  Frame(MessageType type, std::uint32_t job) : writer(buffer, type, job) {}
  void send(const FrameStream& socket) { std::ignore = socket.send(writer.finish()); }

  std::array<char, kFrame> buffer;
  Writer writer;
};

}  // namespace

std::string fake_callgrind_dump(int pid, std::uint64_t part, std::uint64_t count) {
  return fmt::format(
      "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: {}\ncmd:  host\npart: {}\n\n\n"
      "desc: I1 cache: \ndesc: D1 cache: \ndesc: LL cache: \n\ndesc: Timerange: Basic block 0 - 1\n"
      "desc: Trigger: Client Request\n\npositions: line\nevents: Ir\nsummary: {}\n\n\n"
      "ob=(1) case.so\nfl=(1) case.cc\nfn=(1) region\n1 {}\n\ntotals: {}\n",
      pid, part, count, count, count);
}

FakeCaseChild::FakeCaseChild(Place place, FakeCase script, std::uint32_t job, UniqueFd socket, UniqueFd output)
    : place_(std::move(place)),
      script_(std::move(script)),
      job_(job),
      pid_(++*place_.last_pid),
      socket_(std::move(socket)),
      output_(std::move(output)) {}

FakeCaseChild::~FakeCaseChild() { place_.runner->children.erase(pid_); }

void FakeCaseChild::begin() {
  place_.runner->children[pid_] = {.parent = place_.host_pid,
                                   .on_signal = [this](int signal) { on_signal(signal); },
                                   .growth_bytes = script_.growth_bytes};
  std::ignore = ::write(output_.get(), script_.output.data(), script_.output.size());
  if (!script_.asked_driver.empty()) {
    Frame asked(MessageType::asked, 0);
    asked.writer.text(Field::driver, script_.asked_driver);
    asked.send(socket_);
  }
  if (!meets_trouble(Stage::load)) enter_phase();
}

void FakeCaseChild::later(Milliseconds time, void (FakeCaseChild::*what)()) {
  place_.runner->after(time, [self = weak_from_this(), what] {
    if (const auto child = self.lock()) (child.get()->*what)();
  });
}

void FakeCaseChild::enter_phase() {
  if (!meets_trouble(Stage::setup) && !meets_trouble(Stage::warm_up)) {
    later(script_.setup_takes, &FakeCaseChild::get_ready);
  }
}

void FakeCaseChild::get_ready() {
  stage_ = Stage::region;
  write_dump(pid_, ++own_dumps_, 0);
  Frame ready(MessageType::ready, job_);
  ready.writer.number(Field::phase, static_cast<std::uint64_t>(phase_))
      .number(Field::threads, script_.threads)
      .number(Field::in_process, script_.forks ? 0 : 1);
  if (!script_.device.empty()) ready.writer.text(Field::device, script_.device);
  ready.send(socket_);
}

void FakeCaseChild::pump() {
  if (hangs_ || over_) return;
  bool closed = false;
  const Status read = socket_.read([this](const Message& command) { on_command(command); }, closed);
  if (!read || closed) end(exited_with(0));  // The runner has lost interest.
}

void FakeCaseChild::on_command(const Message& command) {
  if (hangs_ || over_) return;
  timing_ = command.type() == MessageType::time;
  switch (command.type()) {
    case MessageType::count:
      iterations_ = command.number(Field::iterations, 1);
      last_ = command.number(Field::last) != 0;
      return later(script_.region_takes, &FakeCaseChild::count);
    case MessageType::time:
      iterations_ = command.number(Field::iterations);
      children_ = command.number(Field::children, 1);
      if (iterations_ == 0) iterations_ = script_.executions_in_block;
      return later(script_.region_takes, &FakeCaseChild::time);
    case MessageType::advance:
      if (phase_ == Phase::statement) return end(exited_with(0));
      phase_ = Phase::statement;
      return enter_phase();
    default:
      return end(exited_with(1));
  }
}

void FakeCaseChild::count() {
  const bool baseline = phase_ == Phase::baseline;
  if (!baseline && meets_trouble(Stage::region)) return;
  const bool own = baseline || !script_.forks || last_;
  if (place_.examined) {
    Frame result(MessageType::result, job_);
    result.writer.text(Field::text, nth_or_last(script_.results, results_++));
    if (!script_.refusal.empty()) result.writer.text(Field::refusal, script_.refusal);
    result.send(socket_);
  }
  const std::uint64_t counted = baseline ? nth_or_last(script_.baseline, baselines_++)
                                : own    ? script_.own_count.value_or(nth_or_last(script_.counts, counts_++))
                                         : nth_or_last(script_.counts, counts_++);
  const int pid = own ? pid_ : ++*place_.last_pid;
  report_counted(pid, write_dump(pid, own ? ++own_dumps_ : 1, counted));
}

void FakeCaseChild::report_counted(int pid, std::uint64_t dump) {
  const std::uint64_t allocations = place_.dumps.empty() ? script_.allocations * iterations_ : 0;
  Frame counted(MessageType::counted, job_);
  counted.writer.number(Field::pid, static_cast<std::uint64_t>(pid))
      .number(Field::status, 0)
      .number(Field::iterations, iterations_)
      .number(Field::dump, dump)
      .number(Field::allocation_count, allocations)
      .number(Field::allocation_bytes, allocations * kAllocation);
  if (!script_.changed_file.empty()) counted.writer.text(Field::changed_file, script_.changed_file);
  if (script_.requested != 0) counted.writer.number(Field::requested, script_.requested);
  counted.send(socket_);
}

void FakeCaseChild::time() {
  const bool baseline = phase_ == Phase::baseline;
  if (!baseline && meets_trouble(Stage::region)) return;
  for (; children_ > 0; --children_) {
    std::vector<double> samples;
    for (std::size_t i = 0; i < (baseline ? 1 : script_.blocks); ++i) {
      const double one = baseline ? 1e-9 : script_.seconds.at(samples_++ % script_.seconds.size());
      samples.push_back(one * static_cast<double>(iterations_));
    }
    const bool own = baseline || !script_.forks;
    Frame timed(MessageType::timed, job_);
    timed.writer.number(Field::pid, static_cast<std::uint64_t>(own ? pid_ : ++*place_.last_pid))
        .number(Field::status, 0)
        .number(Field::iterations, iterations_)
        .text(Field::samples, {reinterpret_cast<const char*>(samples.data()), samples.size() * sizeof(double)});
    timed.send(socket_);
  }
}

/// Enters the stage; whether it goes no further.
bool FakeCaseChild::meets_trouble(Stage stage) {
  stage_ = stage;
  if (!script_.trouble || script_.trouble->at != stage) return false;
  const FakeTrouble& trouble = *script_.trouble;
  const bool in_region = stage == Stage::region;
  switch (trouble.kind) {
    case FakeTrouble::Kind::hangs:
      hangs_ = true;
      break;
    case FakeTrouble::Kind::fails:
      say_why(trouble);
      end(exited_with(in_region ? 1 : 0));
      break;
    case FakeTrouble::Kind::crashes:
      say_why(trouble);
      end(in_region ? exited_with(1) : killed_by(trouble.number));
      break;
    case FakeTrouble::Kind::exits:
      if (in_region) say_that_replicate_ended(exited_with(trouble.number));
      end(exited_with(in_region ? 1 : trouble.number));
      break;
  }
  return true;
}

void FakeCaseChild::say_why(const FakeTrouble& trouble) {
  Frame failed(MessageType::failed, job_);
  failed.writer.number(Field::stage, static_cast<std::uint64_t>(stage_));
  if (trouble.kind == FakeTrouble::Kind::crashes) {
    failed.writer.number(Field::signal, static_cast<std::uint64_t>(trouble.number))
        .text(Field::message, "crashed with " + signal_name(trouble.number));
  } else {
    failed.writer.text(Field::message, trouble.message).text(Field::detail, trouble.detail);
  }
  failed.send(socket_);
}

/// The forked one that ran the region.
void FakeCaseChild::say_that_replicate_ended(int wait_status) {
  if (wait_status == 0) return say_why({.message = "the statement ended the process with exit code 0"});
  Frame ended(timing_ ? MessageType::timed : MessageType::counted, job_);
  ended.writer.number(Field::pid, static_cast<std::uint64_t>(++*place_.last_pid))
      .number(Field::status, static_cast<std::uint64_t>(wait_status));
  ended.send(socket_);
}

/// As Callgrind does: "PID.N" in the host's folder. Returns its number; 0 outside Valgrind.
std::uint64_t FakeCaseChild::write_dump(int pid, std::uint64_t number, std::uint64_t count) const {
  if (place_.dumps.empty()) return 0;
  std::ofstream(protocol::dump_path(place_.dumps.c_str(), static_cast<std::uint64_t>(pid), number))
      << fake_callgrind_dump(pid, number, count);
  return number;
}

void FakeCaseChild::on_signal(int signal) {
  if (signal == SIGKILL || !script_.ignores.contains(signal)) end(killed_by(signal));
}

void FakeCaseChild::end(int wait_status) {
  if (std::exchange(over_, true)) return;
  place_.runner->children.erase(pid_);
  socket_.close();
  output_.reset();
  place_.on_end(job_, wait_status, stage_);
}

}  // namespace tally
