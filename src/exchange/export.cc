#include "exchange/export.h"

#include <fmt/format.h>

#include "json/text.h"

namespace tally::exchange {

namespace {

constexpr double kNanoseconds = 1e9;

}  // namespace

bool has_service_figures(const CaseRecord& one) {
  return one.status == CaseStatus::ok &&
         (one.counts || one.wall || (one.used && one.used->peak_bytes > 0) || one.reported);
}

std::string to_bencher(const Record& record) {
  json::Object all;
  for (const CaseRecord& one : record.cases) {
    if (!has_service_figures(one)) continue;
    json::Object measures;
    if (one.wall) {
      measures["latency"] = json::Object{{"value", one.wall->median_s * kNanoseconds},
                                         {"lower_value", one.wall->interval_s.low * kNanoseconds},
                                         {"upper_value", one.wall->interval_s.high * kNanoseconds}};
    }
    if (one.counts) measures["instructions"] = json::Object{{"value", one.counts->per_iteration}};
    if (one.used && one.used->peak_bytes > 0) measures["memory"] = json::Object{{"value", one.used->peak_bytes}};
    if (one.reported) measures["value"] = json::Object{{"value", one.reported->value}};
    all[one.id] = std::move(measures);
  }
  return json::to_text(std::move(all), 2) + "\n";
}

std::string to_github_action_benchmark(const Record& record) {
  json::Array all;
  for (const CaseRecord& one : record.cases) {
    if (!has_service_figures(one)) continue;
    const auto add = [&](std::string_view what, std::string_view unit, double value, std::string range) {
      json::Object entry{{"name", fmt::format("{} - {}", one.id, what)}, {"unit", unit}, {"value", value}};
      if (!range.empty()) entry["range"] = std::move(range);
      all.emplace_back(std::move(entry));
    };
    if (one.counts) {
      add("instructions", "instructions", one.counts->per_iteration,
          one.counts->spread > 0 ? fmt::format("± {:.3g} %", 100 * one.counts->spread) : "");
    }
    if (one.wall) {
      add("time", "ns", one.wall->median_s * kNanoseconds,
          fmt::format("± {:.4g}", one.wall->interval_s.half_width() * kNanoseconds));
    }
    if (one.used && one.used->peak_bytes > 0)
      add("peak memory", "bytes", static_cast<double>(one.used->peak_bytes), "");
    if (one.reported) add("value", one.reported->unit, one.reported->value, "");
  }
  return json::to_text(std::move(all), 2) + "\n";
}

}  // namespace tally::exchange
