#include "command_tree.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "files.h"
#include "protocol/command_tree.h"
#include "protocol/string_repetitions.h"

namespace tally::host {

namespace {

namespace format = protocol::command;

std::string contents(const std::string& path) {
  std::string text;
  std::FILE* const file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return text;
  char block[65536];
  for (std::size_t got = 0; (got = std::fread(block, 1, sizeof block, file)) > 0;) text.append(block, got);
  std::fclose(file);
  return text;
}

/// What follows these words at the beginning of a line; empty where there is no such line.
std::string_view value_of(std::string_view text, std::string_view words) {
  std::size_t at = text.starts_with(words) ? 0 : text.find("\n" + std::string(words));
  if (at == std::string_view::npos) return {};
  at += words.size() + (at == 0 && text.starts_with(words) ? 0 : 1);
  return text.substr(at, text.find('\n', at) - at);
}

std::uint64_t number(std::string_view text) { return std::strtoull(std::string(text).c_str(), nullptr, 10); }

/// "1.10-2" as {1, 10, 0, 2}: a process comes after its parent's programs.
std::vector<std::uint64_t> order_of(const std::string& name) {
  std::vector<std::uint64_t> numbers;
  for (std::size_t at = 0; at < name.size();) {
    if (name[at] == '-') numbers.push_back(0);
    const std::size_t digits = name.find_first_of("0123456789", at);
    if (digits == std::string::npos) break;
    numbers.push_back(number(std::string_view(name).substr(digits)));
    at = std::min(name.find_first_of(".-", digits), name.size());
    if (at < name.size() && name[at] == '.') ++at;
  }
  return numbers;
}

/// A try to execute another program that failed ends a file, and nothing else.
bool continues_as(const TreeProcess& before, const TreeProcess& after) {
  return before.place == after.place && before.program == after.program && before.arguments == after.arguments &&
         after.start == 0;
}

/// What a process had counted when it was killed; nothing where no slot is its own.
std::optional<std::uint64_t> counted_by(const std::string& name, int counts) {
  const std::size_t dash = name.find('-');
  const std::string place = name.substr(0, dash);
  const std::uint64_t file_number = number(std::string_view(name).substr(dash + 1));
  std::uint64_t taken = 0;
  if (::pread(counts, &taken, sizeof taken, 0) != sizeof taken) return std::nullopt;
  for (std::uint64_t i = 0; i < taken; ++i) {
    const std::uint64_t at = format::slot_at(i);
    format::Slot slot{};
    if (::pread(counts, &slot, sizeof slot, static_cast<off_t>(at)) != sizeof slot) return std::nullopt;
    if (slot.is_open == 0 || slot.number != file_number || place != slot.place) continue;
    std::vector<std::uint64_t> executed(slot.used + 1);
    std::vector<std::uint32_t> lengths(slot.used + 1);
    const auto counters_at = static_cast<off_t>(at + format::kPage);
    const auto lengths_at = static_cast<off_t>(at + format::kPage + format::kSlotCounters * sizeof(std::uint64_t));
    const auto read = [&](auto& values, off_t from) {
      const std::size_t bytes = values.size() * sizeof values[0];
      return ::pread(counts, values.data(), bytes, from) == static_cast<ssize_t>(bytes);
    };
    if (!read(executed, counters_at) || !read(lengths, lengths_at)) return std::nullopt;
    std::uint64_t total = 0;
    for (std::size_t stretch = 1; stretch < executed.size(); ++stretch) total += executed[stretch] * lengths[stretch];
    return total;
  }
  return std::nullopt;
}

/// In one entry: which functions they are of went with the process.
std::string functions_of_killed(const TreeProcess& one, bool has_addresses) {
  return "ob=" + one.program + "\nfn=[killed: its functions are not known]\n" + (has_addresses ? "0x0 0 " : "0 ") +
         std::to_string(one.instructions) + "\n";
}

}  // namespace

Tree read_tree(const std::string& folder, int counts) {
  Tree tree;
  std::vector<std::string> names = names_in(folder);
  std::ranges::sort(names, {}, order_of);
  for (const std::string& name : names) {
    const std::string text = contents(path_in(folder, name));
    TreeProcess one{.place = name.substr(0, name.find('-')),
                    .program = std::string(value_of(text, format::kProgram)),
                    .arguments = std::string(value_of(text, format::kArguments)),
                    .start = number(value_of(text, format::kStart)),
                    .instructions = number(value_of(text, format::kTotals)),
                    .signal = static_cast<int>(number(value_of(text, format::kSignal)))};
    tree.functions += format::kFunctionsOf + one.place + "\t" + one.program + "\n";
    if (const std::string_view positions = value_of(text, format::kPositions); !positions.empty())
      tree.positions = positions;
    tree.repetitions += number(value_of(text, protocol::kStringRepetitions));
    const bool was_killed = value_of(text, format::kTotals).empty();
    if (was_killed) {
      const auto counted = counted_by(name, counts);
      if (!counted) {
        tree.lost = one.place + " (" + one.program + ")";
        return tree;
      }
      one.instructions = *counted;
      tree.functions += functions_of_killed(one, tree.positions != Tree().positions);
    }
    // After the head's empty line come functions, and after the next one the total.
    const std::size_t head = text.find("\n\n");
    const std::size_t totals = text.rfind("\n" + std::string(format::kTotals));
    if (!was_killed && head != std::string::npos && totals != std::string::npos && totals > head)
      tree.functions.append(text, head + 2, totals - head - 2);
    tree.functions += '\n';
    if (!tree.processes.empty() && continues_as(tree.processes.back(), one)) {
      tree.processes.back().instructions += one.instructions;
      tree.processes.back().signal = one.signal;
    } else {
      tree.processes.push_back(std::move(one));
    }
  }
  return tree;
}

bool write_dump(const Tree& tree, const char* path) {
  std::FILE* const file = std::fopen(path, "we");
  if (file == nullptr) return false;
  std::uint64_t total = 0;
  std::fputs("# callgrind format\nversion: 1\ncreator: tallymark\n", file);
  for (const TreeProcess& one : tree.processes) {
    std::fprintf(file, "%s%s\t%s\t%llu\t%llu\t%s\n", format::kProcess, one.place.c_str(), one.arguments.c_str(),
                 static_cast<unsigned long long>(one.start), static_cast<unsigned long long>(one.instructions),
                 one.program.c_str());
    total += one.instructions;
  }
  std::fprintf(file, "%s%s\nevents: Ir\n\n", format::kPositions, tree.positions.c_str());
  std::fputs(tree.functions.c_str(), file);
  std::fprintf(file, "\n%s%llu\n", format::kTotals, static_cast<unsigned long long>(total));
  if (tree.repetitions != 0)
    std::fprintf(file, "%s%llu\n", protocol::kStringRepetitions, static_cast<unsigned long long>(tree.repetitions));
  const bool written = std::ferror(file) == 0;
  return std::fclose(file) == 0 && written;
}

}  // namespace tally::host
