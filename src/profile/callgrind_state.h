/// The working state of CallgrindReader: what the lines so far mean for the lines to come. Internal to src/profile.
#pragma once

#include <optional>
#include <unordered_map>

#include "profile/callgrind.h"
#include "profile/flat_index.h"

namespace tally {

/// Leading number of `text`, decimal or 0x…; text moves past it. Too large numbers wrap: no real count does.
std::uint64_t take_number(const char*& at, const char* end);

struct CallgrindReader::State {
  /// The names that a file's own numbers stand for. Real numbers are small; those beyond are kept apart, so that a
  /// hostile file cannot ask for gigabytes by one.
  struct NumberedNames {
    static constexpr std::uint32_t kNone = 0xffffffff;
    static constexpr std::uint64_t kMostDense = 1U << 22U;
    std::vector<std::uint32_t> dense;
    std::unordered_map<std::uint64_t, std::uint32_t> sparse;
    [[nodiscard]] std::uint32_t find(std::uint64_t number) const;
    void define(std::uint64_t number, std::uint32_t id);
  };

  void line(std::string_view text);
  void cost_line(const char* at, const char* end);
  const char* cost_lines(const char* at, const char* end);
  std::uint64_t* costs_of_line();
  void named_line(std::string_view text);
  void events_line(std::string_view names);
  void add_costs_of(std::string_view text, std::vector<std::uint64_t>& sums) const;
  std::uint32_t string_id(std::string_view text);
  std::uint32_t compressed(NumberedNames& ids, std::string_view text);
  std::uint32_t current_row();
  std::uint32_t function_id(Profile::Function function);
  std::uint32_t call_id(std::uint32_t row, std::uint32_t callee);

  Profile profile;
  std::string carry;  ///< An unfinished line at the end of the last chunk.
  FlatIndex string_ids;
  FlatIndex function_ids;
  FlatIndex row_ids;
  FlatIndex call_ids;  ///< By row and callee.
  NumberedNames objects;
  NumberedNames files;
  NumberedNames names;

  std::size_t positions = 1;           ///< Numbers before the costs of a line.
  std::vector<std::uint32_t> columns;  ///< Column of this part → event of the profile.
  std::uint32_t object = 0;
  std::uint32_t file = 0;
  Profile::Function function;  ///< With the file that was current at fn=.
  std::optional<std::uint32_t> current_function;
  std::optional<std::uint32_t> row;  ///< Of function and file; empty after either changed.
  std::optional<std::uint32_t> callee_object;
  std::optional<std::uint32_t> callee_file;
  std::uint32_t callee_name = 0;
  std::optional<std::uint64_t> pending_calls;  ///< The next cost line belongs to a call.

  std::uint64_t line_number = 0;
  std::uint64_t unknown_lines = 0;
  std::uint64_t first_unknown = 0;
  std::uint64_t totals_lines = 0;
  std::uint64_t events_lines = 0;
  bool totals_since_events = false;
  bool cost_before_events = false;
  std::string refused;  ///< Why this cannot be read at all.
};

}  // namespace tally
