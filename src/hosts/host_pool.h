/// The hosts: their processes, their lives, and what each says on its control socket.
///
/// Owns: the processes, their sockets and dump folders, and what is known of hosts that do not start. It outlives a
/// plan: a host that is kept warm serves the next plan that needs one of the same specification. Has no notion
/// of cases: a host is lent to a session and given back. What happens to hosts comes back as values, in order.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "cpu/lease.h"
#include "hosts/host_spec.h"
#include "hosts/image_use.h"
#include "process/process.h"
#include "session/case_plan.h"
#include "session/frame_stream.h"

namespace tally {

/// Never used twice by one pool.
enum class HostId : std::uint32_t {};

/// A case child was forked, or could not be: then `pid` is 0 and `error` the errno.
struct ChildForked {
  HostId host{};
  std::uint32_t job = 0;
  int pid = 0;
  int error = 0;
  bool in_host = false;  ///< It is the host itself, which has threads and is not forked.
};
/// A case child was reaped.
struct ChildReaped {
  HostId host{};
  std::uint32_t job = 0;
  int wait_status = 0;
  protocol::Stage stage{};  ///< The last that it entered.
  bool cut_off = false;     ///< It had lost its socket, and could not say why it ended.
};
/// The host is gone, and all of its children with it.
struct HostGone {
  HostId host{};
  std::string why;
  bool stalled = false;  ///< It ran a case itself, and nothing in it computed any more: it would do so again.
};
/// A host's state, for code that manages hosts.
struct HostView {
  HostId id{};
  std::string name;
  int pid = 0;               ///< 0 while it starts.
  Clock::time_point used{};  ///< When it last began to serve, or was ready.
  bool busy = false;         ///< It starts, or serves a session.
};
/// What was started, for -v.
struct HostProcess {
  std::string what;  ///< Its name, and how it is started.
  std::vector<std::string> argv;
};
/// Something that a user should know.
struct HostWarning {
  std::string text;
};
using HostEvent = std::variant<ChildForked, ChildReaped, HostGone, HostWarning>;

class HostPool {
 public:
  /// `scratch` is a folder for what Callgrind writes; it goes when tally is killed.
  HostPool(ProcessRunner& runner, std::string scratch) : runner_(runner), scratch_(std::move(scratch)) {}
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;
  ~HostPool() { end_all(); }

  /// Another plan begins: hosts that did not start may start now; idle ones that have a file in memory, or have read
  /// one as they started, which has changed since are ended. So are those of programs in Python of which nobody knows
  /// what they have read.
  void begin_plan(RetryLimits retries, HostDeadlines deadlines);
  /// From now on hosts that no session needs are kept for a later plan (until end_all()) or not.
  void keep_warm(bool keep) { keep_warm_ = keep; }

  /// The scratch folder stays even when tally is killed.
  void keep_scratch() { scratch_kept_ = true; }
  /// What a process that is started for this pool's plans is to remove when tally dies; empty: nothing.
  [[nodiscard]] std::string scratch_to_remove() const { return scratch_kept_ ? "" : scratch_; }

  /// A host of this specification that can take a session now.
  [[nodiscard]] std::optional<HostId> ready(const HostKey& key) const;
  [[nodiscard]] bool starting(const HostKey& key) const;
  /// Why there will be none.
  [[nodiscard]] std::optional<std::string> broken(const HostKey& key) const;
  /// Starts one, which holds the lease until it is ready; nothing: then it is broken. Idle ones that were made of older
  /// files are ended.
  std::optional<HostProcess> start(const HostKey& key, const HostSpec& spec, CpuLease lease);

  /// A number for a session, new to all of this pool's hosts.
  std::uint32_t next_job() { return ++last_job_; }
  /// For a session, which sends its request there.
  const FrameStream& lend(HostId id);
  /// The session has ended; what it left behind is killed.
  void give_back(HostId id);
  /// A session has ended in it: hosts of this kind do start.
  void works(HostId id);
  /// The process, to hold its children by, and the folder of its dumps. Of a living host.
  [[nodiscard]] int pid(HostId id) const;
  [[nodiscard]] const std::string& dumps(HostId id) const;
  /// What its threads are called, besides the first, since it was ready.
  [[nodiscard]] const std::vector<std::string>& threads(HostId id) const;
  /// The programs and libraries that it had in memory when it was ready.
  [[nodiscard]] const std::vector<std::string>& mapped(HostId id) const;
  /// When it was started, of one that turned out to serve one case alone; nothing of others.
  [[nodiscard]] std::optional<Clock::time_point> single_since(HostId id) const;
  /// Whether it was made of an image.
  [[nodiscard]] bool is_restored(HostId id) const { return host(id).image.is_restored; }

  /// Kills it; HostGone follows, which says why to all that it serves.
  void kill(HostId id, const std::string& why);
  /// Gives it up at once.
  HostGone drop(HostId id, const std::string& why);
  void end_all();
  /// What was cut short: hosts that start or serve still, and all others unless they are kept warm.
  void end_unfinished();

  /// What comes from the runner and concerns a host; nothing where it does not.
  [[nodiscard]] bool listens_to(int fd) const;
  std::vector<HostEvent> on_readable(int fd, bool closed);
  std::vector<HostEvent> on_finished(const Finished& finished);

  /// Ends hosts that took too long to start or to go.
  std::vector<HostEvent> check_deadlines();
  /// When to check again.
  [[nodiscard]] Clock::time_point next_deadline() const;

  /// Ends idle hosts that have served once and may not serve again, and, unless they are kept warm, those that
  /// `wanted` denies.
  void end_unwanted(const std::function<bool(const HostKey&)>& wanted);

  /// CPUs that starting hosts hold.
  [[nodiscard]] std::size_t leased_cpus() const;
  [[nodiscard]] std::size_t size() const { return hosts_.size(); }
  /// In the order in which they were started.
  [[nodiscard]] std::vector<HostView> view() const;
  /// Ends one that is not busy.
  void end(HostId id);

 private:
  struct Host {
    HostId id{};
    HostKey key;
    HostSpec spec;
    ProcessId process{};
    FrameStream control;
    Clock::time_point started{};
    std::chrono::system_clock::time_point started_at{};  ///< By the clock of files.
    Clock::time_point launched{};
    Clock::time_point due{};  ///< To be ready, or to have got on.
    Milliseconds active{0};   ///< active_time() when that was looked at.
    std::string dumps;
    std::optional<CpuLease> lease;                ///< Until it is ready.
    std::optional<int> pid;                       ///< Once it is ready.
    std::vector<std::string> mapped;              ///< Then too.
    std::string mapped_state;                     ///< Of those files; empty: one changed while it started.
    std::vector<std::string> threads;             ///< Then too: names.
    std::optional<std::uint32_t> runs_itself;     ///< The job that it has become.
    Clock::time_point seen{};                     ///< Then: when `active` was looked at.
    bool used = false;                            ///< Some session was given to it.
    Clock::time_point used_at{};                  ///< When that last was, or it was ready.
    int sessions = 0;                             ///< That it serves now.
    std::optional<Clock::time_point> hung_up_at;  ///< Its control socket was closed: it ends soon, or hangs.
    std::string killed_because;                   ///< We did; empty: we did not.
    HostImage image;                              ///< Of which it is made, or which it leaves.
  };
  using Position = std::list<Host>::iterator;
  /// Why a host did not come up.
  struct StartFailure {
    std::string why;
    std::string hint = {};  ///< "; …", where something would help.
    bool for_good = false;  ///< It would fail again.
  };
  /// It has started, and serves nobody.
  static bool is_idle(const Host& host) { return host.pid && host.sessions == 0; }

  Result<ProcessRequest> request_for(Host& host, UniqueFd control);
  Result<Host> launch(const HostKey& key, const HostSpec& spec, CpuLease lease);
  Position find(HostId id);
  [[nodiscard]] const Host& host(HostId id) const;
  [[nodiscard]] bool may_serve(const Host& host) const;
  void on_message(Host& host, const protocol::Message& message, std::vector<HostEvent>& events);
  void on_hello(Host& host, const protocol::Message& message, std::vector<HostEvent>& events);
  void on_started(Host& host, const protocol::Message& message, std::vector<HostEvent>& events);
  void serve_once(const Host& host, const std::string& why, std::vector<HostEvent>& events);
  void start_failed(const Host& host, const StartFailure& failure, std::vector<HostEvent>& events);
  void close(Position position);
  void close_each(const std::function<bool(const Host&)>& chosen);
  void end_at_once(const Host& host);
  void end_outdated();
  void end_superseded(const HostKey& by);
  [[nodiscard]] Milliseconds active_time(const Host& host) const;
  bool is_late(Host& host);
  bool is_stalled(Host& host);

  ProcessRunner& runner_;
  std::string scratch_;
  bool scratch_kept_ = false;
  RetryLimits retries_;
  HostDeadlines deadlines_;
  bool keep_warm_ = false;
  std::list<Host> hosts_;
  std::set<HostKey> single_use_;             ///< They have threads, and cannot be forked safely twice.
  std::set<std::string> warned_of_threads_;  ///< Families of such hosts.
  ImageUse images_;
  std::map<std::string, std::vector<ImageFile>> read_by_;  ///< By HostSpec::family: by the one that was ready last.
  std::map<HostKey, std::string> broken_;
  std::map<HostKey, int> failed_starts_;  ///< In a row.
  std::uint32_t last_id_ = 0;
  std::uint32_t last_job_ = 0;
  bool warned_of_aslr_ = false;
};

}  // namespace tally
