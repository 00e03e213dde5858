#include "session/session.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <tuple>

#include "base/contains.h"
#include "process/wait_status.h"
#include "protocol/case_watch.h"
#include "session/case_failure.h"

namespace tally {

using protocol::Message;
using protocol::Stage;

namespace {

constexpr std::size_t kCommandFrame = 512;
constexpr std::string_view kReadsOwnNumber =
    "it asks for the number of its process or thread: what it computes of that, such as a random seed or the digits "
    "that it prints, is another in each run";
constexpr std::string_view kStartsProcess =
    "it starts a process while it is counted, and what that executes is not in the count; of a command, all processes "
    "are counted";

/// Those that the probe's observer leaves.
std::optional<std::string> ending_of_files(Mode mode) {
  if (mode.probe == nullptr || !mode.probe->file_ending) return std::nullopt;
  return std::string(*mode.probe->file_ending);
}

}  // namespace

Session::Session(SessionRequest request)
    : request_(std::move(request)),
      dialogue_(request_.rules),
      dumps_{.path = request_.dumps,
             .has_dumps = is_under_valgrind(request_.rules.mode),
             .ending = ending_of_files(request_.rules.mode),
             .child = {}} {}

Status Session::start(const FrameStream& control) {
  auto frame = request_frame(request_);
  if (!frame) return std::unexpected(frame.error());
  auto pair = make_socket_pair();
  if (!pair) return std::unexpected(pair.error());
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return std::unexpected(errno_error("create a pipe", {}));
  output_.reset(fds[0]);
  ::fcntl(fds[0], F_SETFL, O_NONBLOCK);
  const UniqueFd output_end(fds[1]);
  stream_ = FrameStream(std::move(pair->ours));
  const int attached[2] = {pair->theirs.get(), output_end.get()};
  return control.send(*frame, attached);
}

Status Session::on_socket(bool& closed) {
  return stream_.read([this](const Message& message) { on_message(message); }, closed);
}

void Session::on_message(const Message& message) {
  if (message.type() == protocol::MessageType::asked) {
    // A library by its name, wherever it was looked for; another file by its path.
    const std::string_view file = message.text(protocol::Field::driver).value_or("a driver");
    asked_driver_ = file.contains(".so") ? file.substr(file.rfind('/') + 1) : file;
    return;
  }
  if (changed_file_.empty()) changed_file_ = message.text(protocol::Field::changed_file).value_or("");
  requested_ |= message.number(protocol::Field::requested);
  CaseMessage decoded = decode(message, dumps_);
  // It waits for our answer: what it has in memory stands still.
  const auto* ready = std::get_if<PhaseReady>(&decoded);
  if (ready != nullptr && ready->phase == protocol::Phase::statement) {
    is_ready_ = true;
    note_loaded();
  }
  executed_ = executed_ || (is_ready_ && std::holds_alternative<RegionCounted>(decoded));
  auto* timed = std::get_if<ChildTimed>(&decoded);
  if (timed != nullptr && watch_ && !timed->samples_s.empty()) {
    watch_->end(timed->samples_s.size());
    timed->steal_share = watch_->steal_share();
  }
  if (const auto command = dialogue_.on(std::move(decoded))) send(*command);
}

void Session::note_loaded() {
  if (request_.loaded_by && dumps_.child) loaded_ = request_.loaded_by(*dumps_.child);
}

void Session::send(const CaseCommand& command) {
  if (const auto* times = std::get_if<AskTimes>(&command); times != nullptr && times->of_statement) {
    if (!watch_) watch_.emplace(request_.cpus).begin();  // the next one follows at once
  }
  std::array<char, kCommandFrame> buffer{};
  // A child that has just died says so by its exit, with a better reason than a broken pipe.
  std::ignore = stream_.send(encode(command, request_.job, buffer));
}

/// The name of a library that is not what we have built for the case; empty: there is none.
std::string Session::first_of_others(const std::vector<std::string>& loaded) const {
  for (const std::string& path : loaded) {
    const bool ours = path == request_.built.library ||
                      (!request_.built.folder.empty() && path.starts_with(request_.built.folder + "/"));
    if (!ours) return path.substr(path.rfind('/') + 1);
  }
  return {};
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

void Session::on_exited(int wait_status, Stage stage, bool cut_off) {
  if (ending_) return;
  dumps_.clean();
  bool closed = false;
  if (auto read = on_socket(closed); !read) dialogue_.fail({"host", read.error().message, {}, {}}, false);
  (void)on_output();
  const WaitStatus status = decode_wait_status(wait_status);
  const bool clean = status == WaitStatus(Exited{0});
  // Where it was counted, all is reported: what becomes of the child then is not the count's concern.
  if (has_counted() || (!dialogue_.failure() && dialogue_.complete() && clean)) {
    ending_ = Ending::ok;
    return;
  }
  const Mode mode = request_.rules.mode;
  if (cut_off) dialogue_.fail(describe_cut_off(stage, mode), false);
  dialogue_.fail(describe_exit(wait_status, stage, mode), std::holds_alternative<Signaled>(status));
  ending_ = dialogue_.crashed() ? Ending::crashed : Ending::failed;
}

void Session::on_stopped(Ending ending, std::string message, std::optional<Stage> stage) {
  if (ending_) return;
  if (output_.valid()) (void)on_output();
  if (ending == Ending::host_lost) stage = Stage::host;
  // A host that did not know either: a phase that is ready has its setup behind it.
  if (!stage) stage = dialogue_.begun() ? Stage::region : Stage::setup;
  stopped_ = CaseFailure{stage_name(*stage, request_.rules.mode), std::move(message), {}, {}};
  ending_ = ending;
}

void Session::deliver(CaseOutcome& outcome) {
  const std::string library = first_of_others(loaded_);
  if (!loaded_.empty()) outcome.loaded = std::move(loaded_);
  if (ending() == Ending::ok) dialogue_.deliver(outcome, watch_ ? watch_->seen() : std::nullopt);
  // Another process may differ for each of these. Threads that work are the likeliest reason.
  if (!library.empty() && outcome.counted.doubt.empty()) outcome.counted.doubt = "its setup loads " + library;
  // A device's driver asks for all of it. (So does abort(), of a case that has no count.)
  const std::uint64_t requested = outcome.device.empty() ? requested_ : 0;
  if ((requested & (host::kTimeOfDay | host::kClock)) != 0 && outcome.counted.doubt.empty()) {
    outcome.counted.doubt = "it reads a clock";
    outcome.counted.reads_clock = true;
  }
  if ((requested & host::kTimeOfDay) != 0) outcome.counted.reads_time_of_day = true;
  if (ending() == Ending::ok) {
    for (const auto& [bit, text] :
         {std::pair(host::kOwnNumber, kReadsOwnNumber), std::pair(host::kProcess, kStartsProcess)}) {
      if ((requested & bit) != 0 && !contains(outcome.warnings, text)) outcome.warnings.emplace_back(text);
    }
    return;
  }
  outcome.failure = stopped_ ? stopped_ : dialogue_.failure();
  outcome.failure->output = captured_.take().text();
  add_reason(*outcome.failure);
}

}  // namespace tally
