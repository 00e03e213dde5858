#include "profile/instruction_costs.h"

#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "base/text.h"
#include "profile/callgrind_state.h"

namespace tally {
namespace {

/// "(7) name" defines, "(7)" refers, anything else is the name itself.
class Names {
 public:
  std::string read(std::string_view text) {
    text = trim(text);
    const std::size_t close = text.find(')');
    if (!text.starts_with('(') || close == std::string_view::npos) return std::string(text);
    std::string& known = names_[std::string(text.substr(0, close))];
    if (close + 1 < text.size()) known = trim(text.substr(close + 1));
    return known;
  }

 private:
  std::unordered_map<std::string, std::string> names_;
};

class InstructionReader {
 public:
  void line(std::string_view text) {
    if (text.starts_with("0x")) return cost(text);
    if (take(text, "ob=")) {
      object_ = objects_.read(text);
    } else if (take(text, "fn=")) {
      function_ = function_of(object_, functions_.read(text));
    } else if (take(text, "cob=")) {
      callee_object_ = objects_.read(text);
    } else if (take(text, "cfn=")) {
      callee_ = functions_.read(text);
    } else if (take(text, "calls=")) {
      calls_next_ = true;
    } else if (take(text, "positions:")) {
      has_addresses_ = trim(text) == "instr line";
    } else if (take(text, "totals:")) {
      text = trim(text);
      const char* at = text.data();
      read_.total += take_number(at, text.data() + text.size());
      has_totals_ = true;
    }
  }

  Result<InstructionCosts> finish() {
    const char* const hint = "measure again";
    if (!has_addresses_) return fail(ErrorKind::input, "it has no addresses of instructions", {}, hint);
    const std::uint64_t sum =
        std::accumulate(read_.costs.begin(), read_.costs.end(), std::uint64_t{0},
                        [](std::uint64_t before, const InstructionCosts::Cost& one) { return before + one.cost; });
    if (!has_totals_ || sum != read_.total)
      return fail(ErrorKind::input, "its instructions do not add up to its total", {}, hint);
    return std::move(read_);
  }

 private:
  static bool take(std::string_view& text, std::string_view key) {
    if (!text.starts_with(key)) return false;
    text.remove_prefix(key.size());
    return true;
  }

  std::uint32_t function_of(const std::string& object, const std::string& name) {
    const auto [at, fresh] =
        numbers_.emplace(std::pair(object, name), static_cast<std::uint32_t>(read_.functions.size()));
    if (fresh) read_.functions.push_back({.object = object, .name = name});
    return at->second;
  }

  /// "0x10f9 12 3": address, line, cost; with more events, the first counts.
  void cost(std::string_view text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto number = [&] {
      while (at != end && *at == ' ') ++at;
      return take_number(at, end);
    };
    const std::uint64_t address = number();
    number();
    const std::uint64_t cost = number();
    if (!calls_next_) {
      if (cost > 0) read_.costs.push_back({.function = function_, .address = address, .cost = cost});
      return;
    }
    calls_next_ = false;
    const std::uint32_t callee = function_of(callee_object_.value_or(object_), callee_);
    read_.calls.push_back({.function = function_, .address = address, .callee = callee});
    callee_object_.reset();
  }

  InstructionCosts read_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> numbers_;
  Names objects_;
  Names functions_;
  std::string object_;
  std::uint32_t function_ = function_of({}, {});
  std::optional<std::string> callee_object_;
  std::string callee_;
  bool calls_next_ = false;
  bool has_addresses_ = false;
  bool has_totals_ = false;
};

}  // namespace

Result<InstructionCosts> parse_instruction_costs(std::string_view bytes) {
  InstructionReader reader;
  // The last line of a file that was cut off may be half a number; then the total is missing, too.
  for (const std::string_view line : split(bytes, '\n')) reader.line(line);
  return reader.finish();
}

}  // namespace tally
