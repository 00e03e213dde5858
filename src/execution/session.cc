#include "execution/session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>

#include "base/files.h"
#include "base/text.h"
#include "execution/traceback.h"
#include "measurement/statistics.h"
#include "process/wait_status.h"
#include "profile/callgrind.h"

namespace tally {

using protocol::Field;
using protocol::Message;
using protocol::MessageType;
using protocol::Phase;
using protocol::Stage;
using protocol::Writer;

namespace {

constexpr double kLoopBlocks = 10;  // of the empty loop, to time it

constexpr std::size_t kSmallFrame = 512;

std::vector<double> to_samples(std::string_view bytes, double iterations) {
  std::vector<double> samples(bytes.size() / sizeof(double));
  std::memcpy(samples.data(), bytes.data(), samples.size() * sizeof(double));
  for (double& sample : samples) sample /= iterations;
  return samples;
}

/// Pools the samples of several passes.
template <typename T>
void append(std::vector<T>& all, std::vector<T> more) {
  std::ranges::move(more, std::back_inserter(all));
}

std::uint64_t sample_count(const WallSamples& wall) {
  std::uint64_t count = 0;
  for (const auto& child : wall.by_child) count += child.size();
  return count;
}

void add_pass(WallSamples& all, WallSamples more) {
  all.watch = all.watch && more.watch
                  ? std::optional(pooled(*all.watch, sample_count(all), *more.watch, sample_count(more)))
                  : std::nullopt;
  append(all.by_child, std::move(more.by_child));
}

void append_texts(Writer& writer, Field field, const Code& code) {
  for (const Snippet& part : code.parts) writer.text(field, part.text);
}

/// An upper bound of the request's length.
std::size_t request_size(const Case& c, const Toolchain& toolchain) {
  std::size_t size = 64UZ * 1024;  // paths, numbers, CPUs
  for (const Code* code : {&c.setup, &c.stmt}) {
    for (const Snippet& part : code->parts) size += part.text.size() + 64;
  }
  return size + toolchain.before_region.py.size() + toolchain.sync.py.size() + toolchain.seed.py.size() +
         toolchain.set_threads.py.size();
}

bool is_out_of_memory(std::string_view text) {
  return text.contains("MemoryError") || text.contains("bad_alloc") || text.contains("can't allocate memory");
}

}  // namespace

bool wants_another_replicate(const CountSamples& counts, const Case& c, const ExecutionOptions& options) {
  std::vector<std::uint64_t> totals;
  totals.reserve(counts.replicates.size());
  for (const auto& row : counts.replicates) totals.push_back(row.empty() ? 0 : row.front());
  const int least = c.settings.replicates.value_or(options.replicates);
  return needs_more_replicates(totals, least, std::max(least, options.max_replicates));
}

std::uint64_t Session::memory_limit() const { return plan_.c->settings.memory_bytes.value_or(options_->memory_bytes); }

std::uint64_t Session::iterations() const { return plan_.c->settings.iterations.value_or(options_->iterations); }

Status Session::start(const FrameStream& control) {
  auto pair = make_socket_pair();
  if (!pair) return std::unexpected(pair.error());
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return std::unexpected(errno_error("create a pipe", {}));
  output_.reset(fds[0]);
  ::fcntl(fds[0], F_SETFL, O_NONBLOCK);
  const UniqueFd output_end(fds[1]);
  stream_ = FrameStream(std::move(pair->ours));

  const Case& c = *plan_.c;
  const bool python = c.language == Language::python;
  // Not the largest frame: zeroing 4 MiB takes longer than all else that starting a session needs.
  std::string buffer(std::min(protocol::kMaxFrame, request_size(c, *plan_.toolchain) + options_->examiner.size()),
                     '\0');
  Writer request(buffer, MessageType::run_case, plan_.job);
  if (python) {
    for (const ToolchainCode& code : before_setup(*plan_.toolchain, c.language, c.threads)) {
      request.text(Field::setup_part, code.text);
    }
    append_texts(request, Field::setup_part, c.setup);
    append_texts(request, Field::stmt_part, c.stmt);
    if (!plan_.toolchain->before_region.py.empty())
      request.text(Field::before_region, plan_.toolchain->before_region.py);
    if (!plan_.toolchain->sync.py.empty()) request.text(Field::sync, plan_.toolchain->sync.py);
    if (plan_.mode == Mode::result) {
      request.text(Field::examiner, options_->examiner);
      for (const std::string& name : c.results) request.text(Field::result_name, name);
    }
  } else {
    request.text(Field::snippet, plan_.built.library).text(Field::symbol, plan_.built.symbol);
  }
  request.number(Field::warm_up, python ? options_->warm_up_python : options_->warm_up_cpp);
  request.text(Field::folder, plan_.built.folder.empty() ? options_->working_folder : plan_.built.folder);
  for (const int cpu : plan_.cpus) request.number(Field::cpu, static_cast<std::uint64_t>(cpu));
  // Under Valgrind its own memory would count against it: there the engine looks from outside only.
  if (memory_limit() > 0 && plan_.mode != Mode::counts) request.number(Field::memory, memory_limit());
  request.number(Field::heap_padding, plan_.perturbation.heap_padding)
      .number(Field::stack_padding, plan_.perturbation.stack_padding);
  const int attached[2] = {pair->theirs.get(), output_end.get()};
  return control.send(request.finish(), attached);
}

Status Session::on_socket(bool& closed) {
  return stream_.read([this](const Message& message) { on_message(message); }, closed);
}

bool Session::on_output() {
  std::array<char, std::size_t{64} * 1024> block;
  // A case that floods it must not keep the engine from its deadlines.
  for (int i = 0; i < 16; ++i) {
    const ssize_t n = ::read(output_.get(), block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return true;
    if (n <= 0) return false;
    captured_.append({block.data(), static_cast<std::size_t>(n)});
  }
  return true;
}

void Session::on_message(const Message& message) {
  switch (message.type()) {
    case MessageType::ready:
      return on_ready(message);
    case MessageType::counted:
      return on_counted(message);
    case MessageType::timed:
      return on_timed(message);
    case MessageType::failed:
      return on_failed(message);
    case MessageType::result:
      return on_result(message);
    default:
      return fail("host", "the case's process sent a message that does not belong here", {});
  }
}

void Session::on_ready(const Message& message) {
  in_process_ = in_process_ || message.number(Field::in_process) != 0;
  step_ =
      message.number(Field::phase) == static_cast<std::uint64_t>(Phase::baseline) ? Step::baseline : Step::statement;
  if (plan_.mode == Mode::result) {
    if (step_ == Step::baseline) return advance();
    step_ = Step::examining;
    return ask_count(1, false);
  }
  if (plan_.mode == Mode::counts) return ask_count(iterations(), is_last_replicate());
  // The first child also finds out how many executions make a block; the others repeat that number.
  const double loop_s = kLoopBlocks * least_block_s(options_->wall_plan, plan_.timer_overhead_s);
  ask_time(0, step_ == Step::baseline ? loop_s : child_run_time_s(options_->wall_plan), 1);
}

void Session::on_counted(const Message& message) {
  if (const auto status = static_cast<int>(message.number(Field::status)); status != 0) {
    crashed_ = std::holds_alternative<Signaled>(decode_wait_status(status));
    return fail(stage_name(Stage::region), "the statement's process " + describe(decode_wait_status(status)), {});
  }
  if (step_ == Step::examining) return on_examined();
  if (step_ == Step::allocations) {
    allocations_ = AllocationSample{message.number(Field::iterations, 1), message.number(Field::allocation_count),
                                    message.number(Field::allocation_bytes)};
    return advance();
  }
  read_dump(message);
  if (failure_) return;
  const bool perturbed = !plan_.perturbation.name.empty();
  if (step_ == Step::baseline) {
    const int wanted = perturbed ? 1 : options_->baseline_replicates;
    if (counts_.baseline.size() < static_cast<std::size_t>(wanted)) return ask_count(iterations(), false);
    return advance();
  }
  // Replicates of one process do not start from one state (the allocator's differs: 0.05 to 2.3 % with two threads).
  // Once it has run one itself, it gives no other, and the engine starts another session.
  const bool own = pid_ && message.number(Field::pid) == static_cast<std::uint64_t>(*pid_);
  if (own && counts_.replicates.size() > 1 && counts_.replicates.back() != counts_.replicates.front()) {
    // A library may begin anew in a forked process (pthread_atfork): then the two are not replicates of each other.
    counts_.replicates.pop_back();
    forks_differ_ = true;
  }
  if (perturbed || own || !wants_another_replicate(counts_, *plan_.c, *options_)) return advance();
  ask_count(iterations(), is_last_replicate());
}

/// Whether the replicate to be asked for is the last, if it agrees.
bool Session::is_last_replicate() const {
  return step_ == Step::statement && !plan_.forks_all && counts_.replicates.size() + 1 >= plan_.replicates;
}

void Session::on_result(const Message& message) {
  if (step_ != Step::examining) return;
  results_.push_back({std::string(message.text(Field::text).value_or("")),
                      std::string(message.text(Field::refusal).value_or("")), false});
}

/// Twice from the same state, where the child forks its executions: what differs then would differ on any two sides.
void Session::on_examined() {
  if (results_.empty()) return fail("result", "the statement left its loop before it told its result", {});
  if (results_.size() == 1 && !in_process_) return ask_count(1, false);
  if (results_.back() != results_.front()) {
    results_.front().varies = true;
    results_.front().refusal = "two executions from one state leave different results";
  }
  advance();
}

void Session::read_dump(const Message& message) {
  const std::uint64_t pid = message.number(Field::pid);
  const std::uint64_t number = message.number(Field::dump, 1);
  if (pid_ && pid == static_cast<std::uint64_t>(*pid_)) last_dump_ = number;
  const std::string path = fmt::format("{}/{}.{}", plan_.dumps, pid, number);
  auto text = read_file(path);
  ::unlink(path.c_str());
  const auto totals = text ? callgrind_totals(*text) : Result<Totals>(std::unexpected(text.error()));
  if (!totals) return fail("count", "Callgrind left no usable counts: " + describe(totals.error()), {});
  counts_.events = totals->events;
  counts_.iterations = message.number(Field::iterations, 1);
  (step_ == Step::baseline ? counts_.baseline : counts_.replicates).push_back(totals->values);
  if (step_ == Step::statement && profile_.empty()) profile_ = *std::move(text);
}

void Session::on_timed(const Message& message) {
  if (const auto status = static_cast<int>(message.number(Field::status)); status != 0) {
    crashed_ = std::holds_alternative<Signaled>(decode_wait_status(status));
    return fail("time", "the statement's process " + describe(decode_wait_status(status)), {});
  }
  const auto number = message.number(Field::iterations, 1);
  std::vector<double> samples = to_samples(message.text(Field::samples).value_or(""), static_cast<double>(number));
  if (samples.empty()) return fail("time", "the case's process sent no samples", {});
  if (step_ == Step::baseline) {
    // The least: nothing but being interrupted makes an empty loop slower, and one interrupted block in 2,000 cases
    // passed for a loop of 351 ns, which turned all of its case's times into 0.
    wall_.overhead_s = std::ranges::min(samples);
    return advance();
  }
  wall_.number_per_run = number;
  if (watch_) watch_->end(samples.size());
  for (double& sample : samples) {
    measured_s_ += sample * static_cast<double>(number);
    sample = std::max(sample - wall_.overhead_s, 0.0);
  }
  wall_.by_child.push_back(std::move(samples));
  if (--children_coming_ == 0) ask_next_wall_step();
}

void Session::ask_next_wall_step() {
  if (next_wall_step(options_->wall_plan, wall_.by_child, measured_s_) == WallStep::another_child) {
    return ask_time(wall_.number_per_run, child_run_time_s(options_->wall_plan),
                    next_children(options_->wall_plan, wall_.by_child.size(), measured_s_));
  }
  // They stand beside the counts in a record.
  if (!options_->counts) return advance();
  step_ = Step::allocations;
  ask_count(std::min<std::uint64_t>(iterations(), 100), true);
}

void Session::on_failed(const Message& message) {
  std::string text(message.text(Field::message).value_or("failed"));
  const std::string detail(message.text(Field::detail).value_or(""));
  if (const auto limit = memory_limit(); limit > 0 && is_out_of_memory(text)) {
    text.insert(0, fmt::format("over memory, of which it may use {:.4g} MiB: ", static_cast<double>(limit) / 1048576));
  }
  crashed_ = message.text(Field::status).has_value();
  if (plan_.c->language == Language::cpp || crashed_) {
    // A library's message may go on for pages (PyTorch appends its own stack).
    const std::string summary(trim(first_line(text)));
    std::string hint;
    if (text.find("SIGILL") != std::string::npos && plan_.mode == Mode::counts) {
      hint = "; Valgrind lacks some instructions (AVX-512 among them): build without -march=native";
    }
    return fail(stage_name(static_cast<Stage>(message.number(Field::stage))), summary + hint,
                detail.empty() ? text : detail);
  }
  const std::vector<Snippet> parts = python_parts(*plan_.c, *plan_.toolchain);
  const std::string place = innermost_place(detail, parts);
  fail(stage_name(static_cast<Stage>(message.number(Field::stage))),
       place.empty() ? text : fmt::format("{} ({})", text, place), map_traceback(detail, parts));
}

std::string Session::stage_name(Stage stage) const {
  switch (stage) {
    case Stage::load:
      return "load";
    case Stage::setup:
      return "setup";
    case Stage::warm_up:
      return "warm_up";
    case Stage::region:
      return plan_.mode == Mode::counts ? "count" : plan_.mode == Mode::wall ? "time" : "result";
    default:
      return "host";
  }
}

void Session::fail(std::string stage, std::string message, std::string detail) {
  if (failure_) return;
  failure_ = CaseFailure{std::move(stage), std::move(message), std::move(detail), {}};
}

void Session::ask_count(std::uint64_t iterations, bool last) {
  std::array<char, kSmallFrame> buffer;
  Writer frame(buffer, MessageType::count, plan_.job);
  send(frame.number(Field::iterations, iterations).number(Field::last, last ? 1 : 0));
}

void Session::ask_time(std::uint64_t iterations, double budget_s, std::uint64_t children) {
  const auto nanoseconds = [](double seconds) { return static_cast<std::uint64_t>(seconds * 1e9); };
  children_coming_ = children;
  // The empty loop is too short to be watched.
  if (step_ == Step::statement) {
    if (!watch_) watch_.emplace(plan_.cpus);
    watch_->begin();
  }
  std::array<char, kSmallFrame> buffer;
  Writer frame(buffer, MessageType::time, plan_.job);
  send(frame.number(Field::iterations, iterations)
           .number(Field::block_ns, nanoseconds(least_block_s(options_->wall_plan, plan_.timer_overhead_s)))
           .number(Field::budget_ns, nanoseconds(budget_s))
           .number(Field::children, children));
}

void Session::advance() {
  if (step_ != Step::baseline) step_ = Step::leaving;
  std::array<char, kSmallFrame> buffer;
  Writer frame(buffer, MessageType::advance, plan_.job);
  send(frame);
}

void Session::send(Writer& frame) {
  // A child that has just died says so by its exit, with a better reason than a broken pipe.
  std::ignore = stream_.send(frame.finish());
}

void Session::on_exited(int wait_status, Stage stage) {
  if (ending_) return;
  if (pid_ && plan_.mode == Mode::counts) {
    // What the case child dumped and nobody read: at its exit, and after each phase's warm-up.
    ::unlink(fmt::format("{}/{}", plan_.dumps, *pid_).c_str());
    for (std::uint64_t n = 1; n <= last_dump_ + 2; ++n)
      ::unlink(fmt::format("{}/{}.{}", plan_.dumps, *pid_, n).c_str());
  }
  bool closed = false;
  if (auto read = on_socket(closed); !read) fail("host", read.error().message, {});
  (void)on_output();
  const WaitStatus status = decode_wait_status(wait_status);
  const bool clean = status == WaitStatus(Exited{0});
  // Where it was counted, all is told: what becomes of the child then is not the count's concern.
  if (spent() || (!failure_ && step_ == Step::leaving && clean)) {
    ending_ = Ending::ok;
    return;
  }
  if (!failure_) {
    crashed_ = std::holds_alternative<Signaled>(status);
    fail(stage_name(stage), "the case's process " + describe(status) + " before it had a result", {});
  }
  ending_ = crashed_ ? Ending::crashed : Ending::failed;
}

void Session::on_stopped(Ending ending, std::string message, std::optional<Stage> stage) {
  if (ending_) return;
  if (output_.valid()) (void)on_output();
  if (ending == Ending::host_lost) stage = Stage::host;
  // A host that could not tell either: a phase that is ready has its setup behind it.
  if (!stage) stage = step_ == Step::starting ? Stage::setup : Stage::region;
  failure_ = CaseFailure{stage_name(*stage), std::move(message), {}, {}};
  ending_ = ending;
}

void Session::deliver(CaseOutcome& outcome) {
  if (ending() != Ending::ok) {
    failure_->output = captured_.take().text();
    outcome.failure = std::move(failure_);
    return;
  }
  if (!plan_.perturbation.name.empty()) {
    outcome.perturbed.emplace_back(plan_.perturbation.name, std::move(counts_));
  } else if (plan_.mode == Mode::counts) {
    outcome.forks_differ = outcome.forks_differ || forks_differ_;
    if (!outcome.counts) {
      outcome.counts = std::move(counts_);
      outcome.profile = std::move(profile_);
    } else {
      append(outcome.counts->replicates, std::move(counts_.replicates));
      append(outcome.counts->baseline, std::move(counts_.baseline));
    }
  } else if (plan_.mode == Mode::result) {
    outcome.result = std::move(results_.front());
  } else {
    if (watch_) wall_.watch = watch_->seen();
    if (!outcome.wall) {
      outcome.wall = std::move(wall_);
    } else {
      add_pass(*outcome.wall, std::move(wall_));
    }
    outcome.allocations = allocations_;
  }
}

}  // namespace tally
