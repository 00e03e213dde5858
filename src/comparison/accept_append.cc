#include <fmt/format.h>

#include <cmath>

#include "comparison/accept.h"

namespace tally {
namespace {

/// As a TOML string: what has a meaning in one, and what no line of a file may hold, is escaped.
std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string entry_text(const Acceptance& one) {
  std::string text =
      fmt::format("[[accept]]\ncase = {}\nmetric = \"{}\"\nup_to = \"+{:.10g}%\"\nreason = {}\nexpires = {}\n",
                  toml_string(one.cases), to_string(one.metric), one.up_to * 100, toml_string(one.reason), one.expires);
  const auto add = [&text](std::string_view key, const std::string& value) {
    if (!value.empty()) text += fmt::format("{} = {}\n", key, toml_string(value));
  };
  add("commit", one.commit);
  add("owner", one.owner);
  add("issue", one.issue);
  return text;
}

bool says_the_same(const Acceptance& a, const Acceptance& b) {
  return a.cases == b.cases && a.metric == b.metric && std::abs(a.up_to - b.up_to) < 1e-10 && a.reason == b.reason &&
         a.expires == b.expires && a.commit == b.commit && a.owner == b.owner && a.issue == b.issue;
}

}  // namespace

Result<std::string> with_acceptance(std::string_view text, const Acceptance& one, const std::string& path) {
  const auto before = parse_accept_file(text, path);
  if (!before) return std::unexpected(before.error());
  std::string all(text);
  if (!all.empty() && !all.ends_with('\n')) all += '\n';
  if (!all.empty()) all += '\n';
  all += entry_text(one);
  const auto after = parse_accept_file(all, path);
  if (!after || after->accepted.size() != before->accepted.size() + 1 || !says_the_same(after->accepted.back(), one)) {
    return fail(ErrorKind::input, "the entry cannot be appended to the file", path,
                after ? "give texts in UTF-8" : describe(after.error()));
  }
  return all;
}

}  // namespace tally
