/// Reads the keys of one JSON object of a request. The first thing found wrong is kept, with its place; what is read
/// after it is empty.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "json/value.h"

namespace tally::serve {

class ObjectReader {
 public:
  /// `place` names the object in errors: "measure.suite". Anything but an object, and a key that is not among `keys`,
  /// is an error. A key with null is as absent.
  ObjectReader(const json::Value& object, std::string place, std::span<const std::string_view> keys);

  [[nodiscard]] bool has(std::string_view key) const { return !object_[key].is_null(); }
  [[nodiscard]] const json::Value& value(std::string_view key) const { return object_[key]; }
  [[nodiscard]] std::string place(std::string_view key) const { return place_ + "." + std::string(key); }

  std::string text(std::string_view key);           ///< "" where it is absent.
  std::string required_text(std::string_view key);  ///< Not empty.
  std::string absolute_path(std::string_view key);  ///< Likewise.
  std::uint64_t whole(std::string_view key, std::uint64_t otherwise);
  bool flag(std::string_view key, bool otherwise);
  std::vector<std::string> texts(std::string_view key);  ///< A list of texts, or one text.

  void refuse(std::string_view key, const std::string& message, const std::string& hint = {});
  void refuse(const Error& error);
  [[nodiscard]] Status status() const;

 private:
  const json::Value& object_;
  std::string place_;
  std::optional<Error> error_;
};

}  // namespace tally::serve
