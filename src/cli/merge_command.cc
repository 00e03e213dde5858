#include "cli/merge_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <filesystem>
#include <ostream>
#include <set>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/context.h"
#include "cli/refuse.h"
#include "profile/line_costs.h"
#include "record/json.h"
#include "records/merge_texts.h"
#include "records/record_files.h"
#include "run/probes/table.h"

namespace tally::cli {

namespace fs = std::filesystem;

namespace {

/// The record has everything but what is missing: which parts those are, and why.
Status check_complete(const Merged& merged, const MergeCommandOptions& options) {
  const Part& part = *merged.head.part;
  if (!part.missing || options.partial) return {};
  std::string text = fmt::format("of the {} parts of this plan, {} missing: {}", part.count,
                                 part.missing->size() == 1 ? "one is" : fmt::format("{} are", part.missing->size()),
                                 ranges_text(*part.missing));
  if (!merged.unready.empty()) text += fmt::format(" ({} interrupted)", ranges_text(merged.unready));
  return fail(ErrorKind::failed, std::move(text), {},
              fmt::format("measure with --shard {}/{} (--resume continues an interrupted part), or write what is "
                          "there with --partial",
                          part.missing->front(), part.count));
}

Status copy_whole(const fs::path& from, const fs::path& to) {
  std::error_code code;
  if (fs::equivalent(from, to, code)) return {};
  auto copy = NewFile::create(to);
  if (!copy) return std::unexpected(copy.error());
  Status written;
  const Status read = read_pieces(from, [&](std::string_view piece) {
    if (written) written = copy->append(piece);
  });
  if (!read) return read;
  return written ? copy->publish() : written;
}

/// Copies profiles to where the merged record looks for them.
class ProfileTaker {
 public:
  explicit ProfileTaker(const std::string& output) : folder_(output + ".profiles") {}

  /// What is kept of a case, beside it too. Says where that is, as the merged record names it; nothing where there is
  /// no such profile.
  Result<std::optional<std::string>> take(const std::string& id, const fs::path& from) {
    std::error_code code;
    if (!fs::is_regular_file(from, code)) return std::nullopt;
    fs::create_directories(folder_, code);
    if (code) return fail(ErrorKind::io, "cannot make the folder of profiles: " + code.message(), folder_.string());
    const fs::path to = folder_ / (digest(id) + from.extension().string());
    if (Status copied = copy_whole(from, to); !copied) return std::unexpected(copied.error());
    for (const KeptProbe* probe : probes::kTable) {
      if (probe->suffix.empty()) continue;
      fs::path source = from;
      fs::path copy = to;
      source.replace_extension(probe->suffix);
      copy.replace_extension(probe->suffix);
      if (!fs::is_regular_file(source, code)) {
        // Of a merge before this one, which took another measurement of the case.
        fs::remove(copy, code);
      } else if (Status copied = copy_whole(source, copy); !copied) {
        return std::unexpected(copied.error());
      }
    }
    if (Status taken = take_sources(from.parent_path() / kSourcesFolder); !taken) return std::unexpected(taken.error());
    return folder_.filename().string() + "/" + to.filename().string();
  }

 private:
  /// Sources are called by their content: one that is there is the same. Each folder is looked through once: parts have
  /// thousands of cases.
  Status take_sources(const fs::path& from) {
    if (!seen_.insert(from.lexically_normal().string()).second) return {};
    std::error_code code;
    for (auto entry = fs::directory_iterator(from, code); !code && entry != fs::directory_iterator();
         entry.increment(code)) {
      const fs::path copy = folder_ / kSourcesFolder / entry->path().filename();
      std::error_code none;
      if (!entry->is_regular_file(none) || fs::exists(copy, none)) continue;
      fs::create_directories(copy.parent_path(), none);
      if (Status copied = copy_whole(entry->path(), copy); !copied) return copied;
    }
    return {};
  }

  fs::path folder_;
  std::set<std::string> seen_ = {};
};

Status take_profiles(Merged& merged, const std::vector<PartText>& parts, const std::string& output, std::ostream& err) {
  std::size_t lost = 0;
  ProfileTaker taker(output);
  for (MergedCase& one : merged.cases) {
    if (!one.place.profile) continue;
    if (!is_beside_file(output)) {
      return fail(ErrorKind::input, "profiles are kept beside the record, and there is none", "-o",
                  "give -o the path of a file");
    }
    const PartText& part = parts[one.input];
    const std::string& id = part.cases[one.index].id;
    const auto file = profile_file(id, *one.place.profile, part.name);
    if (!file) return std::unexpected(file.error());
    auto kept = taker.take(id, *file);
    if (!kept) return std::unexpected(kept.error());
    lost += !*kept;
    one.place.profile = *std::move(kept);
  }
  if (lost > 0) fmt::print(err, "tally: {} of the profiles are not beside the records of their parts\n", lost);
  return {};
}

Status write_merged(const Merged& merged, const std::vector<PartText>& parts, const std::string& path,
                    std::ostream& out) {
  MergedTexts texts(merged, parts);
  const auto text_of = [&](std::size_t i) -> Result<std::string> {
    const MergedCase& one = merged.cases[i];
    const auto text = texts.of(i);
    if (!text) return text;
    return placed(*text, parts[one.input].cases[one.index], one.place);
  };
  if (path == "-") {
    return write_json(merged.head, merged.cases.size(), text_of, [&](std::string_view piece) {
      out << piece;
      return Status{};
    });
  }
  auto file = NewFile::create(path);
  if (!file) return std::unexpected(file.error());
  auto written = write_json(merged.head, merged.cases.size(), text_of,
                            [&](std::string_view piece) { return file->append(piece); });
  if (!written) return written;
  if (auto safe = file->sync(); !safe) return safe;
  return file->publish();
}

/// What was given is at fault, unless something failed.
int refused(const Error& error, std::ostream& err) {
  return refuse("merge", error, err, error.kind == ErrorKind::input ? kUsage : kFailed);
}

Result<std::vector<PartText>> read_parts(const std::vector<std::string>& paths) {
  std::vector<PartText> parts;
  parts.reserve(paths.size());
  for (const std::string& path : paths) {
    const auto text = read_file(path);
    if (!text) return std::unexpected(text.error());
    auto part = read_part(*text, path);
    if (!part) return std::unexpected(part.error());
    parts.push_back(*std::move(part));
  }
  return parts;
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
  command.add("PART", &options.parts, "Records of tally run --shard i/n, or merged records").required();
  command.add("-o,--output", &options.output, "Write the record to this file (-: standard output)")
      .value_name("FILE")
      .required();
  command.add("--partial", &options.partial, "Write the record even if parts are missing");
  command.add("--per-environment", &options.per_environment,
              "Accept parts from different environments; each case is then compared within its own");
}

int run_merge(const Context& /*context*/, const MergeCommandOptions& options, std::ostream& out, std::ostream& err) {
  const auto parts = read_parts(options.parts);
  if (!parts) return refuse("merge", parts.error(), err);
  auto merged = merge(*parts, {.per_environment = options.per_environment}, [&](std::size_t input, std::size_t index) {
    return case_text((*parts)[input], (*parts)[input].cases[index]);
  });
  if (!merged) return refused(merged.error(), err);
  if (auto complete = check_complete(*merged, options); !complete) return refused(complete.error(), err);
  if (auto taken = take_profiles(*merged, *parts, options.output, err); !taken) return refused(taken.error(), err);
  if (auto written = write_merged(*merged, *parts, options.output, out); !written) return refused(written.error(), err);
  const Part& part = *merged->head.part;
  if (part.missing) {
    fmt::print(err, "tally: {} is partial: of {} parts, {} {} missing; {} of {} cases are there\n", options.output,
               part.count, ranges_text(*part.missing), part.missing->size() == 1 ? "is" : "are", merged->cases.size(),
               part.cases);
  }
  if (options.output != "-") {
    const std::size_t machines = merged->head.machines.size();
    fmt::print(out, "{}: {} cases of {} parts, measured on {} machine{}\n", options.output, merged->cases.size(),
               part.count, machines, machines == 1 ? "" : "s");
  }
  return kFine;
}

}  // namespace tally::cli
