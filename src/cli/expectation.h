/// `tally run --expect`: checks that a run reads the counts of a given record, to the instruction.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "base/error.h"
#include "record/record.h"

namespace tally::cli {

/// Records that a run may be held against.
class Expectation {
 public:
  /// `path` is a record, or a folder of records (*.json, *.json.zst); empty: nothing is expected. An error (input): one
  /// of them cannot be read, or the folder has none.
  static Result<Expectation> load(const std::string& path);

  /// Says on `out` how many cases are equal to those of the record, and of the others what differs. Of a folder, the
  /// record is the one whose code is this run's: its libraries, compiler and interpreter. Cases of the record that were
  /// not measured are counted, and are no fault. What the command exits with: 0; 3, a case reads another count; 2, a
  /// case was not compared, or no record of the folder is of this code.
  [[nodiscard]] int judge(const Record& run, std::ostream& out) const;

 private:
  struct Candidate {
    std::string path;
    Record record;
  };
  std::string path_;
  bool is_folder_ = false;
  std::vector<Candidate> candidates_;  ///< By path.
};

}  // namespace tally::cli
