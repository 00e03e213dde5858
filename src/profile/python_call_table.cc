#include "profile/python_call_table.h"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <cstring>

#include "base/text.h"
#include "protocol/python_calls.h"

namespace tally {

using protocol::PythonCallTable;

namespace {

/// A copy: the bytes may lie anywhere. The whole table is more than a megabyte.
template <typename T>
T value_at(std::string_view bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// How much of everything a table has.
struct Head {
  explicit Head(std::string_view bytes)
      : calls(value_at<std::uint32_t>(bytes, offsetof(PythonCallTable, calls))),
        functions(value_at<std::uint32_t>(bytes, offsetof(PythonCallTable, functions))),
        text(value_at<std::uint64_t>(bytes, offsetof(PythonCallTable, text))),
        lost(value_at<std::uint64_t>(bytes, offsetof(PythonCallTable, lost))) {}
  std::uint32_t calls;
  std::uint32_t functions;
  std::uint64_t text;
  std::uint64_t lost;
};

auto damaged(const char* what) {
  return fail(ErrorKind::internal, fmt::format("the table of Python calls is damaged: {}", what), {});
}

/// "LINE\tNAME\tFILE"
bool add_function(std::string_view text, PythonCalls& calls) {
  const auto parts = split(text, '\t');
  if (parts.size() != 3) return false;
  PythonFunction function{.name = std::string(parts[1]), .file = std::string(parts[2])};
  const std::string_view line = parts[0];
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), function.line);
  if (error != std::errc() || end != line.data() + line.size()) return false;
  calls.functions.push_back(std::move(function));
  return true;
}

}  // namespace

Result<PythonCalls> read_python_calls(std::string_view bytes) {
  if (bytes.size() != sizeof(PythonCallTable)) return damaged("its length");
  const Head table(bytes);
  if (!bytes.starts_with({protocol::kPythonCallsMagic, sizeof protocol::kPythonCallsMagic}))
    return damaged("its beginning");
  if (table.calls > protocol::kMostPythonCalls || table.text > protocol::kMostPythonText) return damaged("its counts");
  if (table.lost > 0) {
    return fail(ErrorKind::input,
                fmt::format("the statement has more than {} Python functions, or more than {} pairs of a caller and a "
                            "callee",
                            protocol::kMostPythonFunctions - 1, protocol::kMostPythonCalls),
                {});
  }
  PythonCalls calls;
  calls.functions.emplace_back();
  for (std::string_view line : split(bytes.substr(offsetof(PythonCallTable, lines), table.text), '\n')) {
    if (line.empty()) continue;
    const std::size_t space = line.find(' ');
    const std::string_view word = line.substr(0, space);
    const std::string_view rest = space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
    if (word == "standard") {
      calls.standard = rest;
    } else if (word == "path") {
      calls.path.emplace_back(rest);
    } else if (word != "function" || !add_function(rest, calls)) {
      return damaged("a line of its text");
    }
  }
  if (calls.functions.size() != std::size_t{table.functions} + 1) return damaged("the number of its functions");
  for (std::uint32_t i = 0; i < table.calls; ++i) {
    const auto call =
        value_at<protocol::PythonCall>(bytes, offsetof(PythonCallTable, call) + i * sizeof(protocol::PythonCall));
    const std::size_t nodes = 2 * calls.functions.size();
    if (call.caller >= nodes || call.callee < 2 || call.callee >= nodes) return damaged("a call");
    calls.calls.push_back({call.caller, call.callee, call.count, call.beneath});
  }
  return calls;
}

}  // namespace tally
