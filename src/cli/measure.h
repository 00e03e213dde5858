/// Runs a plan on this machine and gives its record: the way from a plan to a result that `run`, `time` and
/// re-measuring share.
#pragma once

#include <functional>
#include <iosfwd>
#include <map>

#include "cli/context.h"
#include "cli/run_options.h"
#include "execution/journal.h"
#include "execution/outcome.h"
#include "plan/plan.h"
#include "record/record.h"

namespace tally::cli {

struct MeasureRequest {
  const Plan* plan = nullptr;
  std::string suite;    ///< As the user named it, for reproduce commands; empty for an ad hoc statement.
  std::string journal;  ///< Path; empty for none.
  bool resume = false;
  bool samples_on_disk = false;  ///< The samples of journaled cases are not kept in memory: see Measured.
  bool results = false;          ///< Measure nothing: execute each statement once and tell what it leaves.
  bool profiles = false;
  std::string profile_folder;  ///< Where profiles go.
  std::string profile_prefix;  ///< What the record calls that folder: relative to the record.
};

struct Measured {
  Record record;
  std::vector<std::optional<StatementResult>> results;  ///< In plan order, where they were asked for.
  bool interrupted = false;
  std::optional<Error> stopped;  ///< The run could not go on; the record holds what was measured by then.
  std::optional<JournalWriter> journal;
  std::vector<JournalPlace> places;  ///< Of cases that lack their samples here, with samples_on_disk.
};

/// The whole record as JSON, with samples from wherever they are.
Status write_json(const Measured& measured, const std::function<Status(std::string_view)>& sink);

/// An error: nothing was measured.
Result<Measured> measure(const Context& context, const RunOptions& options, const MeasureRequest& request,
                         std::ostream& err);

}  // namespace tally::cli
