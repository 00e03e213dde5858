#include "report/json/explanation_json.h"

#include <cmath>

#include "report/text/allocation_table.h"
#include "report/text/line_table.h"

namespace tally {
namespace {

using json::Array;
using json::Object;

Object json_of(const Shift& change) {
  return {{"before", change.before}, {"after", change.after}, {"change", change.delta()}};
}

Array json_of(const std::vector<FunctionDelta>& deltas) {
  Array functions;
  for (const FunctionDelta& delta : deltas) {
    functions.push_back(Object{{"function", delta.name},
                               {"object", delta.object},
                               {"before", delta.before},
                               {"after", delta.after},
                               {"calls_before", delta.calls_before},
                               {"calls_after", delta.calls_after}});
  }
  return functions;
}

}  // namespace

json::Object explanation_json(const Explanation& explanation) {
  const CaseComparison& one = *explanation.of;
  Object json = {{"id", one.id}, {"verdict", to_string(one.verdict)}};
  if (!one.cause.empty()) json["cause"] = one.cause;
  json["notes"] = one.note_texts();
  if (one.counts) json["instructions"] = json_of({one.counts->before, one.counts->after});
  if (one.time) {
    json["time"] = Object{{"before_s", one.time->before_s},
                          {"after_s", one.time->after_s},
                          {"ratio_interval", Array{one.time->ratio.low, one.time->ratio.high}},
                          {"verdict", to_string(one.time->verdict)}};
  }
  if (explanation.starts) json["until_main"] = json_of(*explanation.starts);
  if (!explanation.processes.empty()) {
    Array processes;
    for (const ProcessShift& process : explanation.processes) {
      Object change = json_of(process.instructions);
      change["place"] = process.place;
      change["program"] = process.program;
      processes.push_back(std::move(change));
    }
    json["processes"] = std::move(processes);
  }
  if (explanation.allocations) json["allocations"] = json_of(*explanation.allocations);
  if (explanation.allocated_bytes) json["allocated_bytes"] = json_of(*explanation.allocated_bytes);
  Array path;
  for (const CallDelta& call : explanation.of->path) {
    path.push_back(Object{{"function", call.function.name},
                          {"object", call.function.object},
                          {"before", call.before},
                          {"after", call.after}});
  }
  json["path"] = std::move(path);
  json["functions"] = json_of(explanation.functions.named);
  json["functions_moved"] = explanation.functions.moved;
  json["share"] = explanation.functions.share;
  if (explanation.python.moved > 0) {
    json["python_functions"] = json_of(explanation.python.named);
    json["python_functions_moved"] = explanation.python.moved;
    json["python_share"] = explanation.python.share;
  }
  if (explanation.lines.moved > 0) {
    Array lines;
    for (const LineDelta& delta : explanation.lines.named) lines.push_back(line_delta_json(delta));
    json["lines"] = std::move(lines);
    json["lines_moved"] = explanation.lines.moved;
    json["lines_share"] = explanation.lines.share;
  }
  if (explanation.sites.moved > 0) {
    Array sites;
    for (const AllocationDelta& delta : explanation.sites.named) sites.push_back(allocation_delta_json(delta));
    json["allocation_sites"] = std::move(sites);
    json["allocation_sites_moved"] = explanation.sites.moved;
  }
  if (explanation.disagreement != Disagreement::none) json["disagreement"] = to_string(explanation.disagreement);
  if (explanation.cycles) json["estimated_cycles"] = json_of(*explanation.cycles);
  Array events;
  for (const EventChange& event : explanation.events) {
    Object change = json_of(event.count);
    change["event"] = event.event;
    change["estimated_cycles"] = event.cycles;
    events.push_back(std::move(change));
  }
  json["events"] = std::move(events);
  return json;
}

}  // namespace tally
