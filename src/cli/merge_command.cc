#include "cli/merge_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <filesystem>
#include <ostream>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/context.h"
#include "cli/record_files.h"
#include "record/json.h"

namespace tally::cli {

namespace fs = std::filesystem;

namespace {

/// The record has everything but what is missing: which parts those are, and why.
Status check_complete(const Merged& merged, const MergeCommandOptions& options) {
  const Part& part = *merged.record.part;
  if (!part.missing || options.partial) return {};
  std::string text = fmt::format("of the {} parts of this plan, {} missing: {}", part.count,
                                 part.missing->size() == 1 ? "one is" : fmt::format("{} are", part.missing->size()),
                                 ranges_text(*part.missing));
  if (!merged.unready.empty()) text += fmt::format(" ({} interrupted)", ranges_text(merged.unready));
  return fail(ErrorKind::failed, std::move(text), {},
              fmt::format("measure with --shard {}/{} (--resume goes on with an interrupted part), or write what is "
                          "there with --partial",
                          part.missing->front(), part.count));
}

/// Copies a profile to where the merged record looks for it. One that is not there leaves a warning.
Status take_profile(CaseRecord& one, const std::string& part, const std::string& output) {
  const fs::path from = fs::path(part).parent_path() / *one.profile;
  const fs::path to = fs::path(output + ".profiles") / (digest(one.id) + ".json");
  std::error_code code;
  if (!fs::exists(from, code)) {
    one.warnings.push_back("its profile was not beside the record of its part");
    one.profile.reset();
    return {};
  }
  one.profile = fs::path(output).filename().string() + ".profiles/" + to.filename().string();
  if (fs::equivalent(from, to, code)) return {};
  fs::create_directories(to.parent_path(), code);
  // Beside it first, so that nobody ever reads half of one.
  const fs::path beside = to.string() + ".new";
  fs::copy_file(from, beside, fs::copy_options::overwrite_existing, code);
  if (!code) fs::rename(beside, to, code);
  if (code) return fail(ErrorKind::io, "cannot copy the profile here: " + code.message(), to.string());
  return {};
}

Status take_profiles(Merged& merged, const MergeCommandOptions& options) {
  for (std::size_t i = 0; i < merged.record.cases.size(); ++i) {
    CaseRecord& one = merged.record.cases[i];
    if (!one.profile) continue;
    if (options.output == "-") {
      return fail(ErrorKind::input, "profiles are kept beside the record, and there is none", "-o",
                  "give -o the path of a file");
    }
    if (auto taken = take_profile(one, options.parts[merged.from[i]], options.output); !taken) return taken;
  }
  return {};
}

Status write_merged(const Record& record, const std::string& path, std::ostream& out) {
  const auto case_text = [&](std::size_t i) -> Result<std::string> { return case_to_json(record.cases[i]); };
  if (path == "-") {
    return write_json(record, case_text, [&](std::string_view piece) {
      out << piece;
      return Status{};
    });
  }
  auto file = NewFile::create(path);
  if (!file) return std::unexpected(file.error());
  if (auto written = write_json(record, case_text, [&](std::string_view piece) { return file->append(piece); });
      !written)
    return written;
  if (auto safe = file->sync(); !safe) return safe;
  return file->publish();
}

}  // namespace

std::string ranges_text(const std::vector<int>& numbers) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
    ranges.push_back(end == i ? fmt::format("{}", numbers[i])
                              : fmt::format("{}{}{}", numbers[i], end == i + 1 ? ", " : "-", numbers[end]));
    i = end + 1;
  }
  return join(ranges, ", ");
}

void add_merge_options(OptionSet& command, MergeCommandOptions& options) {
  command.add("PART", &options.parts, "Records of tally run --shard i/n, and records that were merged of such")
      .required();
  command.add("-o,--output", &options.output, "Write the record here; - is standard output")
      .value_name("FILE")
      .required();
  command.add("--partial", &options.partial, "Write what is there, though parts are missing");
  command.add("--per-environment", &options.per_environment,
              "Parts may come from different environments: each case is compared with its own");
}

Result<Merged> merge_files(const MergeCommandOptions& options) {
  std::vector<MergeInput> inputs;
  inputs.reserve(options.parts.size());
  for (const std::string& path : options.parts) {
    auto record = load_record(path);
    if (!record) return std::unexpected(record.error());
    inputs.push_back({path, *std::move(record)});
  }
  auto merged = merge(std::move(inputs), {.per_environment = options.per_environment});
  if (!merged) return merged;
  if (auto complete = check_complete(*merged, options); !complete) return std::unexpected(complete.error());
  return merged;
}

int run_merge(const MergeCommandOptions& options, std::ostream& out, std::ostream& err) {
  auto merged = merge_files(options);
  if (!merged) return report_error(merged.error(), err);
  if (auto taken = take_profiles(*merged, options); !taken) return report_error(taken.error(), err);
  const Record& record = merged->record;
  if (auto written = write_merged(record, options.output, out); !written) return report_error(written.error(), err);
  if (record.part->missing) {
    fmt::print(err, "tally: {} is partial: of {} parts, {} {} missing; {} of {} cases are there\n", options.output,
               record.part->count, ranges_text(*record.part->missing), record.part->missing->size() == 1 ? "is" : "are",
               record.cases.size(), record.part->cases);
  }
  if (options.output != "-") {
    fmt::print(out, "{}: {} cases of {} parts, measured on {} machine{}\n", options.output, record.cases.size(),
               record.part->count, record.machines.size(), record.machines.size() == 1 ? "" : "s");
  }
  return kFine;
}

}  // namespace tally::cli
