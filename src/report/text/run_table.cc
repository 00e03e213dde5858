#include "report/text/run_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/byte_count.h"
#include "base/readable_id.h"
#include "base/text.h"
#include "report/text/escape.h"
#include "report/text/format.h"

namespace tally {
namespace {

Cell status_cell(const CaseRecord& record) {
  std::string text(to_string(record.status));
  Tint tint = record.status == CaseStatus::ok        ? Tint::good
              : record.status == CaseStatus::skipped ? Tint::dim
                                                     : Tint::bad;
  if (record.reused) text += ", reused";
  if (record.status == CaseStatus::ok && !record.flags.empty()) {
    text += ": " + replace_all(join(record.flags, ", "), "_", " ");
    tint = Tint::notice;
  }
  return {text, tint};
}

std::optional<double> no_value(const CaseRecord& /*one*/) { return std::nullopt; }

/// A column that a table may have. One without `value` is sorted by its text.
struct RunColumn {
  std::string_view name;  ///< In --columns and --sort.
  Column column;
  Cell (*cell)(const CaseRecord& one);
  std::optional<double> (*value)(const CaseRecord& one);
  /// Whether it is shown where no columns are chosen.
  bool (*is_usual)(const Record& record, bool denoised);
};

bool always(const Record& /*record*/, bool /*denoised*/) { return true; }
bool never(const Record& /*record*/, bool /*denoised*/) { return false; }

template <auto Value>
std::optional<double> of_counts(const CaseRecord& one) {
  return one.counts ? std::optional<double>((*one.counts).*Value) : std::nullopt;
}

template <auto Value>
std::optional<double> of_wall(const CaseRecord& one) {
  return one.wall ? std::optional<double>((*one.wall).*Value) : std::nullopt;
}

template <auto Value>
std::optional<double> of_used(const CaseRecord& one) {
  return one.used ? std::optional(static_cast<double>((*one.used).*Value)) : std::nullopt;
}

const DeviceWork* work_of(const CaseRecord& one) {
  return one.on_device && one.on_device->work ? &*one.on_device->work : nullptr;
}

std::optional<double> denoised_of(const CaseRecord& one) { return one.counts ? one.counts->denoised : std::nullopt; }
std::optional<double> kernels_of(const CaseRecord& one) {
  return work_of(one) != nullptr ? std::optional<double>(work_of(one)->kernels) : std::nullopt;
}
std::optional<double> device_time_of(const CaseRecord& one) {
  return work_of(one) != nullptr ? std::optional(work_of(one)->kernel_time_s) : std::nullopt;
}
/// The least or the largest sample; of a case whose samples are kept elsewhere it is noted there.
template <auto Noted, auto Extreme>
std::optional<double> of_samples(const CaseRecord& one) {
  if (!one.wall) return std::nullopt;
  if (one.wall->stored) return (*one.wall->stored).*Noted;
  if (one.wall->replicates_s.empty()) return std::nullopt;
  return *Extreme(one.wall->replicates_s.begin(), one.wall->replicates_s.end(), std::less<>());
}
using Sample = std::vector<double>::const_iterator;
constexpr auto kLeastOf = of_samples<&StoredSamples::least_s, std::min_element<Sample, std::less<>>>;
constexpr auto kMostOf = of_samples<&StoredSamples::most_s, std::max_element<Sample, std::less<>>>;
std::optional<double> iqr_share_of(const CaseRecord& one) {
  return one.wall && one.wall->median_s > 0 ? std::optional(one.wall->iqr_s / one.wall->median_s) : std::nullopt;
}

template <std::optional<double> (*Value)(const CaseRecord&), auto Format>
Cell formatted(const CaseRecord& one) {
  const std::optional<double> value = Value(one);
  return {value ? Format(*value) : ""};
}
std::string plain_seconds(double seconds) { return format_seconds(seconds); }
std::string whole_count(double count) { return format_count(count); }
std::string memory(double bytes) { return bytes_text(static_cast<std::uint64_t>(bytes)); }

bool has_denoised(const Record& /*record*/, bool denoised) { return denoised; }
bool has_commands(const Record& record, bool /*denoised*/) {
  return std::ranges::any_of(record.cases, [](const CaseRecord& one) { return one.used && one.language == "command"; });
}
bool has_peaks(const Record& record, bool /*denoised*/) {
  return std::ranges::any_of(record.cases, [](const CaseRecord& one) { return one.used.has_value(); });
}
bool has_device_work(const Record& record, bool /*denoised*/) {
  return std::ranges::any_of(record.cases, [](const CaseRecord& one) { return work_of(one) != nullptr; });
}

/// In the order of a table that nobody has chosen.
const std::vector<RunColumn>& run_columns() {
  static const std::vector<RunColumn> columns = {
      {"label",
       {.title = "label", .least = 12, .in_middle = true, .names_row = true},
       [](const CaseRecord& one) -> Cell { return {label_text(one)}; },
       no_value,
       always},
      {"variant",
       {.title = "variant", .least = 6, .names_row = true},
       [](const CaseRecord& one) -> Cell { return {variant_text(one)}; },
       no_value,
       always},
      {"instructions",
       {.title = "instr/iter", .right = true},
       formatted<of_counts<&Counts::per_iteration>, format_figure>,
       of_counts<&Counts::per_iteration>,
       always},
      {"denoised",
       {.title = "denoised", .right = true},
       formatted<denoised_of, whole_count>,
       denoised_of,
       has_denoised},
      {"spread",
       {.title = "spread", .right = true, .drop = 2},
       [](const CaseRecord& one) -> Cell {
         if (!one.counts) return {};
         return {format_share(one.counts->spread), one.counts->spread == 0 ? Tint::dim : Tint::none};
       },
       of_counts<&Counts::spread>,
       always},
      {"time",
       {.title = "median", .right = true, .drop = 1},
       [](const CaseRecord& one) -> Cell {
         return {one.wall ? format_seconds(one.wall->median_s, one.wall->interval_s.half_width()) : ""};
       },
       of_wall<&Wall::median_s>,
       always},
      {"iqr",
       {.title = "IQR", .right = true, .drop = 3},
       [](const CaseRecord& one) -> Cell {
         const auto share = iqr_share_of(one);
         return {share ? format_share(*share) : "", Tint::dim};
       },
       iqr_share_of,
       always},
      {"mean",
       {.title = "mean", .right = true, .drop = 5},
       formatted<of_wall<&Wall::mean_s>, plain_seconds>,
       of_wall<&Wall::mean_s>,
       never},
      {"min", {.title = "min", .right = true, .drop = 5}, formatted<kLeastOf, plain_seconds>, kLeastOf, never},
      {"max", {.title = "max", .right = true, .drop = 5}, formatted<kMostOf, plain_seconds>, kMostOf, never},
      {"value",
       {.title = "value", .right = true},
       [](const CaseRecord& one) -> Cell {
         return {one.reported ? format_value(one.reported->value, one.reported->unit) : ""};
       },
       [](const CaseRecord& one) { return one.reported ? std::optional(one.reported->value) : std::nullopt; },
       [](const Record& record, bool /*denoised*/) {
         return std::ranges::any_of(record.cases, [](const CaseRecord& one) { return one.reported.has_value(); });
       }},
      {"kernels",
       {.title = "kernels", .right = true},
       formatted<kernels_of, format_figure>,
       kernels_of,
       has_device_work},
      {"device",
       {.title = "device", .right = true},
       [](const CaseRecord& one) -> Cell {
         const DeviceWork* const work = work_of(one);
         if (work == nullptr) return {""};
         const std::string time = format_seconds(work->kernel_time_s, work->kernel_time_interval_s.half_width());
         return {has_warm_work(*one.on_device) ? time + " warm" : time};
       },
       device_time_of,
       has_device_work},
      {"user",
       {.title = "user", .right = true, .drop = 4},
       formatted<of_used<&ResourceUse::user_s>, plain_seconds>,
       of_used<&ResourceUse::user_s>,
       has_commands},
      {"system",
       {.title = "system", .right = true, .drop = 4},
       formatted<of_used<&ResourceUse::system_s>, plain_seconds>,
       of_used<&ResourceUse::system_s>,
       has_commands},
      {"peak",
       {.title = "peak", .right = true, .drop = 4},
       formatted<of_used<&ResourceUse::peak_bytes>, memory>,
       of_used<&ResourceUse::peak_bytes>,
       has_peaks},
      {"status", {.title = "status", .least = 8}, status_cell, no_value, always},
  };
  return columns;
}

const RunColumn* run_column(std::string_view name) {
  const auto found = std::ranges::find(run_columns(), name, &RunColumn::name);
  return found == run_columns().end() ? nullptr : &*found;
}

std::vector<const RunColumn*> columns_of(const Record& record, const RunTableView& view) {
  std::vector<const RunColumn*> columns;
  for (const std::string& name : view.columns) {
    if (const RunColumn* const column = run_column(name)) columns.push_back(column);
  }
  if (!columns.empty()) return columns;
  for (const RunColumn& one : run_columns()) {
    if (one.is_usual(record, view.denoised)) columns.push_back(&one);
  }
  return columns;
}

/// The cases as they are to stand. What has no such figure comes last.
std::vector<const CaseRecord*> cases_of(const Record& record, std::string_view sort) {
  std::vector<const CaseRecord*> cases;
  cases.reserve(record.cases.size());
  for (const CaseRecord& one : record.cases) cases.push_back(&one);
  const bool falls = sort.starts_with('-');
  const RunColumn* const by = run_column(falls ? sort.substr(1) : sort);
  if (by == nullptr) return cases;
  // Equal ones stay in the plan's order, in which they lie.
  std::ranges::sort(cases, [&](const CaseRecord* a, const CaseRecord* b) {
    const auto first = by->value(*a);
    const auto second = by->value(*b);
    if (first.has_value() != second.has_value()) return first.has_value();
    if (first && *first != *second) return falls ? *first > *second : *first < *second;
    const std::string text = by->cell(*a).text;
    const std::string other = by->cell(*b).text;
    if (!first && text != other) return falls ? text > other : text < other;
    return a < b;
  });
  return cases;
}

Table table_of(const Record& record, const RunTableView& view) {
  const std::vector<const RunColumn*> columns = columns_of(record, view);
  Table table;
  for (const RunColumn* const one : columns) table.columns.push_back(one->column);
  for (const CaseRecord* const one : cases_of(record, view.sort)) {
    std::vector<Cell>& row = table.rows.emplace_back();
    for (const RunColumn* const column : columns) row.push_back(column->cell(*one));
  }
  return table;
}

/// The failure indented below its case: message, then where to read on.
std::string failure_text(const CaseRecord& record, const RenderOptions& options) {
  std::string text = tinted(printable(readable_id(record.id)), Tint::bold, options.color) + "\n";
  const Failure failure = record.failure.value_or(Failure{.message = "no reason was recorded"});
  const std::string stage = failure.stage.empty() ? "" : printable(failure.stage) + ": ";
  const std::string message = message_text(failure.message, 2);
  text += "  " + tinted(stage + message, Tint::bad, options.color) + "\n";
  if (!failure.reproduce.empty()) text += "  reproduce: " + printable(failure.reproduce) + "\n";
  return text;
}

}  // namespace

/// Each warning once, with the case it was given for, or how many.
std::string warnings_text(const Record& record, const RenderOptions& options) {
  std::vector<std::pair<std::string, std::vector<std::string>>> warnings;  // text, ids; in order of first sight
  for (const CaseRecord& one : record.cases) {
    for (const std::string& text : one.warnings) {
      const auto found = std::ranges::find(warnings, text, &std::pair<std::string, std::vector<std::string>>::first);
      if (found != warnings.end()) {
        found->second.push_back(readable_id(one.id));
      } else {
        warnings.push_back({text, {readable_id(one.id)}});
      }
    }
  }
  std::string lines;
  for (const auto& [text, ids] : warnings) {
    lines +=
        tinted("warning", Tint::notice, options.color) + ": " + printable(text) + "\n  in " + printable(ids.front());
    lines += ids.size() > 1 ? fmt::format(" and {} more\n", ids.size() - 1) : "\n";
  }
  return lines.empty() ? lines : "\n" + lines;
}

std::string run_column_names() {
  std::vector<std::string> names;
  for (const RunColumn& one : run_columns()) names.emplace_back(one.name);
  return join(names, ", ");
}

Status check_view(const RunTableView& view) {
  const auto check = [](std::string_view name, const char* option) -> Status {
    if (run_column(name) != nullptr) return {};
    return fail(ErrorKind::input, fmt::format("there is no column '{}'", name), option,
                "columns are " + run_column_names());
  };
  for (const std::string& name : view.columns) {
    if (auto known = check(name, "--columns"); !known) return known;
  }
  if (view.sort.empty()) return {};
  return check(std::string_view(view.sort).substr(view.sort.starts_with('-') ? 1 : 0), "--sort");
}

std::string run_table_markdown(const Record& record, const RunTableView& view) {
  const Table table = table_of(record, view);
  std::string heading = "|";
  std::string rule = "|";
  for (const Column& one : table.columns) {
    heading += fmt::format(" {} |", one.title);
    rule += one.right ? "---:|" : "---|";
  }
  std::string text = heading + "\n" + rule + "\n";
  for (const std::vector<Cell>& row : table.rows) {
    text += "|";
    for (const Cell& cell : row) text += fmt::format(" {} |", markdown_escape(cell.text));
    text += "\n";
  }
  return text;
}

std::string render_run_table(const Record& record, const RenderOptions& options, const RunTableView& view) {
  const Table table = table_of(record, view);
  std::size_t ok = 0;
  std::size_t bad = 0;
  std::string failures;
  for (const CaseRecord& one : record.cases) {
    ok += one.status == CaseStatus::ok;
    if (one.status == CaseStatus::ok || one.status == CaseStatus::skipped) continue;
    ++bad;
    failures += "\n" + failure_text(one, options);
  }
  std::string summary =
      fmt::format("{} {}: {} ok", record.cases.size(), record.cases.size() == 1 ? "case" : "cases", ok);
  if (bad > 0) summary += ", " + tinted(fmt::format("{} failed", bad), Tint::bad, options.color);
  const std::size_t skipped = record.cases.size() - ok - bad;
  if (skipped > 0) summary += fmt::format(", {} skipped", skipped);
  const auto reused = std::ranges::count_if(record.cases, [](const CaseRecord& one) { return one.reused.has_value(); });
  if (reused > 0) summary += fmt::format(", {} with counts of an earlier run", reused);
  const auto two = std::ranges::count_if(record.cases, [](const CaseRecord& one) {
    return one.counts && one.counts->proven == kTwoProcesses && !one.processes;
  });
  if (two > 0) summary += fmt::format(", {} held against a second process", two);
  summary += fmt::format("; {:.1f} s\n", record.seconds);
  return render_table(table, options) + failures + warnings_text(record, options) + "\n" + summary;
}

}  // namespace tally
