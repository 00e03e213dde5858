/// Receives what happens while a plan is executed: for progress, journal and -v. All calls come from one thread, in
/// the order in which things happen.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hosts/host_spec.h"
#include "process/process.h"
#include "session/mode.h"
#include "session/outcome.h"

namespace tally {

/// Cases whose counts need not be taken.
struct KnownCounts {
  std::vector<std::size_t> cases;
  std::vector<std::size_t> proofs;  ///< Others, whose counts are known too and are taken to prove that they are right.
};

/// A host as it is when it can serve.
struct ReadyHost {
  const std::vector<std::string>& mapped;  ///< The programs and libraries that it had in memory then.
  bool of_image = false;                   ///< It was made of an image, and not started.
};

/// What was built for a case, if anything.
using BuiltFiles = std::function<const BuiltCase*(std::size_t)>;

class ExecutionObserver {
 public:
  virtual ~ExecutionObserver() = default;
  /// A compiler or a host was started.
  virtual void on_process(const std::string& what, const std::vector<std::string>& argv) = 0;
  /// A host serves a kind of cases for the first time in this plan. An error stops the run.
  virtual Status on_host(const HostKind& /*kind*/, const HostSpec& /*spec*/, const ReadyHost& /*host*/) { return {}; }
  /// Asked once of each kind of counted host, when one of them is ready and all cases are built, where the request
  /// says that counts may be known.
  virtual KnownCounts known_counts(const HostKind& /*kind*/, const BuiltFiles& /*built*/) { return {}; }
  /// Asked when all that prove them have been reported: whether they do. Else all are counted.
  virtual bool known_counts_stand() { return true; }
  /// So many sessions are to come, before all others or as one more turns out to be needed.
  virtual void on_planned(Mode mode, std::size_t sessions) = 0;
  virtual void on_session(std::size_t index, Mode mode, const std::vector<int>& cpus) = 0;  ///< Started.
  virtual void on_session_end(std::size_t index, Mode mode) = 0;  ///< However it ended; it may be tried again.
  /// A case's outcome will not change any more. An error stops the run (a journal that cannot be written).
  virtual Status on_case(std::size_t index, CaseOutcome outcome) = 0;
  /// The loop comes round; it is to do so again at the returned time, if not before.
  virtual std::optional<Clock::time_point> on_time(Clock::time_point /*now*/) { return std::nullopt; }
  /// The run waits for CPUs that others have, and does nothing else: once a second has passed, and again every ten.
  virtual void on_waiting(const std::string& why) = 0;
  virtual void on_warning(const std::string& text) = 0;
};

}  // namespace tally
