#include <ostream>

#include "aggregates.h"
#include "benchmark/reporter.h"

TALLYMARK_FACADE_BEGIN

namespace {

constexpr const char* kHead =
    "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,error_occurred,"
    "error_message";

/// With columns of their own, whether any run has them or not.
bool is_standard(const std::string& name) { return name == "bytes_per_second" || name == "items_per_second"; }

std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) all += c == '"' ? std::string("\"\"") : std::string(1, c);
  return all + "\"";
}

void write_counter(std::ostream& out, const BenchmarkReporter::Run& run, const std::string& name) {
  const auto found = run.counters.find(name);
  if (found != run.counters.end()) out << found->second.value;
}

}  // namespace

bool CSVReporter::ReportContext(const Context& context) {
  PrintBasicContext(&GetErrorStream(), context);
  return true;
}

void CSVReporter::ReportRuns(const std::vector<Run>& reports) {
  const bool is_first = !printed_header_;
  for (const Run& run : reports) {
    for (const auto& [name, counter] : run.counters) {
      if (is_standard(name)) continue;
      if (is_first) user_counter_names_.insert(name);
      if (user_counter_names_.count(name) == 0 && left_out_.insert(name).second)
        GetErrorStream() << "***WARNING*** benchmark '" << run.benchmark_name() << "': its counter '" << name
                         << "' is left out: CSV has the columns of the first benchmark; --benchmark_format=json has "
                            "all\n";
    }
  }
  if (is_first) {
    GetOutputStream() << kHead;
    for (const std::string& name : user_counter_names_) GetOutputStream() << "," << quoted(name);
    GetOutputStream() << "\n";
    printed_header_ = true;
  }
  for (const Run& run : reports) PrintRunData(run);
}

void CSVReporter::PrintRunData(const Run& run) {
  std::ostream& out = GetOutputStream();
  out << quoted(run.benchmark_name()) << ",";
  if (run.skipped != internal::NotSkipped) {
    out << ",,,,,,," << (run.skipped == internal::SkippedWithError ? "true" : "false") << ","
        << quoted(run.skip_message) << "\n";
    return;
  }
  const bool is_fit = run.report_big_o || run.report_rms;
  const bool is_share = run.aggregate_unit == kPercentage;
  if (!is_fit) out << run.iterations;
  if (run.run_type == Run::RT_Aggregate && is_share)
    out << "," << run.real_accumulated_time << "," << run.cpu_accumulated_time << ",";
  else
    out << "," << run.GetAdjustedRealTime() << "," << run.GetAdjustedCPUTime() << ",";
  if (run.report_big_o)
    out << internal::big_o_text(run.complexity);
  else if (!run.report_rms && !is_share)
    out << GetTimeUnitString(run.time_unit);
  out << ",";
  write_counter(out, run, "bytes_per_second");
  out << ",";
  write_counter(out, run, "items_per_second");
  out << ",";
  if (!run.report_label.empty()) out << quoted(run.report_label);
  // No error, and no words of one.
  out << ",,";
  for (const std::string& name : user_counter_names_) {
    out << ",";
    write_counter(out, run, name);
  }
  out << "\n";
}

TALLYMARK_FACADE_END
