/// Who takes times on a device, one case at a time, and the state of its cards before and after.
///
/// Owns: the turn that is next, and the session that has ended and whose cards are read again. Never waits: a reading
/// is a process, whose end the engine's loop passes on. Where no cards can be read there are no turns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/cards.h"
#include "engine/observer.h"
#include "engine/running_session.h"

namespace tally {

/// A case is to take times on a device next: it has its CPUs and cards, and its session begins once the cards are read.
struct DeviceTurn {
  HostKind kind;
  std::size_t index = 0;  ///< Of its case.
  CpuLease lease;
  std::optional<std::vector<Card>> cards = {};
};

class DeviceTurns {
 public:
  /// `cards` may be null; both outlive this.
  DeviceTurns(Cards* cards, ExecutionObserver& observer) : cards_(cards), observer_(observer) {}

  [[nodiscard]] bool reads_cards() const { return cards_ != nullptr; }
  /// Which cards a case may use is found out once, before the first one's times. False: not yet.
  bool knows_cards(const std::string& kind);
  /// The names of the locks of those cards, once they are known.
  [[nodiscard]] std::vector<std::string> locks(const std::string& kind) const;

  /// A turn is taken, or a session's cards are read after it.
  [[nodiscard]] bool busy() const { return turn_ || awaits_end(); }
  [[nodiscard]] bool awaits_end() const { return ended_ != nullptr; }
  /// CPUs that the turn holds.
  [[nodiscard]] std::size_t leased_cpus() const { return turn_ ? turn_->lease.cpus().size() : 0; }

  /// Only where it is not busy and cards can be read.
  void begin(DeviceTurn turn, const std::string& kind);
  /// The turn, once its cards are read; it is over then.
  std::optional<DeviceTurn> take();

  /// A session is over, and so is its lease. One whose cards were read keeps it until they are read again
  /// (RunningSession::reads_cards), and stays where it is until then.
  void end(RunningSession& session, const std::string& kind);

  /// False: the process is none of its own.
  bool on_finished(const Finished& finished);
  /// Times stand without the state of the cards, and the next turn is none.
  void give_up();
  /// Nothing begins any more; the cards of what has been measured are still read.
  void leave();

 private:
  void note();
  void on_read();

  Cards* cards_;
  ExecutionObserver& observer_;
  std::optional<DeviceTurn> turn_;
  RunningSession* ended_ = nullptr;  ///< Its cards are read again.
};

}  // namespace tally
