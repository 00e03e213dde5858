#include "serve/object_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/contains.h"
#include "base/text.h"

namespace tally::serve {

ObjectReader::ObjectReader(const json::Value& object, std::string place, std::span<const std::string_view> keys)
    : object_(object), place_(std::move(place)) {
  if (object.object() == nullptr) {
    refuse({ErrorKind::input, "must be an object", place_, fmt::format("its keys are {}", fmt::join(keys, ", "))});
    return;
  }
  for (const auto& [key, value] : *object.object()) {
    if (contains(keys, std::string_view(key))) continue;
    const std::string near = nearest(key, std::vector<std::string_view>(keys.begin(), keys.end()));
    refuse(
        {ErrorKind::input, fmt::format("unknown key '{}'", key), place_,
         near.empty() ? fmt::format("known are {}", fmt::join(keys, ", ")) : fmt::format("did you mean '{}'?", near)});
  }
}

std::string ObjectReader::text(std::string_view key) {
  const json::Value& found = object_[key];
  if (found.is_null()) return {};
  if (found.text() != nullptr) return *found.text();
  refuse(key, "must be a text");
  return {};
}

std::string ObjectReader::required_text(std::string_view key) {
  std::string found = text(key);
  if (found.empty()) refuse(key, "is missing");
  return found;
}

std::string ObjectReader::absolute_path(std::string_view key) {
  std::string found = required_text(key);
  if (!found.starts_with('/')) refuse(key, "must be an absolute path");
  if (found.contains('\0')) refuse(key, "must be a path");
  return found;
}

std::uint64_t ObjectReader::whole(std::string_view key, std::uint64_t otherwise) {
  const json::Value& found = object_[key];
  if (found.is_null()) return otherwise;
  if (found.whole() != nullptr) return *found.whole();
  refuse(key, "must be a whole number, 0 or more");
  return otherwise;
}

bool ObjectReader::flag(std::string_view key, bool otherwise) {
  const json::Value& found = object_[key];
  if (found.is_null()) return otherwise;
  if (found.flag() != nullptr) return *found.flag();
  refuse(key, "must be true or false");
  return otherwise;
}

std::vector<std::string> ObjectReader::texts(std::string_view key) {
  const json::Value& found = object_[key];
  std::vector<std::string> result;
  if (found.is_null()) return result;
  if (found.text() != nullptr) return {*found.text()};
  if (found.array() == nullptr) {
    refuse(key, "must be a list of texts");
    return result;
  }
  for (const json::Value& one : *found.array()) {
    if (one.text() == nullptr) refuse(key, "must be a list of texts");
    result.push_back(one.text_or(""));
  }
  return result;
}

void ObjectReader::refuse(std::string_view key, const std::string& message, const std::string& hint) {
  refuse({ErrorKind::input, message, place(key), hint});
}

void ObjectReader::refuse(const Error& error) {
  if (!error_) error_ = error;
}

Status ObjectReader::status() const {
  if (error_) return std::unexpected(*error_);
  return {};
}

}  // namespace tally::serve
