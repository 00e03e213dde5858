/// Receives what a run does, as it does it: for progress and -v. Every call comes from the thread that runs, in
/// the order in which things happen; a class overrides what it wants to receive.
#pragma once

#include <string>
#include <vector>

#include "expansion/case.h"
#include "record/record.h"
#include "session/outcome.h"

namespace tally {

class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// A run begins that has so many cases, some of them finished by an earlier run that it continues.
  virtual void on_begin(std::size_t /*cases*/, std::size_t /*finished*/) {}
  /// A compiler or a host was started.
  virtual void on_process(const std::string& /*what*/, const std::vector<std::string>& /*argv*/) {}
  /// So many sessions of this mode are to come, besides those that were announced before.
  virtual void on_planned(Mode /*mode*/, std::size_t /*sessions*/) {}
  virtual void on_session(const Case& /*measured*/, Mode /*mode*/, const std::vector<int>& /*cpus*/) {}
  /// However it ended; it may be tried again.
  virtual void on_session_end(const Case& /*measured*/, Mode /*mode*/) {}
  /// Its samples may be stored elsewhere by then.
  virtual void on_case(const CaseRecord& /*record*/) {}
  /// The run waits for others and does nothing else: a sentence that says for whom. Never withheld from a user.
  virtual void on_waiting(const std::string& /*text*/) {}
  /// A sentence for the user: what is wrong with the machine.
  virtual void on_message(const std::string& /*text*/) {}
  virtual void on_end() {}
};

}  // namespace tally
