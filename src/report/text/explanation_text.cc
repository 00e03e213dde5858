#include "report/text/explanation_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>

#include "base/readable_id.h"
#include "base/text.h"
#include "profile/names.h"
#include "report/text/escape.h"
#include "report/text/format.h"
#include "report/text/function_table.h"
#include "report/text/line_table.h"

namespace tally {
namespace {

Tint tint_of(double delta) { return delta > 0 ? Tint::bad : delta < 0 ? Tint::good : Tint::dim; }

/// What an event is in words: Callgrind's names say little.
std::string_view words_of(std::string_view event) {
  if (event == "Ir") return "instructions";
  if (event == "I1mr") return "instruction fetches that missed the first cache";
  if (event == "D1mr") return "reads that missed the first cache";
  if (event == "D1mw") return "writes that missed the first cache";
  if (event == "ILmr") return "instruction fetches that missed the last cache";
  if (event == "DLmr") return "reads that missed the last cache";
  if (event == "DLmw") return "writes that missed the last cache";
  if (event == "Bcm") return "mispredicted branches";
  if (event == "Bim") return "mispredicted indirect jumps";
  return event;
}

/// name, before, after, change, relative change.
using Figure = std::vector<Cell>;

Figure figure_of(std::string name, const Shift& change, bool judged = true) {
  const double relative = change.before <= 0 ? 0 : change.after / change.before - 1;
  return {{std::move(name)},
          {format_figure(change.before)},
          {format_figure(change.after)},
          {signed_count(change.delta()), judged ? tint_of(change.delta()) : Tint::none},
          {change.before <= 0 ? "" : format_change(relative)}};
}

std::vector<Figure> figures_of(const Explanation& explanation) {
  const CaseComparison& one = *explanation.of;
  std::vector<Figure> figures;
  if (one.counts) figures.push_back(figure_of("instructions", {one.counts->before, one.counts->after}));
  if (one.time) {
    figures.push_back({{"time"},
                       {format_seconds(one.time->before_s)},
                       {format_seconds(one.time->after_s)},
                       {std::string(to_string(one.time->verdict)), one.time->verdict == Verdict::slower   ? Tint::bad
                                                                   : one.time->verdict == Verdict::faster ? Tint::good
                                                                                                          : Tint::dim},
                       {format_change(one.time->change)}});
  }
  const auto add = [&](const char* name, const std::optional<Shift>& shift) {
    if (shift && (shift->before != 0 || shift->after != 0)) figures.push_back(figure_of(name, *shift));
  };
  add("until main()", explanation.starts);
  add("allocations", explanation.allocations);
  add("allocated bytes", explanation.allocated_bytes);
  if (explanation.cycles) figures.push_back(figure_of("estimated cycles", *explanation.cycles));
  return figures;
}

std::string indented(const std::string& text) {
  return "  " + replace_all(std::string(trim(text)), "\n", "\n  ") + "\n";
}

RenderOptions narrower(const RenderOptions& options) {
  RenderOptions result = options;
  if (options.width > 0) result.width = std::max(20, options.width - 2);
  return result;
}

std::string figures_text(const Explanation& explanation, const RenderOptions& options) {
  Table table;
  table.columns = {{.title = "per iteration"},
                   {.title = "before", .right = true},
                   {.title = "after", .right = true},
                   {.title = "change", .right = true},
                   {.title = "", .right = true, .drop = 1}};
  table.rows = figures_of(explanation);
  return indented(render_table(table, narrower(options)));
}

std::string processes_text(const Explanation& explanation, const RenderOptions& options) {
  constexpr std::size_t kMost = 20;
  Table table;
  table.columns = {{.title = "change", .right = true},
                   {.title = "before", .right = true, .drop = 1},
                   {.title = "after", .right = true, .drop = 1},
                   {.title = "process"},
                   {.title = "program"}};
  for (const ProcessShift& one :
       std::span(explanation.processes).first(std::min(kMost, explanation.processes.size()))) {
    const Shift& count = one.instructions;
    table.rows.push_back({{signed_count(count.delta()), tint_of(count.delta())},
                          {count.before > 0 ? format_count(count.before) : "new"},
                          {count.after > 0 ? format_count(count.after) : "gone"},
                          {one.place},
                          {printable(one.program)}});
  }
  std::string text = indented(render_table(table, narrower(options)));
  if (explanation.processes.size() > kMost)
    text += fmt::format("  and {} more processes\n", explanation.processes.size() - kMost);
  return text;
}

std::string path_text(const Explanation& explanation) {
  std::string text = "  where:\n";
  for (std::size_t i = 0; i < explanation.of->path.size(); ++i) {
    const CallDelta& call = explanation.of->path[i];
    text += fmt::format("  {}{} {}{}\n", std::string(i * 2, ' '), signed_count(call.delta()),
                        printable(shorten(call.function.name)),
                        call.function.object.empty() ? "" : "  " + printable(base_name(call.function.object)));
  }
  return text;
}

/// What the change is, in one sentence about its functions or lines: `kind` is one of them.
template <typename Delta>
std::string movement_line(const Movement<Delta>& movement, std::string_view kind) {
  const bool both = movement.more > 0 && movement.less < 0;
  const std::string net =
      both ? fmt::format(" ({} and {})", signed_count(movement.more), signed_count(movement.less)) : "";
  return fmt::format("{} of {} {}{} that moved {} {} of all movement{}:", movement.named.size(), movement.moved, kind,
                     movement.moved == 1 ? "" : "s", movement.named.size() == 1 ? "has" : "have",
                     format_share(movement.share), net);
}

std::string sites_line(const Movement<AllocationDelta>& movement) {
  return fmt::format("{} of {} allocation site{} that changed:", movement.named.size(), movement.moved,
                     movement.moved == 1 ? "" : "s");
}

struct KindOfFunctions {
  const Movement<FunctionDelta>& movement;
  std::string_view kind;
};
/// In the order in which they are shown.
std::array<KindOfFunctions, 2> kinds_of(const Explanation& explanation) {
  const bool both = !explanation.python.named.empty();
  return {KindOfFunctions{explanation.python, "Python function"},
          {explanation.functions, both ? "native function" : "function"}};
}

std::string disagreement_line(const Explanation& explanation) {
  if (explanation.disagreement == Disagreement::none) return {};
  return fmt::format("count and time disagree: {}", to_string(explanation.disagreement));
}

std::string events_text(const Explanation& explanation) {
  std::string text = "  what simulated caches and branches say, in estimated cycles:\n";
  for (const EventChange& event : explanation.events) {
    text += fmt::format("    {:>10}  {} ({}): {} → {}\n", signed_count(event.cycles), words_of(event.event),
                        event.event, format_count(event.count.before), format_count(event.count.after));
  }
  return text;
}

}  // namespace

std::string render_explanation(const Explanation& explanation, const RenderOptions& options) {
  const CaseComparison& one = *explanation.of;
  std::string text = tinted(printable(readable_id(one.id)), Tint::bold, options.color) + ": " +
                     std::string(to_string(one.verdict)) + (one.cause.empty() ? "" : ", cause: " + one.cause) + "\n";
  for (const Note& note : one.notes) text += "  " + message_text(note.text, 2) + "\n";
  text += "\n" + figures_text(explanation, options);
  if (!explanation.processes.empty()) text += "\n" + processes_text(explanation, options);
  if (explanation.of->path.size() > 1) text += "\n" + path_text(explanation);
  for (const auto& [movement, kind] : kinds_of(explanation)) {
    if (movement.named.empty()) continue;
    text += "\n  " + movement_line(movement, kind) + "\n";
    text += render_deltas(movement.named, movement.named.size(), options);
  }
  if (!explanation.lines.named.empty()) {
    text += "\n  " + movement_line(explanation.lines, "line") + "\n";
    text += indented(render_line_deltas(explanation.lines.named, {.options = narrower(options), .top = 0}));
  }
  if (!explanation.sites.named.empty()) {
    text += "\n  " + sites_line(explanation.sites) + "\n";
    for (const AllocationDelta& site : explanation.sites.named) text += "  " + message_text(describe(site), 2) + "\n";
  }
  if (explanation.disagreement != Disagreement::none)
    text += "\n  " + tinted(disagreement_line(explanation), Tint::notice, options.color) + "\n";
  if (!explanation.events.empty()) text += "\n" + events_text(explanation);
  return text;
}

std::string explanation_markdown(const Explanation& explanation) {
  std::string out = "| per iteration | before | after | change | |\n|---|---:|---:|---:|---:|\n";
  for (const Figure& figure : figures_of(explanation)) {
    for (const Cell& cell : figure) out += "| " + cell.text + " ";
    out += "|\n";
  }
  if (!explanation.processes.empty())
    out += "\n| change | before | after | process | program |\n|---:|---:|---:|---|---|\n";
  for (const ProcessShift& one : explanation.processes) {
    out += fmt::format("| {} | {} | {} | {} | {} |\n", signed_count(one.instructions.delta()),
                       format_count(one.instructions.before), format_count(one.instructions.after), one.place,
                       markdown_escape(one.program));
  }
  if (explanation.of->path.size() > 1) {
    std::vector<std::string> names;
    names.reserve(explanation.of->path.size());
    for (const CallDelta& call : explanation.of->path)
      names.push_back(fmt::format("{} ({})", markdown_escape(shorten(call.function.name)), signed_count(call.delta())));
    out += "\nWhere: " + join(names, " → ") + "\n";
  }
  for (const auto& [movement, kind] : kinds_of(explanation)) {
    if (movement.named.empty()) continue;
    out += "\n" + movement_line(movement, kind) +
           "\n\n| change | before | after | calls | object | function |\n|---:|---:|---:|---:|---|---|\n";
    for (const FunctionDelta& delta : movement.named) {
      out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", signed_count(delta.delta()), format_count(delta.before),
                         format_count(delta.after), format_calls(delta.calls_before, delta.calls_after),
                         markdown_escape(delta.object), markdown_escape(shorten(delta.name)));
    }
  }
  if (!explanation.lines.named.empty()) {
    out += "\n" + movement_line(explanation.lines, "line") +
           "\n\n| change | before | after | line | text |\n|---:|---:|---:|---|---|\n";
    for (const LineDelta& delta : explanation.lines.named) {
      std::string text = markdown_escape(text_of(delta));
      if (!delta.text.empty()) text = (delta.gone ? "gone: " : "") + markdown_code(delta.text);
      if (!delta.text_before.empty()) text += "; was: " + markdown_code(delta.text_before);
      out += fmt::format("| {} | {} | {} | {} | {} |\n", signed_count(delta.delta()), format_count(delta.before),
                         format_count(delta.after), markdown_escape(place_of(delta, explanation.lines.named)), text);
    }
  }
  if (!explanation.sites.named.empty()) {
    out += "\n" + sites_line(explanation.sites) + "\n\n";
    for (const AllocationDelta& site : explanation.sites.named) out += "- " + markdown_escape(describe(site)) + "\n";
  }
  if (explanation.disagreement != Disagreement::none) out += "\n**" + disagreement_line(explanation) + "**\n";
  if (!explanation.events.empty()) out += "\n| estimated cycles | event | before | after |\n|---:|---|---:|---:|\n";
  for (const EventChange& event : explanation.events) {
    out += fmt::format("| {} | {} ({}) | {} | {} |\n", signed_count(event.cycles), words_of(event.event), event.event,
                       format_count(event.count.before), format_count(event.count.after));
  }
  return out;
}

}  // namespace tally
