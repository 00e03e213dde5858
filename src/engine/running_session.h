/// A running session: what it holds, and how it is stopped.
#pragma once

#include <list>
#include <memory>
#include <optional>

#include "cpu/lease.h"
#include "engine/job_queue.h"
#include "hosts/host_pool.h"
#include "measurement/card_state.h"
#include "session/session.h"
#include "session/stop_ladder.h"

namespace tally {

struct RunningSession {
  Job job;
  HostKind kind;
  std::unique_ptr<Session> session;
  CpuLease lease;
  HostId host{};
  Clock::time_point started;
  StopLadder ladder;
  std::uint64_t memory_limit = 0;           ///< 0: none.
  Milliseconds wait_limit{0};               ///< So much waiting for a processor moves its deadline.
  Milliseconds queued{0};                   ///< How long its child had waited, when that was looked at.
  bool passes_signals_on = false;           ///< Its child does: to what it measures, and not to what it has set up.
  std::unique_ptr<ChildHandle> child = {};  ///< Once it has been forked.
  Clock::time_point ended = {};             ///< Once it has.
  std::optional<Clock::time_point> host_since = {};  ///< When its host was started, of one that serves it alone.
  std::vector<Card> cards_before = {};               ///< Of one that takes times on a device, where they can be read.
  bool reads_cards = false;                          ///< It has ended, and holds its lease until they are read again.
  std::vector<CardWatch> cards = {};                 ///< Once they are.
};

/// So long a case that was stopped may clean up after itself; 0: it does not.
[[nodiscard]] Milliseconds time_to_clean_up(const Case& measured);

/// Takes the next step of ending it, if that is due. True: its host is to be killed.
[[nodiscard]] bool escalate(RunningSession& running, Clock::time_point now);

/// The case stands with what one process has reported.
void without_another_process(CaseOutcome& outcome, const std::string& why);

/// In the order in which they began.
using RunningSessions = std::list<RunningSession>;

/// Its end where there is none.
RunningSessions::iterator session_of(RunningSessions& sessions, std::uint32_t job);

/// Looks from time to time at what sessions with a limit use, and has those killed that hold more than they may.
class MemoryWatch {
 public:
  void check(RunningSessions& sessions, Clock::time_point now);
  /// When to look again; never where none has a limit.
  [[nodiscard]] Clock::time_point next(const RunningSessions& sessions) const;

 private:
  Clock::time_point next_{};
};

/// Looks from time to time at how long sessions have waited for a processor. What a replicate waited shortly before its
/// end is not seen, so a deadline moves by less than was waited, never by more.
class QueueWatch {
 public:
  void check(RunningSessions& sessions, Clock::time_point now);
  /// When to look again; never where no deadline can move.
  [[nodiscard]] Clock::time_point next(const RunningSessions& sessions) const;

 private:
  Clock::time_point seen_{};  ///< When it was looked at.
  Clock::time_point next_{};
};

/// Of a session that has ended: adds the attempt and its results to the outcome. Returns how it ended for its case:
/// allocation sites that could not be found are a warning.
Ending deliver(RunningSession& running, CaseOutcome& outcome);

}  // namespace tally
