/// From a plan to its record: the way that everything that measures shares.
///
/// Resolves toolchains, describes their environments, executes the plan on the workspace's hosts, assembles each case
/// as it finishes, and keeps it in a journal, so that nothing measured is lost. Prints nothing, installs no signal
/// handler: an observer is notified of what happens, and an interruption comes through the workspace's runner of
/// processes.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "discovery/caller.h"
#include "discovery/toolchains.h"
#include "measurement/settings.h"
#include "plan/plan.h"
#include "record/record.h"
#include "run/journal.h"
#include "run/observer.h"
#include "run/probes/table.h"
#include "run/source.h"
#include "run/workspace.h"
#include "session/outcome.h"

namespace tally {

struct JournalRequest {
  std::string path;
  bool resume = false;  ///< Continue the journal that is there.
};

/// Each is kept as DIGEST.json, the digest being that of the case's id.
struct ProfileRequest {
  std::string folder;  ///< Where profiles go.
  std::string name;    ///< What the record calls that folder, relative to the record; empty: it does not mention them.
  ProbeSet probes;     ///< What they find, too: in the profile, or beside it as DIGEST and a suffix of theirs.
  bool sources = false;    ///< And the texts of the user's own files that have source lines, as sources/DIGEST.
  bool baselines = false;  ///< Those of the empty loop too, each beside its case's as DIGEST.baseline.json.
};

struct RunRequest {
  const Plan* plan = nullptr;
  Caller caller;
  Settings settings;
  Tools tools;
  /// As the user named it, for commands that show a failure again; empty for an ad hoc statement or a program alone.
  std::string suite;
  SourceRequest source;  ///< Whose commit the record says.
  std::optional<JournalRequest> journal;
  std::optional<ProfileRequest> profiles;
  bool notes_inputs = false;  ///< The record is to say what counts follow from, so that they can be reused.
  /// Counts are taken over from there where all that they follow from is the same, from the first of these records that
  /// has them; then inputs are noted in any case.
  std::span<const Record> reuse;
  bool keeps_samples = true;  ///< False: with a journal, samples lie there alone (Wall::stored).
};

struct RunResult {
  Record record;
  bool interrupted = false;
  std::vector<std::string> refuted;  ///< Counts that were to be reused, were taken again, and are others: these cases.
  std::optional<Error> stopped;      ///< The run could not continue; the record holds what was measured by then.
  std::optional<JournalWriter> journal;
};

/// By the request's settings as normalized() leaves them. An error: nothing was measured.
Result<RunResult> measure(Workspace& workspace, const RunRequest& asked, RunObserver& observer);

/// The whole record as JSON, with samples from wherever they are.
Status write_json(const RunResult& result, const std::function<Status(std::string_view)>& sink);

struct ExaminationResult {
  std::vector<CaseRecord> cases;                        ///< In plan order; nothing of them is measured.
  std::vector<std::optional<StatementResult>> results;  ///< In plan order.
  bool interrupted = false;
};

/// Executes each statement once and has it report what it leaves; measures nothing. An error: it could not continue.
Result<ExaminationResult> examine(Workspace& workspace, const RunRequest& request, RunObserver& observer);

}  // namespace tally
