/// What a case does in a fake host, and the child that does it: the far end of a case's socket.
///
/// It answers as host/common/regions.cc does, message for message, and writes dumps as Callgrind writes them; it
/// executes nothing. Time is the runner's virtual time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "process/testing/fake_runner.h"
#include "protocol/frame.h"
#include "session/frame_stream.h"

namespace tally {

/// Why a case does not reach its end, and when: as soon as it enters the stage, or (Stage::region) in the first
/// region of its statement.
struct FakeTrouble {
  enum class Kind { fails, crashes, exits, hangs };

  Kind kind = Kind::fails;
  protocol::Stage at = protocol::Stage::setup;
  std::string message;  ///< fails: the line.
  std::string detail;   ///< fails: the traceback.
  int number = 0;       ///< crashes: the signal. exits: the code.
};

struct FakeCase {
  std::vector<std::uint64_t> baseline = {1000};  ///< Counted in the empty loop, replicate by replicate; the last for
                                                 ///< all further ones.
  std::vector<std::uint64_t> counts = {6000};    ///< In the statement's, likewise, by forked replicates.
  std::optional<std::uint64_t> own_count;        ///< By the case child itself, where that differs.
  std::vector<double> seconds = {1e-6};          ///< Of one execution, timed block by timed block, over and over.
  std::size_t blocks = 8;                        ///< That a timed child samples.
  std::uint64_t executions_in_block = 1000;      ///< Where it is asked to find that out.
  std::uint64_t allocations = 2;                 ///< Of one execution, of 24 bytes each.
  std::vector<std::string> results = {"1"};      ///< Of an examined statement, execution by execution, likewise.
  std::string refusal;
  std::string changed_file;        ///< That it changes, and says so; empty: none.
  std::uint64_t requested = 0;     ///< Bits of host::Requested, which it says with each count.
  std::string asked_driver;        ///< That it looks for; empty: none.
  std::string device;              ///< That it says it works on; empty: none.
  std::string output;              ///< On its standard output, at its start.
  std::uint64_t threads = 1;       ///< That it says it has.
  bool forks = true;               ///< Otherwise it runs every replicate itself, and says so.
  Milliseconds setup_takes{0};     ///< Until it is ready, for each phase.
  Milliseconds region_takes{0};    ///< Until it has answered a command.
  std::uint64_t growth_bytes = 0;  ///< What it holds beyond what it shares with its host.
  std::set<int> ignores;           ///< Signals that do not end it; SIGKILL always does.
  std::optional<FakeTrouble> trouble;
};

/// A forked child of a fake host.
class FakeCaseChild : public std::enable_shared_from_this<FakeCaseChild> {
 public:
  struct Place {
    FakeProcessRunner* runner = nullptr;
    int host_pid = 0;
    int* last_pid = nullptr;  ///< Numbers are given out in one row.
    std::string dumps;        ///< Empty: not under Valgrind.
    bool examined = false;
    /// Its end, and how far it had come.
    std::function<void(std::uint32_t job, int wait_status, protocol::Stage stage)> on_end;
  };

  FakeCaseChild(Place place, FakeCase script, std::uint32_t job, UniqueFd socket, UniqueFd output);
  ~FakeCaseChild();

  [[nodiscard]] int pid() const { return pid_; }
  void begin();
  void pump();

 private:
  using Message = protocol::Message;

  void later(Milliseconds time, void (FakeCaseChild::*what)());
  void enter_phase();
  void get_ready();
  void on_command(const Message& command);
  void count();
  void time();
  bool meets_trouble(protocol::Stage stage);
  void say_why(const FakeTrouble& trouble);
  void say_that_replicate_ended(int wait_status);
  void report_counted(int pid, std::uint64_t dump);
  std::uint64_t write_dump(int pid, std::uint64_t number, std::uint64_t count) const;
  void on_signal(int signal);
  void end(int wait_status);

  Place place_;
  FakeCase script_;
  std::uint32_t job_;
  int pid_;
  FrameStream socket_;
  UniqueFd output_;
  protocol::Phase phase_ = protocol::Phase::baseline;
  protocol::Stage stage_ = protocol::Stage::host;
  std::uint64_t own_dumps_ = 0;
  std::size_t baselines_ = 0;
  std::size_t counts_ = 0;
  std::size_t samples_ = 0;
  std::size_t results_ = 0;
  // The command that is being executed.
  std::uint64_t iterations_ = 0;
  std::uint64_t children_ = 0;
  bool last_ = false;
  bool timing_ = false;
  bool hangs_ = false;
  bool over_ = false;
};

/// A dump of one region in which one function executed `count` instructions.
std::string fake_callgrind_dump(int pid, std::uint64_t part, std::uint64_t count);

}  // namespace tally
