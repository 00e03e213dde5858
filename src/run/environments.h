/// A record's environments: described before anything is measured, completed by what hosts turn out to have mapped, and
/// kept in the journal, so that a run that is continued knows what its earlier part was measured in.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "build/file_digests.h"
#include "discovery/toolchains.h"
#include "engine/observer.h"
#include "record/record.h"
#include "run/journal.h"

namespace tally {

class EnvironmentRecorder {
 public:
  /// `own_folders` hold tally's own files, and may be reached through links; `variables` are those that cases see. All
  /// outlive this.
  EnvironmentRecorder(std::map<std::string, Environment>& environments,
                      const std::map<std::string, ResolvedToolchain>& toolchains, FileDigests& digests,
                      const std::vector<std::string>& own_folders, const EnvironmentVariables& variables);

  /// From now on what hosts say is kept there.
  void keep_in(JournalWriter* journal) { journal_ = journal; }

  /// An error: a file is another than the one that the cases before were measured with, or it cannot be kept.
  Status on_host(const HostKind& kind, const ReadyHost& host);

  /// Of the files that a command's processes executed.
  void add_digests(std::vector<ProcessCount>& processes, const CommandLine& command);

  /// How the hosts that counted came to be: RecordedSettings::host_start.
  [[nodiscard]] const std::map<std::string, std::string>& host_starts() const { return host_starts_; }

  /// Whether a journal's payload is one of ours; it is taken over then.
  Result<bool> take_over(std::string_view payload, const std::string& where);

 private:
  std::map<std::string, Environment>& environments_;
  const std::map<std::string, ResolvedToolchain>& toolchains_;
  FileDigests& digests_;
  const EnvironmentVariables& variables_;
  std::vector<std::string> own_folders_;  ///< As the kernel calls them.
  JournalWriter* journal_ = nullptr;
  std::map<std::string, Environment> earlier_;  ///< What a continued run's hosts had mapped.
  std::map<std::string, std::string> host_starts_;
};

}  // namespace tally
