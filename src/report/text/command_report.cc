#include "report/text/command_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/byte_count.h"
#include "base/readable_id.h"
#include "base/text.h"
#include "json/text.h"
#include "report/text/escape.h"
#include "report/text/format.h"

namespace tally {

namespace {

/// Without the brackets of an id: what people call it.
std::string name_of(const CaseRecord& one) {
  std::string name;
  for (const std::string& part : one.label) name += (name.empty() ? "" : "/") + part;
  std::vector<std::string> params;
  params.reserve(one.params.size());
  for (const auto& [param, value] : one.params) params.push_back(fmt::format("{}={}", param, value));
  return params.empty() ? name : fmt::format("{} ({})", name, join(params, ", "));
}

std::vector<double> times_of(const CaseRecord& one) {
  return one.wall ? one.wall->replicates_s : std::vector<double>();
}

double deviation(const std::vector<double>& times, double mean) {
  if (times.size() < 2) return 0;
  double sum = 0;
  for (const double time : times) sum += (time - mean) * (time - mean);
  return std::sqrt(sum / static_cast<double>(times.size() - 1));
}

std::string relation(double value, double base) { return base > 0 ? fmt::format("{:.2f}", value / base) : "–"; }

/// Without a fraction where it has none, as an execution's instructions.
json::Value number_of(double value) {
  const auto whole = static_cast<std::uint64_t>(value);
  return static_cast<double>(whole) == value ? json::Value(whole) : json::Value(value);
}

/// With all of its digits.
std::string figure(bool there, double value) {
  if (!there) return {};
  const json::Value number = number_of(value);
  return number.whole() != nullptr ? fmt::format("{}", *number.whole()) : fmt::format("{}", value);
}

std::string without_quotes(std::string text) {
  std::erase_if(text, [](char c) { return c == '\'' || c == '\\'; });
  return text;
}

/// Its name where it was given one, else its text. A command without a name is labelled by its text, quoted otherwise
/// around parameters; of a long one by the beginning, an ellipsis and a digest.
std::string command_of(const CaseRecord& one) {
  const std::string& text = one.definition.stmt;
  if (one.language != "command") return text;
  const std::string label = join(one.label, "/");
  constexpr std::string_view kEllipsis = "… ";
  const std::size_t end = label.rfind(kEllipsis);
  const std::string beginning = without_quotes(label.substr(0, end));
  const std::string plain = without_quotes(text);
  const bool is_text = plain == without_quotes(label) || (end != std::string::npos && plain.starts_with(beginning));
  return is_text ? text : label;
}

}  // namespace

std::string processes_text(const Record& record) {
  std::string out;
  for (const CaseRecord& one : record.cases) {
    if (!one.processes || one.processes->size() < 2 || !one.counts) continue;
    out += fmt::format("\nprocesses of {}\n", printable(readable_id(one.id)));
    std::size_t width = 5;
    for (const ProcessCount& process : *one.processes) width = std::max(width, process.place.size());
    for (const ProcessCount& process : *one.processes) {
      const auto own = static_cast<double>(process.instructions);
      out += fmt::format("  {:{}}  {:>16}  {:>6}  {}\n", process.place, width, format_count(own),
                         one.counts->per_iteration > 0 ? format_share(own / one.counts->per_iteration) : "",
                         printable(process.program));
    }
  }
  return out;
}

std::string relations_text(const Record& record) {
  if (record.cases.size() < 2 || record.cases.front().status != CaseStatus::ok) return {};
  const CaseRecord& first = record.cases.front();
  std::string out = fmt::format("\nagainst {}\n", printable(readable_id(first.id)));
  for (const CaseRecord& one : std::span(record.cases).subspan(1)) {
    if (one.status != CaseStatus::ok) continue;
    std::vector<std::string> parts;
    if (one.counts && first.counts)
      parts.push_back(relation(one.counts->per_iteration, first.counts->per_iteration) + " times the instructions");
    if (one.wall && first.wall) {
      const bool apart = one.wall->interval_s.low > first.wall->interval_s.high ||
                         one.wall->interval_s.high < first.wall->interval_s.low;
      parts.push_back(relation(one.wall->median_s, first.wall->median_s) + " times the time" +
                      (apart ? "" : " (within the noise)"));
    }
    if (one.used && first.used) {
      parts.push_back(relation(static_cast<double>(one.used->peak_bytes), static_cast<double>(first.used->peak_bytes)) +
                      " times the peak memory");
    }
    out += fmt::format("  {}: {}\n", printable(readable_id(one.id)), join(parts, ", "));
  }
  return out;
}

std::string to_hyperfine(const Record& record) {
  json::Array results;
  for (const CaseRecord& one : record.cases) {
    const std::vector<double> times = times_of(one);
    json::Object result{{"command", command_of(one)}};
    const bool timed = one.wall && !times.empty();
    const auto known = [](bool there, double value) { return there ? json::Value(value) : json::Value(); };
    const auto [least, most] = timed ? std::ranges::minmax(times) : std::ranges::min_max_result<double>{};
    result["mean"] = known(timed, timed ? one.wall->mean_s : 0);
    result["stddev"] = known(timed, timed ? deviation(times, one.wall->mean_s) : 0);
    result["median"] = known(timed, timed ? one.wall->median_s : 0);
    result["user"] = known(one.used.has_value(), one.used ? one.used->user_s : 0);
    result["system"] = known(one.used.has_value(), one.used ? one.used->system_s : 0);
    result["min"] = known(timed, least);
    result["max"] = known(timed, most);
    json::Array all;
    for (const double time : times) all.emplace_back(time);
    result["times"] = std::move(all);
    if (one.used) result["memory_usage_byte"] = json::Array{json::Value(one.used->peak_bytes)};
    // Where executions ended with several codes, which time is which one's is not known.
    if (one.used && one.used->exit_codes && one.used->exit_codes->size() == 1)
      result["exit_codes"] = json::Array(times.size(), json::Value(one.used->exit_codes->front()));
    result["instructions"] = one.counts ? number_of(one.counts->per_iteration) : json::Value();
    if (!one.params.empty()) {
      json::Object parameters;
      for (const auto& [name, value] : one.params) parameters[name] = value;
      result["parameters"] = std::move(parameters);
    }
    results.emplace_back(std::move(result));
  }
  return json::to_text(json::Object{{"results", std::move(results)}}, 2) + "\n";
}

std::string commands_to_markdown(const Record& record) {
  std::string out =
      "| Command | Instructions | Median | Peak memory | Instructions, relative | Time, relative |\n"
      "|:---|---:|---:|---:|---:|---:|\n";
  const CaseRecord* const first = record.cases.empty() ? nullptr : &record.cases.front();
  for (const CaseRecord& one : record.cases) {
    const bool counted = one.counts && first->counts;
    const bool timed = one.wall && first->wall;
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", markdown_code(name_of(one)),
                       one.counts ? format_count(one.counts->per_iteration) : "",
                       one.wall ? format_seconds(one.wall->median_s, one.wall->interval_s.half_width()) : "",
                       one.used ? bytes_text(one.used->peak_bytes) : "",
                       counted ? relation(one.counts->per_iteration, first->counts->per_iteration) : "",
                       timed ? relation(one.wall->median_s, first->wall->median_s) : "");
  }
  return out;
}

std::string commands_to_csv(const Record& record) {
  std::string out = "command,status,instructions,spread,median_s,low_s,high_s,user_s,system_s,peak_bytes\n";
  for (const CaseRecord& one : record.cases) {
    const bool counted = one.counts.has_value();
    const bool timed = one.wall.has_value();
    const bool used = one.used.has_value();
    out += fmt::format(
        "{},{},{},{},{},{},{},{},{},{}\n", csv_field(name_of(one)), to_string(one.status),
        figure(counted, counted ? one.counts->per_iteration : 0), figure(counted, counted ? one.counts->spread : 0),
        figure(timed, timed ? one.wall->median_s : 0), figure(timed, timed ? one.wall->interval_s.low : 0),
        figure(timed, timed ? one.wall->interval_s.high : 0), figure(used, used ? one.used->user_s : 0),
        figure(used, used ? one.used->system_s : 0), used ? fmt::format("{}", one.used->peak_bytes) : "");
  }
  return out;
}

}  // namespace tally
