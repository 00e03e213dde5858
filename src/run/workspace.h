/// The state that the runs of one process share, and that outlives each of them: CPUs, hosts, a scratch folder, the
/// cache.
///
/// `tally run` makes one for its only run; comparing and confirming measure several plans in one, whose hosts they then
/// share. The runner of processes is the caller's.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "hosts/host_pool.h"
#include "record/record.h"

namespace tally {

/// The process that runs are made in: handed in, never looked up.
struct Surroundings {
  std::string libexec;                  ///< The folder of hosts, supervisor and snippet headers.
  Tool tool;                            ///< For records.
  std::optional<ServedBy> server = {};  ///< Likewise, where this is one.
  std::string cpu_locks = {};           ///< A folder, where the user names one (TALLY_CPU_LOCKS).
};

class Workspace {
 public:
  /// `cores`: the CPUs to use as "0-3,6"; empty: all that this process may use. An error: there are none such, or no
  /// place for locks, the cache or temporary files.
  static Result<std::unique_ptr<Workspace>> open(ProcessRunner& runner, Surroundings surroundings,
                                                 const std::string& cores);

  [[nodiscard]] const Surroundings& surroundings() const { return surroundings_; }
  [[nodiscard]] ProcessRunner& runner() { return runner_; }
  [[nodiscard]] CpuLeases& leases() { return leases_; }
  [[nodiscard]] HostPool& hosts() { return hosts_; }

  /// From the next run on; as for open(). Hosts that are warm stay so.
  Status use_cores(const std::string& cores);
  /// Hosts stay for the next run from now on.
  void keep_hosts_warm() { hosts_.keep_warm(true); }
  /// For files that go with this, also when the process is killed.
  [[nodiscard]] const std::filesystem::path& scratch() const { return scratch_.path(); }
  /// The scratch folder stays when this goes, or is killed; its path.
  std::string keep_scratch();

 private:
  Workspace(ProcessRunner& runner, Surroundings surroundings, CpuLeases leases, TemporaryFolder scratch);

  ProcessRunner& runner_;
  Surroundings surroundings_;
  CpuLeases leases_;
  TemporaryFolder scratch_;
  HostPool hosts_;
};

}  // namespace tally
