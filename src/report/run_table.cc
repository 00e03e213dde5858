#include <fmt/format.h>

#include <algorithm>

#include "base/byte_count.h"
#include "base/readable_id.h"
#include "base/text.h"
#include "report/format.h"
#include "report/table.h"

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

std::vector<Cell> case_row(const CaseRecord& record) {
  std::vector<Cell> row = {{label_text(record)}, {variant_text(record)}, {}, {}, {}, {}, status_cell(record)};
  if (record.counts) {
    row[2].text = format_figure(record.counts->per_iteration);
    row[3] = {format_share(record.counts->spread), record.counts->spread == 0 ? Tint::dim : Tint::none};
  }
  if (record.wall) {
    row[4].text = format_seconds(record.wall->median_s, record.wall->interval_s.half_width());
    row[5] = {record.wall->median_s > 0 ? format_share(record.wall->iqr_s / record.wall->median_s) : "", Tint::dim};
  }
  return row;
}

/// Before the status, where a case has worked on a device: its kernels, and their own time.
void add_device(Table& table, const Record& record) {
  const auto has_work = [](const CaseRecord& one) { return one.on_device && one.on_device->work; };
  if (std::ranges::none_of(record.cases, has_work)) return;
  table.columns.insert(table.columns.end() - 1,
                       {{.title = "kernels", .right = true}, {.title = "device", .right = true}});
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const CaseRecord& one = record.cases[i];
    std::vector<Cell> cells(2);
    if (has_work(one)) {
      const DeviceWork& work = *one.on_device->work;
      cells[0].text = format_figure(work.kernels);
      cells[1].text = format_seconds(work.kernel_time_s, work.kernel_time_interval_s.half_width());
    }
    table.rows[i].insert(table.rows[i].end() - 1, cells.begin(), cells.end());
  }
}

/// Before the status, where there are commands: processor time, and the most memory.
void add_used(Table& table, const Record& record) {
  if (std::ranges::none_of(record.cases, [](const CaseRecord& one) { return one.used.has_value(); })) return;
  table.columns.insert(table.columns.end() - 1, {{.title = "user", .right = true, .drop = 4},
                                                 {.title = "system", .right = true, .drop = 4},
                                                 {.title = "peak", .right = true, .drop = 4}});
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    std::vector<Cell> cells(3);
    if (const auto& used = record.cases[i].used) {
      cells[0].text = format_seconds(used->user_s, 0);
      cells[1].text = format_seconds(used->system_s, 0);
      cells[2].text = bytes_text(used->peak_bytes);
    }
    table.rows[i].insert(table.rows[i].end() - 1, cells.begin(), cells.end());
  }
}

/// Beside the whole count; a language without known noise has no such count.
void add_denoised(Table& table, const Record& record) {
  const auto beside = [](auto& list) { return list.begin() + 3; };
  table.columns.insert(beside(table.columns), {.title = "denoised", .right = true});
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::optional<Counts>& counts = record.cases[i].counts;
    table.rows[i].insert(beside(table.rows[i]),
                         {counts && counts->denoised ? format_count(*counts->denoised) : "", Tint::none});
  }
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

std::string render_run_table(const Record& record, const RenderOptions& options, bool denoised) {
  Table table;
  table.columns = {{.title = "label", .least = 12, .in_middle = true},
                   {.title = "variant", .least = 6},
                   {.title = "instr/iter", .right = true},
                   {.title = "spread", .right = true, .drop = 2},
                   {.title = "median", .right = true, .drop = 1},
                   {.title = "IQR", .right = true, .drop = 3},
                   {.title = "status", .least = 8}};
  std::size_t ok = 0;
  std::size_t bad = 0;
  std::string failures;
  for (const CaseRecord& one : record.cases) {
    table.rows.push_back(case_row(one));
    ok += one.status == CaseStatus::ok;
    if (one.status == CaseStatus::ok || one.status == CaseStatus::skipped) continue;
    ++bad;
    failures += "\n" + failure_text(one, options);
  }
  if (denoised) add_denoised(table, record);
  add_device(table, record);
  add_used(table, record);
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
