#include "json/value.h"

#include <algorithm>

namespace tally::json {

namespace {

const Value kNull;

}  // namespace

Object::Object() = default;
Object::Object(std::initializer_list<Member> members) : members_(members) {}
Object::Object(const Object& other) = default;
Object::Object(Object&& other) noexcept = default;
Object& Object::operator=(const Object& other) = default;
Object& Object::operator=(Object&& other) noexcept = default;
Object::~Object() = default;

Value& Object::operator[](std::string_view key) {
  const auto found = std::ranges::find(members_, key, &Member::key);
  return found != members_.end() ? found->value : members_.emplace_back(std::string(key), Value()).value;
}

const Value* Object::find(std::string_view key) const {
  const auto found = std::ranges::find(members_, key, &Member::key);
  return found != members_.end() ? &found->value : nullptr;
}

void Object::erase(std::string_view key) {
  std::erase_if(members_, [&](const Member& member) { return member.key == key; });
}

void Object::update(Object other) {
  for (Member& member : other.members_) (*this)[member.key] = std::move(member.value);
}

std::size_t Object::size() const { return members_.size(); }

bool Object::operator==(const Object& other) const { return members_ == other.members_; }

Value::Value() = default;
Value::Value(std::nullptr_t) {}
Value::Value(double number) : data_(number) {}
Value::Value(std::string text) : data_(std::move(text)) {}
Value::Value(std::string_view text) : data_(std::string(text)) {}
Value::Value(const char* text) : data_(std::string(text)) {}
Value::Value(Array elements) : data_(std::move(elements)) {}
Value::Value(Object members) : data_(std::move(members)) {}
Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;

void Value::set(bool flag) { data_ = flag; }
void Value::set(std::uint64_t number) { data_ = number; }
void Value::set(std::int64_t number) {
  if (number < 0) {
    data_ = number;
  } else {
    data_ = static_cast<std::uint64_t>(number);
  }
}

std::optional<double> Value::number() const {
  if (const auto* value = std::get_if<std::uint64_t>(&data_)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<std::int64_t>(&data_)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<double>(&data_)) return *value;
  return std::nullopt;
}

const Value& Value::operator[](std::string_view key) const {
  const Value* const found = object() ? object()->find(key) : nullptr;
  return found ? *found : kNull;
}

const Value& Value::operator[](std::size_t index) const {
  return array() && index < array()->size() ? (*array())[index] : kNull;
}

bool Value::has(std::string_view key) const { return object() && object()->find(key); }

std::string Value::text_or(std::string_view otherwise) const { return text() ? *text() : std::string(otherwise); }

std::size_t Value::size() const {
  if (array()) return array()->size();
  return object() ? object()->size() : 0;
}

bool Value::operator==(const Value& other) const { return data_ == other.data_; }

std::vector<std::string> texts_of(const Value& list) {
  std::vector<std::string> texts;
  texts.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) texts.push_back(list[i].text_or(""));
  return texts;
}

}  // namespace tally::json
