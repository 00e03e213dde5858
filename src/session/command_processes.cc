#include "session/command_processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>

#include "base/text.h"
#include "profile/callgrind.h"
#include "profile/names.h"
#include "protocol/command_tree.h"

namespace tally {

namespace {

std::uint64_t number(std::string_view text) { return std::strtoull(std::string(text).c_str(), nullptr, 10); }

std::string name_of(const ProcessCount& process) {
  return fmt::format("process {} ({})", process.place, process.program);
}

using FunctionCounts = std::map<std::string, std::int64_t, std::less<>>;

/// Own instructions by function, of one program of one process.
FunctionCounts functions_of(std::string_view dump, const ProcessCount& process) {
  constexpr std::string_view kMark = protocol::command::kFunctionsOf;
  const std::string own_mark = fmt::format("{}{}\t{}\n", kMark, process.place, process.program);
  CallgrindReader reader;
  reader.feed("positions: line\nevents: Ir\n\n");
  for (std::size_t at = dump.find(kMark); at < dump.size();) {
    const std::size_t end = std::min(dump.find(kMark, at + 1), dump.size());
    const std::string_view part = dump.substr(at, end - at);
    if (part.starts_with(own_mark)) reader.feed(part);
    at = end;
  }
  FunctionCounts counts;
  const auto profile = reader.finish();
  if (!profile) return counts;
  for (std::size_t row = 0; row < profile->rows.size(); ++row) {
    const Profile::Function& function = profile->functions[profile->rows[row].function];
    counts[profile->strings[function.name]] += static_cast<std::int64_t>(profile->row_cost(row)[0]);
  }
  return counts;
}

/// The function that two executions disagree on most, and by how much; empty: on none.
std::string most_different(const FunctionCounts& one, FunctionCounts other) {
  for (const auto& [name, count] : one) other[name] -= count;
  const auto most = std::ranges::max_element(other, {}, [](const auto& entry) { return std::abs(entry.second); });
  if (most == other.end() || most->second == 0) return {};
  return fmt::format("{} ({:+})", readable_name(most->first), most->second);
}

}  // namespace

std::vector<ProcessCount> processes_in(std::string_view dump) {
  constexpr std::string_view kLine = protocol::command::kProcess;
  std::vector<ProcessCount> processes;
  for (std::size_t at = dump.find(kLine); at != std::string_view::npos; at = dump.find(kLine, at)) {
    at += kLine.size();
    const auto parts = split(dump.substr(at, dump.find('\n', at) - at), '\t');
    constexpr std::size_t kParts = 5;
    if (parts.size() != kParts) continue;
    processes.push_back({.place = std::string(parts[0]),
                         .program = std::string(parts[4]),
                         .arguments = std::string(parts[1]),
                         .start = number(parts[2]),
                         .instructions = number(parts[3])});
  }
  return processes;
}

std::string difference(std::string_view dump, std::string_view other_dump) {
  const std::vector<ProcessCount> one = processes_in(dump);
  const std::vector<ProcessCount> other = processes_in(other_dump);
  std::size_t at = 0;
  std::uint64_t most = 0;
  std::size_t differing = 0;
  for (std::size_t i = 0; i < one.size() || i < other.size(); ++i) {
    if (i >= one.size() || i >= other.size())
      return name_of(i < one.size() ? one[i] : other[i]) + " is there in one run and not in another";
    if (one[i].place != other[i].place || one[i].program != other[i].program)
      return fmt::format("{} in one run is {} in another", name_of(one[i]), name_of(other[i]));
    const auto [less, more] = std::minmax(one[i].instructions, other[i].instructions);
    if (less == more) continue;
    ++differing;
    if (more - less <= most) continue;
    most = more - less;
    at = i;
  }
  if (most == 0) return {};
  const std::string function = most_different(functions_of(dump, one[at]), functions_of(other_dump, other[at]));
  return fmt::format(
      "{} executed {} instructions in one run and {} in another{}{}", name_of(one[at]), one[at].instructions,
      other[at].instructions, function.empty() ? "" : ", first of all in " + function,
      differing > 1 ? fmt::format("; so did {} other {}", differing - 1, differing == 2 ? "process" : "processes")
                    : "");
}

}  // namespace tally
