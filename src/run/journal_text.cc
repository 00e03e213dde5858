#include "run/journal_text.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <optional>

#include "json/text.h"

namespace tally {
namespace {

/// 2: cases are those of record schema 2, and the first line is one of facts.
constexpr int kVersion = 2;
constexpr std::string_view kBeforeSum = R"({"crc32":")";
constexpr std::string_view kBeforePayload = R"(","case":)";
constexpr std::size_t kSumDigits = 8;

std::string checksum(std::string_view payload) {
  const auto* bytes = reinterpret_cast<const Bytef*>(payload.data());
  return fmt::format("{:08x}", crc32_z(0, bytes, payload.size()));
}

std::optional<std::string> payload_of(std::string_view line) {
  constexpr std::size_t start = kBeforeSum.size() + kSumDigits + kBeforePayload.size();
  if (line.size() <= start || !line.starts_with(kBeforeSum) || !line.ends_with('}')) return std::nullopt;
  if (!line.substr(kBeforeSum.size() + kSumDigits).starts_with(kBeforePayload)) return std::nullopt;
  const std::string_view payload = line.substr(start, line.size() - start - 1);
  if (line.substr(kBeforeSum.size(), kSumDigits) != checksum(payload)) return std::nullopt;
  return std::string(payload);
}

Result<JournalHeader> header_of(std::string_view line, const std::string& where) {
  const auto read = json::parse(line);
  if (!read || !(*read)["tally_journal"].whole())
    return fail(ErrorKind::input, "this is not a journal of tally", where + ":1");
  const json::Value& header = *read;
  if (header["tally_journal"] != kVersion) {
    return fail(ErrorKind::input,
                fmt::format("the journal's version is {}, not {}", *header["tally_journal"].whole(), kVersion),
                where + ":1", "finish the run with the tally that began it, or remove the file");
  }
  const json::Object* const run = header["run"].object();
  const bool texts =
      run != nullptr && std::ranges::all_of(*run, [](const json::Member& fact) { return fact.value.text(); });
  if (!texts) return fail(ErrorKind::input, "the journal's first line is damaged", where + ":1", "remove the file");
  JournalHeader result;
  for (const json::Member& fact : *run) result.facts[fact.key] = *fact.value.text();
  return result;
}

}  // namespace

std::string journal_header_line(const JournalHeader& header) {
  return fmt::format(R"({{"tally_journal":{},"run":{}}})", kVersion, json::to_text(header.facts)) + '\n';
}

std::string journal_line(std::string_view payload) {
  return fmt::format("{}{}{}{}}}\n", kBeforeSum, checksum(payload), kBeforePayload, payload);
}

Result<Journal> parse_journal(std::string_view bytes, const std::string& where) {
  Journal journal;
  std::size_t broken_line = 0;
  std::size_t number = 0;
  while (journal.whole_bytes < bytes.size()) {
    ++number;
    std::size_t at = journal.whole_bytes;
    const std::size_t end = bytes.find('\n', at);
    if (end == std::string_view::npos) break;
    const std::string_view line = bytes.substr(at, end - at);
    if (number == 1) {
      Result<JournalHeader> header = header_of(line, where);
      if (!header) return std::unexpected(header.error());
      journal.header = std::move(*header);
    } else if (std::optional<std::string> payload = payload_of(line)) {
      journal.payloads.push_back(std::move(*payload));
    } else {
      broken_line = end + 1 < bytes.size() ? number : 0;
      break;
    }
    journal.whole_bytes = end + 1;
  }
  if (broken_line != 0) {
    return fail(ErrorKind::input, "the journal is damaged: this line does not have its checksum",
                fmt::format("{}:{}", where, broken_line),
                "remove the line to measure its case again, or the file to start afresh");
  }
  if (journal.whole_bytes == 0) {
    return fail(ErrorKind::input, "the journal is empty: its run ended before it began", where, "remove the file");
  }
  journal.torn = journal.whole_bytes < bytes.size();
  return journal;
}

}  // namespace tally
