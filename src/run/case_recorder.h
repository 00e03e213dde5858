/// Makes a record's case of each outcome as it comes: assembled, its profile read, kept in the journal.
#pragma once

#include <optional>
#include <vector>

#include "engine/observer.h"
#include "reuse/count_reuse.h"
#include "run/environments.h"
#include "run/run.h"
#include "symbols/object_names.h"
#include "symbols/source_lines.h"

namespace tally {

/// What a record is made with besides its cases. All of it outlives the recorder. An examination makes no record.
struct RecordParts {
  EnvironmentRecorder* environments = nullptr;
  JournalWriter* journal = nullptr;
  CountInputsFinder* inputs = nullptr;  ///< Each case is to say what its counts follow from.
  CountReuse* reuse = nullptr;          ///< The counts that it knows are not taken. Needs `inputs`.
};

class CaseRecorder final : public ExecutionObserver {
 public:
  /// `cases` is in plan order, and has a description of each already. All of these outlive the recorder.
  CaseRecorder(const RunRequest& request, std::vector<CaseRecord>& cases, RunObserver& observer,
               const RecordParts& parts);

  /// What the statements left, in plan order; filled by examinations only.
  [[nodiscard]] std::vector<std::optional<StatementResult>>& results() { return results_; }

  void on_process(const std::string& what, const std::vector<std::string>& argv) override {
    observer_.on_process(what, argv);
  }
  Status on_host(const HostKind& kind, const HostSpec& spec, const ReadyHost& host) override {
    if (parts_.inputs != nullptr) parts_.inputs->on_host(kind, spec, host.mapped);
    return parts_.environments == nullptr ? Status() : parts_.environments->on_host(kind, host);
  }
  KnownCounts known_counts(const HostKind& kind, const BuiltFiles& built) override;
  bool known_counts_stand() override { return parts_.reuse->stands(); }
  void on_planned(Mode mode, std::size_t sessions) override { observer_.on_planned(mode, sessions); }
  void on_session(std::size_t index, Mode mode, const std::vector<int>& cpus) override {
    observer_.on_session(request_.plan->cases[index], mode, cpus);
  }
  void on_session_end(std::size_t index, Mode mode) override {
    observer_.on_session_end(request_.plan->cases[index], mode);
  }
  Status on_case(std::size_t index, CaseOutcome outcome) override;
  std::optional<Clock::time_point> on_time(Clock::time_point now) override {
    return parts_.journal != nullptr ? parts_.journal->sync_if_due(now) : std::nullopt;
  }
  void on_waiting(const std::string& why) override { observer_.on_waiting(why); }
  void on_warning(const std::string& text) override { observer_.on_message("warning: " + text); }

 private:
  std::optional<StoredProfile> read_profile(CaseRecord& record, const Case& measured, const CaseOutcome& outcome);
  void keep_found(CaseRecord& record, const Case& measured, const CaseOutcome& outcome, StoredProfile* profile,
                  std::string& baseline);
  Status keep_profile(CaseRecord& record, StoredProfile profile, const std::string& baseline);
  void note_counts(std::size_t index, const CaseOutcome& outcome);
  Status keep(CaseRecord& record);

  const RunRequest& request_;
  std::vector<CaseRecord>& cases_;
  RunObserver& observer_;
  const RecordParts parts_;
  ObjectNames names_;
  SourceLines lines_;
  std::vector<std::optional<StatementResult>> results_ =
      std::vector<std::optional<StatementResult>>(request_.plan->cases.size());
};

}  // namespace tally
