/// Counts per function of one case, and the calls between them: a Callgrind file's content, without its lines.
///
/// Plain data. A *function* is (object, file, name). Inlined code has a file of its own inside a function, so costs are
/// kept for *rows*: (function, file of the code). All figures are raw event counts; nothing is divided by iterations.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tally {

struct Profile {
  /// Indexes into `strings`.
  struct Function {
    std::uint32_t object = 0;
    std::uint32_t file = 0;
    std::uint32_t name = 0;
    friend auto operator<=>(const Function&, const Function&) = default;
  };
  struct Row {
    std::uint32_t function = 0;
    std::uint32_t file = 0;
    friend auto operator<=>(const Row&, const Row&) = default;
  };
  struct Call {
    std::uint32_t row = 0;     ///< Where the call stands.
    std::uint32_t callee = 0;  ///< A function.
    std::uint64_t count = 0;   ///< 0: unknown.
    friend auto operator<=>(const Call&, const Call&) = default;
  };

  std::vector<std::string> events;     ///< "Ir" first, as a rule.
  std::vector<std::uint64_t> totals;   ///< For each event: what the file says, or the sum when it does not say.
  std::vector<std::uint64_t> summary;  ///< For each event; may exceed totals, see Callgrind's format. May be empty.
  std::vector<std::string> strings;
  std::vector<Function> functions;
  std::vector<Row> rows;
  std::vector<std::uint64_t> row_costs;  ///< rows × events.
  std::vector<Call> calls;
  std::vector<std::uint64_t> call_costs;  ///< calls × events: inclusive costs of the callee on behalf of this caller.
  std::vector<std::string> notes;         ///< What a reader must know: "the file is cut off", …
  bool truncated = false;

  [[nodiscard]] std::span<const std::uint64_t> row_cost(std::size_t row) const {
    return {row_costs.data() + row * events.size(), events.size()};
  }
  [[nodiscard]] std::span<const std::uint64_t> call_cost(std::size_t call) const {
    return {call_costs.data() + call * events.size(), events.size()};
  }
  [[nodiscard]] const std::string& object_of(const Function& function) const { return strings[function.object]; }
  [[nodiscard]] const std::string& file_of(const Function& function) const { return strings[function.file]; }
  [[nodiscard]] const std::string& name_of(const Function& function) const { return strings[function.name]; }

  friend bool operator==(const Profile&, const Profile&) = default;
};

/// The place of an event, or events.size().
std::size_t event_index(const Profile& profile, std::string_view event);

}  // namespace tally
