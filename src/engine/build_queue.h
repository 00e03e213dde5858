/// Runs the builds that cases need: the builder says which processes, and the runner runs them.
#pragma once

#include <list>
#include <map>
#include <optional>

#include "build/builder.h"
#include "cpu/lease.h"
#include "process/process.h"

namespace tally {

class BuildQueue {
 public:
  BuildQueue(ProcessRunner& runner, Builder& builder) : runner_(runner), builder_(builder) {}

  /// Asks the builder for what has become ready since it was last asked. True when there may be news of cases:
  /// something was built, or has failed.
  Result<bool> collect();

  /// A case has turned out to work on a device; it is built again where its snippet differs there.
  void move_to_device(std::size_t index) { changed_ = builder_.move_to_device(index) || changed_; }

  [[nodiscard]] bool waiting() const { return !ready_.empty(); }
  [[nodiscard]] bool running() const { return !running_.empty(); }
  [[nodiscard]] bool done() const { return builder_.done() && ready_.empty() && running_.empty(); }
  [[nodiscard]] std::size_t leased_cpus() const;

  /// What is started next, and how.
  [[nodiscard]] const BuildTask& next() const { return ready_.front(); }
  /// `scratch` goes when tally dies meanwhile. An error: the builder cannot continue (a cache that cannot be written).
  Status start_next(CpuLease lease, std::string scratch);

  [[nodiscard]] bool owns(ProcessId id) const { return running_.contains(id); }
  Status on_finished(const Finished& finished);

  /// Ends all of them; nothing more is started.
  void stop();

 private:
  struct Running {
    std::uint32_t task = 0;
    CpuLease lease;
  };

  ProcessRunner& runner_;
  Builder& builder_;
  bool changed_ = true;
  std::list<BuildTask> ready_;
  std::map<ProcessId, Running> running_;
};

}  // namespace tally
