/// Typed reading of one TOML table: unknown keys and wrong types become one clear error.
///
/// Remembers the first error and gives defaults from then on, so that a reader can fetch every key and look once.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "definition/toml_tree.h"

namespace tally {

class Fields {
 public:
  /// `what` names the table in errors: "[[benchmark]]". Every key that is not among `keys` is an error.
  Fields(const TomlNode& table, std::string what, std::span<const std::string_view> keys);

  [[nodiscard]] const TomlNode* find(std::string_view key) const;
  [[nodiscard]] SourcePosition place(std::string_view key) const;
  [[nodiscard]] Snippet snippet(std::string_view key);
  [[nodiscard]] std::string string(std::string_view key);
  /// A string or an array of strings.
  [[nodiscard]] std::vector<std::string> strings(std::string_view key);
  [[nodiscard]] bool boolean(std::string_view key);
  /// A whole number or an array of them.
  [[nodiscard]] std::vector<int> integers(std::string_view key);
  [[nodiscard]] std::optional<std::uint64_t> positive(std::string_view key);
  /// A whole number, 0 among them.
  [[nodiscard]] std::optional<std::uint64_t> up_to(std::string_view key, std::uint64_t most);
  /// "500 ms", "30 s", "2 min".
  [[nodiscard]] std::optional<std::chrono::milliseconds> duration(std::string_view key);
  /// "1 %", "0.5%", as a fraction: 0.01, 0.005. More than 0 and at most 100 %.
  [[nodiscard]] std::optional<double> share(std::string_view key);
  /// "512 MiB", "2 GiB".
  [[nodiscard]] std::optional<std::uint64_t> bytes(std::string_view key);

  /// Keeps the first error.
  void refuse(Error error);
  void refuse(const Status& status);
  [[nodiscard]] Status status() const;

 private:
  void wrong_type(std::string_view key, const TomlNode& node, std::string_view wanted, std::string_view example);

  const TomlNode& table_;
  std::string what_;
  std::optional<Error> error_;
};

/// "did you mean 'x'?" or the list of what is known.
std::string key_suggestion(std::string_view key, std::span<const std::string_view> known);

}  // namespace tally
