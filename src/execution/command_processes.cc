#include "execution/command_processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "protocol/command_tree.h"

namespace tally {

namespace {

std::uint64_t number(std::string_view text) { return std::strtoull(std::string(text).c_str(), nullptr, 10); }

std::string name_of(const ProcessCount& process) {
  return fmt::format("process {} ({})", process.place, process.program);
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

std::string difference(const std::vector<ProcessCount>& one, const std::vector<ProcessCount>& other) {
  std::size_t at = 0;
  std::uint64_t most = 0;
  std::size_t others = 0;
  for (std::size_t i = 0; i < one.size() || i < other.size(); ++i) {
    if (i >= one.size() || i >= other.size())
      return name_of(i < one.size() ? one[i] : other[i]) + " is there in one run and not in another";
    if (one[i].place != other[i].place || one[i].program != other[i].program)
      return fmt::format("{} in one run is {} in another", name_of(one[i]), name_of(other[i]));
    const auto [less, more] = std::minmax(one[i].instructions, other[i].instructions);
    if (less == more) continue;
    ++others;
    if (more - less <= most) continue;
    most = more - less;
    at = i;
  }
  if (most == 0) return {};
  return fmt::format("{} executed {} instructions in one run and {} in another{}", name_of(one[at]),
                     one[at].instructions, other[at].instructions,
                     others > 1 ? fmt::format(", and of {} more processes others", others - 1) : "");
}

}  // namespace tally
