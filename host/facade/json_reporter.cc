#include <cmath>
#include <ostream>

#include "aggregates.h"
#include "benchmark/benchmark_api.h"
#include "decimal_point.h"
#include "text.h"

TALLYMARK_FACADE_BEGIN

namespace {

using internal::formatted;
using ::tally::embedded::with_point;
using Run = BenchmarkReporter::Run;

std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      all += '\\';
      all += c;
    } else if (c == '\n') {
      all += "\\n";
    } else if (c == '\t') {
      all += "\\t";
    } else if (c == '\r') {
      all += "\\r";
    } else if (c == '\b') {
      all += "\\b";
    } else if (c == '\f') {
      all += "\\f";
    } else if (byte < 0x20) {
      all += formatted("\\u%04x", byte);
    } else {
      all += c;
    }
  }
  return all + "\"";
}

/// The members of an object, each in a line of its own.
class Members {
 public:
  Members(std::ostream& out, int indent) : out_(out), indent_(static_cast<std::size_t>(indent), ' ') {}

  void raw(const std::string& name, const std::string& value) {
    out_ << (is_first_ ? "" : ",\n") << indent_ << quoted(name) << ": " << value;
    is_first_ = false;
  }
  void text(const std::string& name, const std::string& value) { raw(name, quoted(value)); }
  void whole(const std::string& name, std::int64_t value) { raw(name, std::to_string(value)); }
  void truth(const std::string& name, bool value) { raw(name, value ? "true" : "false"); }
  void number(const std::string& name, double value) {
    if (std::isnan(value))
      raw(name, "NaN");
    else if (std::isinf(value))
      raw(name, value < 0 ? "-Infinity" : "Infinity");
    else
      raw(name, with_point(formatted("%.16e", value)));
  }

 private:
  std::ostream& out_;
  std::string indent_;
  bool is_first_ = true;
};

std::string caches_text(const std::vector<CPUInfo::CacheInfo>& caches) {
  std::string all = "[\n";
  for (std::size_t i = 0; i < caches.size(); ++i) {
    const CPUInfo::CacheInfo& cache = caches[i];
    all += formatted(
        "      {\n        \"type\": %s,\n        \"level\": %d,\n        \"size\": %d,\n"
        "        \"num_sharing\": %d\n      }%s\n",
        quoted(cache.type).c_str(), cache.level, cache.size, cache.num_sharing, i + 1 < caches.size() ? "," : "");
  }
  return all + "    ]";
}

void write_times(Members& members, const Run& run) {
  if (run.report_rms) {
    members.number("rms", run.GetAdjustedCPUTime());
    return;
  }
  if (run.report_big_o) {
    members.number("cpu_coefficient", run.GetAdjustedCPUTime());
    members.number("real_coefficient", run.GetAdjustedRealTime());
    members.text("big_o", internal::big_o_text(run.complexity));
    members.text("time_unit", GetTimeUnitString(run.time_unit));
    return;
  }
  const bool is_share = run.run_type == Run::RT_Aggregate && run.aggregate_unit == kPercentage;
  members.whole("iterations", run.iterations);
  members.number("real_time", is_share ? run.real_accumulated_time : run.GetAdjustedRealTime());
  members.number("cpu_time", is_share ? run.cpu_accumulated_time : run.GetAdjustedCPUTime());
  members.text("time_unit", GetTimeUnitString(run.time_unit));
}

void write_memory(Members& members, const Run& run) {
  const MemoryManager::Result& memory = run.memory_result;
  if (memory.memory_iterations <= 0) return;
  members.number("allocs_per_iter", run.allocs_per_iter);
  members.whole("max_bytes_used", memory.max_bytes_used);
  if (memory.total_allocated_bytes != MemoryManager::TombstoneValue)
    members.whole("total_allocated_bytes", memory.total_allocated_bytes);
  if (memory.net_heap_growth != MemoryManager::TombstoneValue) members.whole("net_heap_growth", memory.net_heap_growth);
}

}  // namespace

bool JSONReporter::ReportContext(const Context& context) {
  std::ostream& out = GetOutputStream();
  out << "{\n  \"context\": {\n";
  Members members(out, 4);
  members.text("date", internal::local_time());
  members.text("host_name", context.sys_info.name);
  if (Context::executable_name != nullptr) members.text("executable", Context::executable_name);
  const CPUInfo& cpu = context.cpu_info;
  members.whole("num_cpus", cpu.num_cpus);
  members.whole("mhz_per_cpu", std::lround(cpu.cycles_per_second / 1e6));
  if (cpu.scaling != CPUInfo::UNKNOWN) members.truth("cpu_scaling_enabled", cpu.scaling == CPUInfo::ENABLED);
  if (context.sys_info.ASLRStatus != SystemInfo::ASLR::UNKNOWN)
    members.truth("aslr_enabled", context.sys_info.ASLRStatus == SystemInfo::ASLR::ENABLED);
  members.raw("caches", caches_text(cpu.caches));
  std::string load;
  for (const double one : cpu.load_avg) load += (load.empty() ? "" : ",") + with_point(formatted("%g", one));
  members.raw("load_avg", "[" + load + "]");
  members.text("library_version", GetBenchmarkVersion());
#if defined(__OPTIMIZE__)
  members.text("library_build_type", "release");
#else
  members.text("library_build_type", "debug");
#endif
  members.whole("json_schema_version", 1);
  if (const auto* const custom = internal::GetGlobalContext(); custom != nullptr) {
    for (const auto& [key, value] : *custom) members.text(key, value);
  }
  out << "\n  },\n  \"benchmarks\": [\n";
  return true;
}

void JSONReporter::ReportRuns(const std::vector<Run>& reports) {
  for (const Run& run : reports) {
    GetOutputStream() << (first_report_ ? "" : ",\n") << "    {\n";
    first_report_ = false;
    PrintRunData(run);
    GetOutputStream() << "\n    }";
  }
}

void JSONReporter::Finalize() { GetOutputStream() << "\n  ]\n}\n"; }

void JSONReporter::PrintRunData(const Run& run) {
  const bool is_aggregate = run.run_type == Run::RT_Aggregate;
  Members members(GetOutputStream(), 6);
  members.text("name", run.benchmark_name());
  members.whole("family_index", run.family_index);
  members.whole("per_family_instance_index", run.per_family_instance_index);
  members.text("run_name", run.run_name.str());
  members.text("run_type", is_aggregate ? "aggregate" : "iteration");
  members.whole("repetitions", run.repetitions);
  if (!is_aggregate) members.whole("repetition_index", run.repetition_index);
  members.whole("threads", run.threads);
  if (is_aggregate) {
    members.text("aggregate_name", run.aggregate_name);
    members.text("aggregate_unit", run.aggregate_unit == kPercentage ? "percentage" : "time");
  }
  if (run.skipped == internal::SkippedWithError) {
    members.truth("error_occurred", true);
    members.text("error_message", run.skip_message);
  } else if (run.skipped == internal::SkippedWithMessage) {
    members.truth("skipped", true);
    members.text("skip_message", run.skip_message);
  }
  write_times(members, run);
  for (const auto& [name, counter] : run.counters) members.number(name, counter.value);
  write_memory(members, run);
  if (!run.report_label.empty()) members.text("label", run.report_label);
}

TALLYMARK_FACADE_END
