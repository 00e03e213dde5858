#include "report/json/comparison_json.h"

#include <cmath>

#include "base/text.h"
#include "json/text.h"
#include "report/text/allocation_table.h"
#include "report/text/format.h"

namespace tally {
namespace {

using json::Array;
using json::Object;
using json::Value;

/// JSON has no infinity: a change from nothing is null.
Value finite(double value) { return std::isfinite(value) ? Value(value) : Value(); }

std::string text_of(Object json) { return json::to_text(std::move(json), 1) + "\n"; }

Array deltas_json(const std::vector<FunctionDelta>& deltas) {
  Array functions;
  for (const FunctionDelta& delta : deltas) {
    functions.push_back(Object{{"object", delta.object},
                               {"function", delta.name},
                               {"before", delta.before},
                               {"after", delta.after},
                               {"change", delta.delta()},
                               {"calls_before", delta.calls_before},
                               {"calls_after", delta.calls_after}});
  }
  return functions;
}

Object case_json(const CaseComparison& one) {
  Object json = {{"id", one.id}, {"verdict", to_string(one.verdict)}};
  if (!one.cause.empty()) json["cause"] = one.cause;
  if (one.counts) {
    json["instructions"] = Object{{"before", one.counts->before},
                                  {"after", one.counts->after},
                                  {"change", finite(one.counts->change)},
                                  {"threshold", one.counts->threshold},
                                  {"floor_measured", one.counts->floor_measured},
                                  {"denoised", one.counts->denoised}};
  }
  if (one.time) {
    json["time"] = Object{{"before_s", one.time->before_s},
                          {"after_s", one.time->after_s},
                          {"change", finite(one.time->change)},
                          {"ratio_interval", Array{one.time->ratio.low, one.time->ratio.high}},
                          {"verdict", to_string(one.time->verdict)}};
  }
  if (one.value) {
    json["value"] = Object{{"before", one.value->before},
                           {"after", one.value->after},
                           {"change", finite(one.value->change)},
                           {"unit", one.value->unit}};
  }
  if (!one.result.empty()) json["result"] = one.result;
  json["definition_changed"] = one.definition_changed;
  if (one.next != nullptr && one.next->reused) json["reused"] = *one.next->reused;
  json["subject_changed"] = !one.subject_changes.empty();
  json["subject_changes"] = one.subject_changes;
  json["environment_changes"] = one.environment_changes;
  json["notes"] = one.note_texts();
  Array note_codes;
  for (const Note& note : one.notes) note_codes.push_back(to_string(note.code));
  json["note_codes"] = std::move(note_codes);
  if (!one.functions.empty()) json["functions"] = deltas_json(one.functions);
  if (!one.python.empty()) json["python_functions"] = deltas_json(one.python);
  if (!one.allocations.empty()) {
    Array allocations;
    for (const AllocationDelta& delta : one.allocations) allocations.push_back(allocation_delta_json(delta));
    json["allocations"] = std::move(allocations);
  }
  return json;
}

/// What the check is worth: how many cases it judged, by what, and what it did not.
Object judged_json(const CheckResult& checked) {
  Array limits;
  for (const LimitUse& use : checked.limits) {
    Object limit = {{"limit", use.text}, {"soft", use.soft}, {"asked", use.asked}, {"judged", use.judged}};
    if (!use.why.empty()) limit["why"] = use.why;
    limits.push_back(std::move(limit));
  }
  Array uncompared;
  for (const Uncompared& one : checked.uncompared) uncompared.push_back(Object{{"id", one.of->id}, {"why", one.why}});
  return {{"cases", checked.judged},
          {"of", checked.cases},
          {"by", checked.limits_used()},
          {"limits", std::move(limits)},
          {"uncompared", std::move(uncompared)}};
}

}  // namespace

std::string to_json(const Comparison& comparison, const CheckResult* checked) {
  Object verdicts;
  for (const CaseComparison& one : comparison.cases) verdicts[to_string(one.verdict)] = comparison.count(one.verdict);
  Object json = {{"verdicts", std::move(verdicts)}};
  if (checked) {
    json["exit_code"] = exit_code(comparison, *checked);
    Array findings;
    for (const Finding& finding : checked->findings) {
      findings.push_back(Object{{"id", finding.of->id},
                                {"severity", to_string(finding.severity)},
                                {"metric", to_string(finding.metric)},
                                {"before", finding.before},
                                {"after", finding.after},
                                {"change", finite(finding.change)},
                                {"message", finding.message}});
    }
    json["findings"] = std::move(findings);
    json["judged"] = judged_json(*checked);
    json["remarks"] = checked->remarks;
  }
  Array cases;
  for (const CaseComparison& one : comparison.cases) cases.push_back(case_json(one));
  json["cases"] = std::move(cases);
  return text_of(std::move(json));
}

}  // namespace tally
