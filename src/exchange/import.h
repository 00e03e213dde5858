/// Reads the results of other benchmark tools as records. Pure: the caller reads the files.
///
/// A record of them has times and no counts, so that it is compared by the rules of times alone. What is not a time (a
/// size, a rate of bytes) is left out, and named. Nothing is made up: where a tool kept its samples, they are the
/// record's; where it kept a summary, the record has that one value, and says "one child": no verdict follows from it.
///
/// Formats, as their tools document or write them:
///   google-benchmark        --benchmark_out (docs/user_guide.md, 1.5 to 1.9)
///   pytest-benchmark        --benchmark-json (4.0 to 5.3)
///   hyperfine               --export-json (1.12 to 1.19)
///   asv                     results/MACHINE/COMMIT-ENV.json, of version 2, with results/benchmarks.json
///   pyperf                  -o (1.6 to 2.9, "version": "1.0")
///   criterion               target/criterion: …/new/benchmark.json, sample.json (0.3 to 0.7)
///   github-action-benchmark customSmallerIsBetter and customBiggerIsBetter: a list of name, unit, value
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "record/record.h"

namespace tally::exchange {

struct File {
  std::string path;
  std::string text;
  std::int64_t modified = 0;  ///< Seconds since 1970; 0: not known.
};

struct Results;  // import_common.h

struct ImportFormat {
  std::string_view name;
  /// What the files of one run say.
  Result<Results> (*read)(std::span<const File> files) = nullptr;
  /// Of what a folder of its results holds, whether this is one of them. (A file that is named is one.)
  bool (*is_result)(std::string_view path) = nullptr;
  /// All files of a folder are one run's, as far as they were written by it; else each is a run's.
  bool is_one_run = false;
  /// A file in the folder above a result's, which comes after it where it is there; empty: there is none.
  std::string_view companion = {};
};

/// In the order in which help names them.
std::span<const ImportFormat> import_formats();
/// Null: there is none of this name.
const ImportFormat* import_format(std::string_view name);

/// What the results do not say.
struct ImportContext {
  std::string suite;    ///< What the history calls them; empty: the format's name.
  std::string commit;   ///< A full id, which wins over what the results say; empty: they say it.
  std::string started;  ///< ISO 8601, UTC: when, where the results do not say it.
  /// When the commit was made, in seconds since 1970; 0: not known.
  std::int64_t committed = 0;
  /// Of a folder that keeps results until they are written anew (criterion's), take also those that the latest run did
  /// not write: they are of other commits.
  bool with_stale = false;
  /// Exit codes of a command (hyperfine's) that are no failure; none: however it ends.
  std::vector<int> expected_codes = {0};
};

struct Import {
  Record record;
  std::vector<std::string> left_out;  ///< Sentences, one for each benchmark that is not in the record.
};

/// Of the files of one run. An error (input): they are not of this format, or hold no time at all.
Result<Import> import_results(const ImportFormat& format, std::span<const File> files, const ImportContext& context);

}  // namespace tally::exchange
