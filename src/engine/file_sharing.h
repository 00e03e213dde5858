/// Cases that run at the same time and may read each other's files: which of them are to be measured again, one at a
/// time.
///
/// Cases of a group may share files: all benchmark programs of a plan are one, each toolchain is another. As long as no
/// case of a group changes a file, its sessions run beside each other. Once one does, what it ran beside proves
/// nothing, and neither does it itself; from then on the group's sessions run one after the other. A session's result
/// stands when none of those that it ran beside can still turn out to change a file. Pure bookkeeping.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace tally {

class FileSharing {
 public:
  using Session = std::uint32_t;

  /// Whether another session of the group may begin now.
  [[nodiscard]] bool may_begin(const std::string& group) const;
  /// Sessions of the group run one after the other from the start.
  void take_turns(const std::string& group) { one_at_a_time_.insert(group); }
  void begin(Session session, const std::string& group);
  /// It has changed a file. True: that is the first one of its group, and others may have met it.
  bool changes(Session session);
  /// It has executed its statement, and changed no file by then: it is not expected to.
  void executed(Session session);
  void end(Session session);

  enum class Verdict { stands, not_known_yet, measure_again };
  /// Of a session that has ended; not of one that was forgotten.
  [[nodiscard]] Verdict verdict(Session session) const;
  void forget(Session session);

 private:
  struct State {
    std::string group;
    std::set<Session> beside;  ///< Those that it overlapped, ended ones too.
    bool running = true;
    bool executed = false;
    bool spoilt = false;
  };
  std::map<Session, State> sessions_;
  std::set<std::string> one_at_a_time_;  ///< Groups.
};

}  // namespace tally
