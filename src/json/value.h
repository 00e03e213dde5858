/// JSON in memory: what reports build, and what readers look into.
///
/// Pure; no text is read or written here (json/text.h). Keys keep the order in which they came. A whole number that is
/// not negative is unsigned, however it was given, so that equal whole numbers are equal values.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tally::json {

class Value;
struct Member;
using Array = std::vector<Value>;

/// Keys with their values. Found by looking through: made for a few dozen.
class Object {
 public:
  Object();
  Object(std::initializer_list<Member> members);
  Object(const Object& other);
  Object(Object&& other) noexcept;
  Object& operator=(const Object& other);
  Object& operator=(Object&& other) noexcept;
  ~Object();
  Value& operator[](std::string_view key);  ///< Null where there was none.
  [[nodiscard]] const Value* find(std::string_view key) const;
  void erase(std::string_view key);
  void update(Object other);  ///< Its values win.
  [[nodiscard]] inline const Member* begin() const;
  [[nodiscard]] inline const Member* end() const;
  [[nodiscard]] std::size_t size() const;
  bool operator==(const Object& other) const;

 private:
  std::vector<Member> members_;
};

class Value {
 public:
  Value();  ///< Null.
  Value(std::nullptr_t);
  Value(std::same_as<bool> auto flag) { set(static_cast<bool>(flag)); }
  Value(std::signed_integral auto number)
    requires(!std::same_as<decltype(number), char>)
  {
    set(static_cast<std::int64_t>(number));
  }
  Value(std::unsigned_integral auto number)
    requires(!std::same_as<decltype(number), bool>)
  {
    set(static_cast<std::uint64_t>(number));
  }
  Value(double number);
  Value(std::string text);
  Value(std::string_view text);
  Value(const char* text);
  Value(Array elements);
  Value(Object members);
  template <std::convertible_to<Value> T>
  Value(const std::vector<T>& elements) : Value(Array(elements.begin(), elements.end())) {}
  template <std::convertible_to<Value> T>
  Value(const std::map<std::string, T>& members) : Value(Object()) {
    for (const auto& [key, value] : members) std::get<Object>(data_)[key] = value;
  }
  /// Null where there is nothing.
  template <std::convertible_to<Value> T>
  Value(const std::optional<T>& value) {
    if (value) *this = Value(*value);
  }
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();

  // What it is; null where it is something else.
  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  [[nodiscard]] const bool* flag() const { return std::get_if<bool>(&data_); }
  [[nodiscard]] const std::uint64_t* whole() const { return std::get_if<std::uint64_t>(&data_); }
  [[nodiscard]] std::optional<double> number() const;  ///< Any number.
  [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&data_); }
  [[nodiscard]] const Array* array() const { return std::get_if<Array>(&data_); }
  [[nodiscard]] const Object* object() const { return std::get_if<Object>(&data_); }

  /// What an object or an array holds there; null where there is nothing, or neither.
  [[nodiscard]] const Value& operator[](std::string_view key) const;
  [[nodiscard]] const Value& operator[](std::size_t index) const;
  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] std::string text_or(std::string_view otherwise) const;
  [[nodiscard]] std::size_t size() const;  ///< Of an array or an object.

  [[nodiscard]] const auto& data() const { return data_; }
  bool operator==(const Value& other) const;

 private:
  void set(bool flag);
  void set(std::int64_t number);
  void set(std::uint64_t number);
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> data_;
};

struct Member {
  std::string key;
  Value value;
  bool operator==(const Member&) const = default;
};

const Member* Object::begin() const { return members_.data(); }
const Member* Object::end() const { return members_.data() + members_.size(); }

/// The elements of an array as texts, "" for what is none.
std::vector<std::string> texts_of(const Value& list);

}  // namespace tally::json
