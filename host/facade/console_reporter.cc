#include <algorithm>
#include <ostream>

#include "aggregates.h"
#include "text.h"

TALLYMARK_FACADE_BEGIN

namespace {

using internal::formatted;
using Run = BenchmarkReporter::Run;

enum class Color { plain, red, green, yellow, blue, cyan, white };

std::string painted(bool colors, Color color, const std::string& text) {
  if (!colors) return text;
  const char* begin = "";
  if (color == Color::red) begin = "\033[0;31m";
  if (color == Color::green) begin = "\033[0;32m";
  if (color == Color::yellow) begin = "\033[0;33m";
  if (color == Color::blue) begin = "\033[0;34m";
  if (color == Color::cyan) begin = "\033[0;36m";
  if (color == Color::white) begin = "\033[0;37m";
  return begin + text + "\033[m";
}

/// In ten columns.
std::string time_text(double time) {
  constexpr double kTenDigits = 9'999'999'999.0;
  if (time > kTenDigits) return formatted("%1.4e", time);
  return formatted("%10.*f", time < 1 ? 3 : time < 10 ? 2 : time < 100 ? 1 : 0, time);
}

std::string times_text(const Run& run) {
  const double real = run.GetAdjustedRealTime();
  const double cpu = run.GetAdjustedCPUTime();
  if (run.report_big_o) {
    const char* const growth = internal::big_o_text(run.complexity);
    return formatted("%10.2f %-4s %10.2f %-4s ", real, growth, cpu, growth);
  }
  if (run.report_rms) return formatted("%10.0f %-4s %10.0f %-4s ", real * 100, "%", cpu * 100, "%");
  if (run.run_type == Run::RT_Aggregate && run.aggregate_unit == kPercentage)
    return formatted("%10.2f %-4s %10.2f %-4s ", 100 * run.real_accumulated_time, "%", 100 * run.cpu_accumulated_time,
                     "%");
  const char* const unit = GetTimeUnitString(run.time_unit);
  return formatted("%s %-4s %s %-4s ", time_text(real).c_str(), unit, time_text(cpu).c_str(), unit);
}

bool same_names(const UserCounters& a, const UserCounters& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](const auto& x, const auto& y) { return x.first == y.first; });
}

std::string counter_text(const Run& run, const std::string& name, const Counter& counter, bool tabular) {
  std::string value;
  const char* unit = "";
  if (run.run_type == Run::RT_Aggregate && run.aggregate_unit == kPercentage) {
    value = formatted("%.2f", 100 * counter.value);
    unit = "%";
  } else {
    value = internal::with_prefix(counter.value, counter.oneK);
    if ((counter.flags & Counter::kIsRate) != 0) unit = (counter.flags & Counter::kInvert) != 0 ? "s" : "/s";
  }
  if (!tabular) return formatted(" %s=%s%s", name.c_str(), value.c_str(), unit);
  const std::size_t width = std::max<std::size_t>(10, name.size()) - std::string(unit).size();
  return formatted(" %*s%s", static_cast<int>(width), value.c_str(), unit);
}

}  // namespace

bool ConsoleReporter::ReportContext(const Context& context) {
  name_field_width_ = context.name_field_width;
  printed_header_ = false;
  prev_counters_.clear();
  PrintBasicContext(&GetErrorStream(), context);
  return true;
}

void ConsoleReporter::PrintHeader(const Run& run) {
  std::string head =
      formatted("%-*s %13s %15s %12s", static_cast<int>(name_field_width_), "Benchmark", "Time", "CPU", "Iterations");
  if ((output_options_ & OO_Tabular) != 0) {
    for (const auto& [name, counter] : run.counters) head += formatted(" %10s", name.c_str());
  } else if (!run.counters.empty()) {
    head += " UserCounters...";
  }
  const std::string line(head.size(), '-');
  GetOutputStream() << line << "\n" << head << "\n" << line << "\n";
}

void ConsoleReporter::ReportRuns(const std::vector<Run>& reports) {
  for (const Run& run : reports) {
    const bool other_columns = (output_options_ & OO_Tabular) != 0 && !same_names(run.counters, prev_counters_);
    if (!printed_header_ || other_columns) {
      printed_header_ = true;
      prev_counters_ = run.counters;
      PrintHeader(run);
    }
    PrintRunData(run);
  }
}

void ConsoleReporter::PrintRunData(const Run& result) {
  const bool colors = (output_options_ & OO_Color) != 0;
  std::ostream& out = GetOutputStream();
  const bool is_fit = result.report_big_o || result.report_rms;
  out << painted(colors, is_fit ? Color::blue : Color::green,
                 formatted("%-*s ", static_cast<int>(name_field_width_), result.benchmark_name().c_str()));
  if (result.skipped != internal::NotSkipped) {
    const bool is_error = result.skipped == internal::SkippedWithError;
    const std::string why = (is_error ? "ERROR OCCURRED: '" : "SKIPPED: '") + result.skip_message + "'";
    out << painted(colors, is_error ? Color::red : Color::white, why) << painted(colors, Color::plain, "\n");
    return;
  }
  out << painted(colors, Color::yellow, times_text(result));
  if (!is_fit) out << painted(colors, Color::cyan, formatted("%10lld", static_cast<long long>(result.iterations)));
  for (const auto& [name, counter] : result.counters)
    out << painted(colors, Color::plain, counter_text(result, name, counter, (output_options_ & OO_Tabular) != 0));
  if (!result.report_label.empty()) out << painted(colors, Color::plain, " " + result.report_label);
  out << painted(colors, Color::plain, "\n");
}

TALLYMARK_FACADE_END
