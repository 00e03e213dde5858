#include "profile/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "json/text.h"
#include "profile/annotated.h"
#include "profile/call_tree.h"
#include "profile/names.h"

namespace tally {
namespace {

using json::Array;
using json::Object;

constexpr TreeLimits kExportLimits = {.least_share = 0.0001, .most_nodes = 50000};

std::string costs(std::span<const std::uint64_t> values) { return fmt::format("{}", fmt::join(values, " ")); }

/// One line's worth: a name of somebody else's must not start a line of ours.
std::string one_line(const std::string& text) {
  std::string result = text;
  std::ranges::replace_if(result, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return result;
}

std::string numbered(std::uint32_t id, const Profile& profile) {
  const std::string& text = profile.strings[id];
  return fmt::format("({}) {}", id + 1, text.empty() ? "???" : one_line(text));
}

std::string numbered_name(const Profile::Function& function, const Profile& profile) {
  return fmt::format("({}) {}", function.name + 1, one_line(callgrind_name(profile.name_of(function))));
}

}  // namespace

std::string to_callgrind(const Profile& profile) {
  std::string out = "# callgrind format\nversion: 1\ncreator: tallymark\npositions: line\n";
  out += fmt::format("events: {}\n", fmt::join(profile.events, " "));
  if (!profile.summary.empty()) out += "summary: " + costs(profile.summary) + "\n";
  // Calls stand below the row that makes them.
  std::vector<std::vector<std::uint32_t>> calls_of(profile.rows.size());
  for (std::uint32_t i = 0; i < profile.calls.size(); ++i) calls_of[profile.calls[i].row].push_back(i);
  for (std::size_t row = 0; row < profile.rows.size(); ++row) {
    const auto& function = profile.functions[profile.rows[row].function];
    out += fmt::format("\nob={}\nfl={}\nfn={}\n", numbered(function.object, profile), numbered(function.file, profile),
                       numbered_name(function, profile));
    if (profile.rows[row].file != function.file)
      out += fmt::format("fi={}\n", numbered(profile.rows[row].file, profile));
    out += "0 " + costs(profile.row_cost(row)) + "\n";
    for (const std::uint32_t call : calls_of[row]) {
      const auto& callee = profile.functions[profile.calls[call].callee];
      out += fmt::format("cob={}\ncfi={}\ncfn={}\ncalls={} 0\n0 {}\n", numbered(callee.object, profile),
                         numbered(callee.file, profile), numbered_name(callee, profile), profile.calls[call].count,
                         costs(profile.call_cost(call)));
    }
  }
  out += "\ntotals: " + costs(profile.totals) + "\n";
  return out;
}

std::string to_speedscope(const Profile& profile, std::size_t event, const std::string& name) {
  const CallTree tree = call_tree(profile, event, kExportLimits);
  Array frames;
  std::vector<int> frame_of(profile.functions.size(), -1);
  Array samples;
  Array weights;
  double total = 0;
  for (std::size_t n = 1; n < tree.nodes.size(); ++n) {
    const auto& function = profile.functions[tree.nodes[n].function];
    int& frame = frame_of[tree.nodes[n].function];
    if (frame < 0) {
      frame = static_cast<int>(frames.size());
      frames.push_back(Object{{"name", readable_name(profile.name_of(function))}, {"file", profile.file_of(function)}});
    }
    const double self = std::round(tree.nodes[n].self);
    if (self < 1) continue;
    std::vector<int> stack;
    for (std::uint32_t at = static_cast<std::uint32_t>(n); at != 0; at = tree.nodes[at].parent) {
      stack.push_back(frame_of[tree.nodes[at].function]);
    }
    std::ranges::reverse(stack);
    samples.push_back(stack);
    weights.push_back(self);
    total += self;
  }
  const std::string shown = name + (tree.approximate ? " (approximate: stacks made from call edges)" : "");
  Object sampled = {{"type", "sampled"},
                    {"name", shown},
                    {"unit", "none"},
                    {"startValue", 0},
                    {"endValue", total},
                    {"samples", std::move(samples)},
                    {"weights", std::move(weights)}};
  return json::to_text(Object{{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                              {"name", shown},
                              {"exporter", "tallymark"},
                              {"activeProfileIndex", 0},
                              {"shared", Object{{"frames", std::move(frames)}}},
                              {"profiles", Array{std::move(sampled)}}}) +
         "\n";
}

std::string to_collapsed(const Profile& profile, std::size_t event) {
  const CallTree tree = call_tree(profile, event, kExportLimits);
  std::vector<std::string> stacks(tree.nodes.size());
  if (tree.approximate) stacks[0] = "approximate (made from call edges)";
  std::string out;
  for (std::size_t n = 1; n < tree.nodes.size(); ++n) {
    const auto& function = profile.functions[tree.nodes[n].function];
    const std::string& above = stacks[tree.nodes[n].parent];
    std::string frame = replace_all(one_line(readable_name(profile.name_of(function))), ";", ":");
    stacks[n] = above.empty() ? std::move(frame) : fmt::format("{};{}", above, frame);
    const double self = std::round(tree.nodes[n].self);
    if (self >= 1) out += fmt::format("{} {:.0f}\n", stacks[n], self);
  }
  return out;
}

}  // namespace tally
