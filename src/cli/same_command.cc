#include "cli/same_command.h"

#include <ostream>

#include "cli/refuse.h"
#include "comparison/same_counts.h"
#include "records/record_files.h"

namespace tally::cli {

void add_same_options(OptionSet& sub, SameOptions& options) {
  sub.add("FIRST", &options.first, "Record of one machine").required();
  sub.add("SECOND", &options.second, "Record of another").required();
  sub.footer =
      "The same code reads the same count on every machine. For each case that does not, this names the function that\n"
      "moved most (if both records have profiles: tally run --profiles), and what differs around the two.\n"
      "Exit codes: 0 all equal, 3 some are not, 2 an unreadable record, or a case that was not compared.\n"
      "See docs/reference/exactness.md.";
}

int run_same(const Context& /*context*/, const SameOptions& given, std::ostream& out, std::ostream& err) {
  const Result<Record> first = load_record(given.first);
  const Result<Record> second = load_record(given.second);
  for (const Result<Record>* record : {&first, &second}) {
    if (!*record) return refuse("same", record->error(), err);
  }
  const Comparison comparison = compare(*first, *second, exact_compare_options(),
                                        {.profiles = profile_loader(*first, given.first, given.second, &err)});
  const SameCounts same = same_counts_of(comparison);
  out << to_text(same);
  return exit_code_of(same);
}

}  // namespace tally::cli
