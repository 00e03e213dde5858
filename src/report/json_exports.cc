#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "measurement/statistics.h"
#include "report/exports.h"
#include "report/format.h"

namespace tally {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity: a change from nothing is null.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string text_of(const Json& json) { return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json case_json(const CaseComparison& one) {
  Json json = {{"id", one.id}, {"verdict", to_string(one.verdict)}};
  if (!one.cause.empty()) json["cause"] = one.cause;
  if (one.counts) {
    json["instructions"] = {{"before", one.counts->before},
                            {"after", one.counts->after},
                            {"change", finite(one.counts->change)},
                            {"threshold", one.counts->threshold},
                            {"floor_measured", one.counts->floor_measured}};
  }
  if (one.time) {
    json["time"] = {{"before_s", one.time->before_s},
                    {"after_s", one.time->after_s},
                    {"change", finite(one.time->change)},
                    {"ratio_interval", {one.time->ratio.low, one.time->ratio.high}},
                    {"verdict", to_string(one.time->verdict)}};
  }
  if (!one.result.empty()) json["result"] = one.result;
  json["definition_changed"] = one.definition_changed;
  json["subject_changed"] = one.subject_changed;
  json["environment_changes"] = one.environment_changes;
  json["notes"] = one.notes;
  if (!one.functions.empty()) {
    Json& functions = json["functions"] = Json::array();
    for (const FunctionDelta& delta : one.functions) {
      functions.push_back({{"object", delta.object},
                           {"function", delta.name},
                           {"before", delta.before},
                           {"after", delta.after},
                           {"change", delta.delta()}});
    }
  }
  return json;
}

}  // namespace

std::string to_json(const Comparison& comparison, const CheckResult* checked) {
  Json json;
  Json& verdicts = json["verdicts"] = Json::object();
  for (const CaseComparison& one : comparison.cases) {
    Json& count = verdicts[std::string(to_string(one.verdict))];
    count = count.is_null() ? 1 : count.get<int>() + 1;
  }
  if (checked) {
    json["exit_code"] = exit_code(comparison, *checked);
    Json& findings = json["findings"] = Json::array();
    for (const Finding& finding : checked->findings) {
      findings.push_back({{"id", finding.of->id},
                          {"severity", finding.severity == Severity::failure   ? "failure"
                                       : finding.severity == Severity::warning ? "warning"
                                                                               : "accepted"},
                          {"metric", to_string(finding.metric)},
                          {"before", finding.before},
                          {"after", finding.after},
                          {"change", finite(finding.change)},
                          {"message", finding.message}});
    }
    json["remarks"] = checked->remarks;
  }
  Json& cases = json["cases"] = Json::array();
  for (const CaseComparison& one : comparison.cases) cases.push_back(case_json(one));
  return text_of(json);
}

std::string to_google_benchmark(const Record& record) {
  Json json;
  json["context"] = {{"date", record.started},
                     {"host_name", ""},
                     {"executable", "tally"},
                     {"num_cpus", first_machine(record).cpus},
                     {"mhz_per_cpu", 0},
                     {"cpu_scaling_enabled", false},
                     {"caches", Json::array()},
                     {"load_avg", Json::array()},
                     {"library_build_type", "release"}};
  Json& benchmarks = json["benchmarks"] = Json::array();
  std::size_t family = 0;
  for (const CaseRecord& one : record.cases) {
    const std::size_t index = family++;
    const auto add = [&](const char* aggregate, double seconds) {
      Json entry = {{"name", one.id + "_" + aggregate},
                    {"family_index", index},
                    {"per_family_instance_index", 0},
                    {"run_name", one.id},
                    {"run_type", "aggregate"},
                    {"repetitions", one.wall ? one.wall->replicates_s.size() : 0},
                    {"threads", one.threads},
                    {"aggregate_name", aggregate},
                    {"aggregate_unit", "time"},
                    {"iterations", one.wall ? one.wall->replicates_s.size() : 0},
                    {"real_time", seconds * 1e9},
                    {"cpu_time", seconds * 1e9},
                    {"time_unit", "ns"}};
      if (one.counts) entry["instructions"] = one.counts->per_iteration;
      benchmarks.push_back(std::move(entry));
    };
    if (one.status != CaseStatus::ok) {
      benchmarks.push_back(
          {{"name", one.id},
           {"run_name", one.id},
           {"run_type", "iteration"},
           {"error_occurred", true},
           {"error_message", one.failure ? one.failure->message : std::string(to_string(one.status))}});
    } else if (one.wall) {
      add("mean", one.wall->mean_s);
      add("median", one.wall->median_s);
      add("stddev", standard_deviation(one.wall->replicates_s));
    } else if (one.counts) {
      // Without times its tools still need a time; instructions stand as a counter and the time says 0.
      add("median", 0);
    }
  }
  return text_of(json);
}

}  // namespace tally
