#include "report/html/report.h"
#include "comparison/means.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "comparison/explanation.h"
#include "json/text.h"
#include "report/html/lines.h"
#include "report/html/packed.h"
#include "report/html/page.h"
#include "report/html/profile.h"
#include "report/json/explanation_json.h"
#include "report/json/growth_json.h"
#include "report/text/comparison_table.h"
#include "report/text/explanation_text.h"
#include "report/text/format.h"
#include "report/text/versions.h"
#include "web/page_text.h"

namespace tally {
namespace {

using json::Array;
using json::Object;

constexpr std::size_t kSamplesShown = 160;
constexpr std::size_t kNodesOfAPage = 160'000;
constexpr std::size_t kNodesOfACase = 1500;

/// Four figures are more than a plot can show.
double four_figures(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double scale = std::pow(10.0, 3 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

Object wall_json(const Wall& wall) {
  const std::vector<std::vector<double>> by_child = samples_by_child(wall);
  const std::size_t step = std::max<std::size_t>(1, (wall.replicates_s.size() + kSamplesShown - 1) / kSamplesShown);
  Array children;
  for (const auto& child : by_child) {
    Array samples;
    // In nanoseconds, which need no exponent.
    for (std::size_t i = 0; i < child.size(); i += step) samples.push_back(four_figures(child[i] * 1e9));
    children.push_back(std::move(samples));
  }
  Object json = {{"median", wall.median_s},
                 {"low", wall.interval_s.low},
                 {"high", wall.interval_s.high},
                 {"iqr", wall.iqr_s},
                 {"samples", wall.replicates_s.size()},
                 {"number", wall.number_per_run},
                 {"children_ns", std::move(children)}};
  if (wall.watch) {
    if (wall.watch->steal_share) json["steal"] = *wall.watch->steal_share;
    json["throttled"] = wall.watch->throttled.size();
  }
  return json;
}

Object counts_json(const Counts& counts) {
  Object json = {{"per", counts.per_iteration},
                 {"spread", counts.spread},
                 {"replicates", counts.replicates},
                 {"baseline", counts.baseline},
                 {"iterations", counts.iterations}};
  if (counts.proven) json["proven"] = *counts.proven;
  if (counts.floor) json["floor"] = Array{counts.floor->low, counts.floor->high};
  if (counts.denoised) json["denoised"] = *counts.denoised;
  if (counts.estimated_cycles) json["cycles"] = *counts.estimated_cycles;
  if (counts.allocations) json["allocations"] = *counts.allocations;
  if (counts.allocated_bytes) json["bytes"] = *counts.allocated_bytes;
  if (counts.events.size() > 1) {
    Object events;
    for (const auto& [name, value] : counts.events) events[name] = four_figures(value);
    json["events"] = std::move(events);
  }
  return json;
}

Object work_json(const OnDevice& device) {
  const DeviceWork& work = *device.work;
  Object json = {
      {"kernels", work.kernels}, {"time", work.kernel_time_s}, {"reach", work.kernel_time_interval_s.half_width()}};
  if (has_warm_work(device)) json["warm"] = true;
  return json;
}

Object case_json(const CaseRecord& one) {
  Object json = {{"id", one.id},
                 {"label", label_text(one)},
                 {"variant", variant_text(one)},
                 {"language", one.language},
                 {"status", to_string(one.status)},
                 {"flags", one.flags},
                 {"warnings", one.warnings},
                 {"toolchain", one.toolchain},
                 {"stmt", one.definition.stmt},
                 {"setup", one.definition.setup},
                 {"global_setup", one.definition.global_setup}};
  if (one.reused) json["reused"] = *one.reused;
  if (one.counts) json["counts"] = counts_json(*one.counts);
  if (one.wall) json["wall"] = wall_json(*one.wall);
  if (one.reported)
    json["reported"] =
        Object{{"value", one.reported->value}, {"text", format_value(one.reported->value, one.reported->unit)}};
  if (one.used)
    json["used"] = Object{{"user", one.used->user_s}, {"system", one.used->system_s}, {"peak", one.used->peak_bytes}};
  if (one.processes && one.processes->size() > 1) {
    Array processes;
    for (const ProcessCount& process : *one.processes)
      processes.push_back(Array{process.place, process.program, process.instructions, process.start});
    json["processes"] = std::move(processes);
  }
  if (one.on_device && one.on_device->work) json["work"] = work_json(*one.on_device);
  if (one.failure) {
    json["failure"] =
        Object{{"stage", one.failure->stage}, {"message", one.failure->message}, {"reproduce", one.failure->reproduce}};
  }
  return json;
}

Object verdict_json(const CaseComparison& one) {
  Object json = {{"verdict", to_string(one.verdict)},
                 {"cause", one.cause},
                 {"notes", one.note_texts()},
                 {"environment", one.environment_changes}};
  if (one.counts) {
    json["before"] = one.counts->before;
    if (std::isfinite(one.counts->change)) {
      json["change"] = one.counts->change;
    } else if (one.counts->change > 0) {
      json["from_nothing"] = true;
    }
    json["threshold"] = one.counts->threshold;
    json["threshold_of"] = to_string(one.counts->threshold_of);
  }
  if (one.value) {
    json["value_before"] = format_value(one.value->before, one.value->unit);
    if (std::isfinite(one.value->change)) json["value_change"] = one.value->change;
  }
  if (one.time) {
    json["time_before"] = one.time->before_s;
    json["time_change"] = one.time->change;
    json["time_ratio"] = Array{one.time->ratio.low, one.time->ratio.high};
    json["time_verdict"] = to_string(one.time->verdict);
  }
  if (one.base && one.base->wall) json["wall"] = wall_json(*one.base->wall);
  return json;
}

double cost_of(const CaseRecord& one) { return one.counts ? one.counts->per_iteration : 0; }

void add_profile(Object& json, const HtmlReport& report, const CaseRecord& one, const CaseComparison* compared,
                 ProfileOf what, std::size_t most_nodes) {
  const auto profile = report.kept.profiles(*report.record, one, what);
  if (!profile || profile->profile.events.empty()) return;
  std::optional<StoredProfile> base;
  if (compared && compared->base) base = report.kept.profiles(*report.comparison->base, *compared->base, what);
  if (base && base->profile.events.empty()) base.reset();
  // What observing Python takes is not in the counts, and the loop not in what is observed.
  const auto cost = [what](const StoredProfile& stored, const CaseRecord& side) {
    return what == ProfileOf::python ? cost_of(stored) : cost_of(side);
  };
  const ProfiledSide before = base ? ProfiledSide{&*base, cost(*base, *compared->base)} : ProfiledSide{};
  json[what == ProfileOf::python ? "python" : "profile"] =
      packed(json::to_text(profile_json(before, {&*profile, cost(*profile, one)}, most_nodes)));
}

void add_lines(Object& json, const HtmlReport& report, const CaseRecord& one, const CaseComparison* compared,
               PageSources& sources) {
  if (!report.kept.lines || !one.profile) return;
  const auto after = report.kept.lines(*report.record, one);
  if (!after) return;
  std::optional<KeptLines> before;
  if (compared && compared->base) before = report.kept.lines(*report.comparison->base, *compared->base);
  json["lines"] = packed(json::to_text(lines_json(before ? &*before : nullptr, *after, sources)));
}

void add_profiles(Object& json, const HtmlReport& report, const CaseRecord& one, const CaseComparison* compared,
                  std::size_t most_nodes) {
  if (!report.kept.profiles || !one.profile) return;
  add_profile(json, report, one, compared, ProfileOf::native, most_nodes);
  if (one.language == "python") add_profile(json, report, one, compared, ProfileOf::python, most_nodes);
}

/// Those of the processor, too.
std::map<std::string, std::string> facts_of(const Environment& environment) {
  std::map<std::string, std::string> facts = environment.facts;
  if (environment.machine) facts.insert(environment.machine->begin(), environment.machine->end());
  return facts;
}

Object version_json(const VersionPair& one) {
  return {{"name", one.name},
          {"before", one.before},
          {"after", one.after},
          {"kind", one.kind == VersionKind::main      ? "main"
                   : one.kind == VersionKind::package ? "package"
                                                      : "file"}};
}

/// Of one record both sides are its own.
Array versions_json(const HtmlReport& report) {
  const Record& next = *report.record;
  Array versions;
  for (const VersionPair& one : versions_of(report.comparison ? *report.comparison->base : next, next))
    versions.push_back(version_json(one));
  return versions;
}

Object run_json(const Record& record) {
  Object environments;
  for (const auto& [name, environment] : record.environments) {
    environments[name] =
        Object{{"facts", facts_of(environment)},
               {"subject", environment.subject},
               {"fingerprint", environment.fingerprint.environment + " / " + environment.fingerprint.subject}};
  }
  const Machine machine = first_machine(record);
  return {
      {"version", record.tool.version},
      {"commit", record.tool.commit},
      {"source", record.source ? Object{{"repository", record.source->repository}, {"text", source_text(record.source)}}
                               : Object{}},
      {"started", record.started},
      {"seconds", record.seconds},
      {"command", join(record.command, " ")},
      {"cpu", machine.cpu},
      {"cpus", machine.cpus},
      {"memory_bytes", machine.memory_bytes},
      {"kernel", machine.kernel},
      {"system", machine.system},
      {"iterations", record.settings.iterations.value_or(kUsualIterations)},
      {"cache_sim", record.settings.cache_sim},
      {"environments", std::move(environments)}};
}

/// In plan order; cases that only the base has come last.
Array cases_json(const HtmlReport& report, PageSources& sources) {
  std::map<const CaseRecord*, const CaseComparison*> compared;
  std::size_t profiled = 0;
  for (const CaseRecord& one : report.record->cases) profiled += one.profile.has_value();
  const std::size_t most_nodes = std::min(kNodesOfACase, kNodesOfAPage / std::max<std::size_t>(profiled, 1));
  if (report.comparison) {
    for (const CaseComparison& one : report.comparison->cases) compared[&one.shown()] = &one;
  }
  Array cases;
  for (const CaseRecord& one : report.record->cases) {
    const auto found = compared.find(&one);
    const CaseComparison* comparison = found == compared.end() ? nullptr : found->second;
    Object json = case_json(one);
    if (comparison) json["base"] = verdict_json(*comparison);
    if (comparison && comparison->base && comparison->next) json["why"] = explanation_json(explain(*comparison));
    add_profiles(json, report, one, comparison, most_nodes);
    add_lines(json, report, one, comparison, sources);
    cases.push_back(std::move(json));
  }
  if (report.comparison) {
    for (const CaseComparison& one : report.comparison->cases) {
      if (one.next) continue;
      Object json = case_json(*one.base);
      json["base"] = verdict_json(one);
      cases.push_back(std::move(json));
    }
  }
  return cases;
}

}  // namespace

std::string render_html_report(const HtmlReport& report) {
  Object data = {{"name", report.name}, {"run", run_json(*report.record)}, {"versions", versions_json(report)}};
  PageSources sources;
  data["cases"] = cases_json(report, sources);
  data["sources"] = sources.json();
  data["growth"] = growth_json(*report.record);
  if (report.comparison) {
    data["base"] = run_json(*report.comparison->base);
    data["summary"] = comparison_summary(*report.comparison);
    if (const std::string line = means_line(*report.comparison); !line.empty()) {
      Object changes;
      for (const LanguageMean& one : means_of(*report.comparison).languages) changes[one.language] = one.change;
      data["means"] = Object{{"line", line}, {"changes", std::move(changes)}};
    }
  }
  return render_page({.title = report.name, .css = kPageCss, .js = kPageJs, .data = std::move(data)});
}

}  // namespace tally
