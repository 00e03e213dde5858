#include <nlohmann/json.hpp>

#include "record/json.h"
#include "record/json_fields.h"

namespace tally {
namespace {

using Json = nlohmann::ordered_json;

Json value_of(const auto& value);

/// Turns the keys named by `fields` into an object.
struct Writer {
  Json object = Json::object();
  void operator()(const char* key, const auto& value) { object[key] = value_of(value); }
  void optional(const char* key, const auto& value) {
    if (value) object[key] = value_of(*value);
  }
  void nullable(const char* key, const auto& value) { object[key] = value ? value_of(*value) : Json(nullptr); }
  void word(const char* key, const std::string& value, const auto&) { object[key] = value; }
};

template <typename T>
struct ToJson {
  Json operator()(const T& value) const {
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      return value;
    } else {
      Writer writer;
      record_json::fields(writer, value);
      return std::move(writer.object);
    }
  }
};

template <>
struct ToJson<CaseStatus> {
  Json operator()(CaseStatus value) const { return std::string(to_string(value)); }
};

template <>
struct ToJson<Interval> {
  Json operator()(const Interval& value) const { return Json::array({value.low, value.high}); }
};

template <typename T>
struct ToJson<std::vector<T>> {
  Json operator()(const std::vector<T>& values) const {
    Json array = Json::array();
    for (const T& value : values) array.push_back(value_of(value));
    return array;
  }
};

/// Named values that keep their order.
template <typename T>
struct ToJson<std::vector<std::pair<std::string, T>>> {
  Json operator()(const std::vector<std::pair<std::string, T>>& values) const {
    Json object = Json::object();
    for (const auto& [key, value] : values) object[key] = value_of(value);
    return object;
  }
};

template <typename T>
struct ToJson<std::map<std::string, T>> {
  Json operator()(const std::map<std::string, T>& values) const {
    Json object = Json::object();
    for (const auto& [key, value] : values) object[key] = value_of(value);
    return object;
  }
};

Json value_of(const auto& value) { return ToJson<std::remove_cvref_t<decltype(value)>>{}(value); }

std::string one_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string case_to_json(const CaseRecord& record) { return one_line(value_of(record)); }

std::string to_json(const Record& record) {
  std::string text = "{\n \"schema\": " + std::to_string(record_schema);
  const Json head = value_of(record);
  for (const auto& [key, value] : head.items()) text += ",\n " + one_line(Json(key)) + ": " + one_line(value);
  text += ",\n \"cases\": [";
  for (std::size_t i = 0; i < record.cases.size(); ++i) {
    text += i == 0 ? "\n  " : ",\n  ";
    text += case_to_json(record.cases[i]);
  }
  text += record.cases.empty() ? "]\n}\n" : "\n ]\n}\n";
  return text;
}

}  // namespace tally
