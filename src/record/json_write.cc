#include <nlohmann/json.hpp>

#include <tuple>

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

std::string settings_to_json(const Settings& settings) { return one_line(value_of(settings)); }
std::string settings_to_json(const RecordedSettings& settings) { return one_line(value_of(settings)); }

std::string case_to_json(const CaseRecord& record) { return one_line(value_of(record)); }

Status write_json(const Record& record, const std::function<Result<std::string>(std::size_t)>& case_text,
                  const std::function<Status(std::string_view)>& sink) {
  return write_json(record, record.cases.size(), case_text, sink);
}

Status write_json(const Record& record, std::size_t cases,
                  const std::function<Result<std::string>(std::size_t)>& case_text,
                  const std::function<Status(std::string_view)>& sink) {
  std::string head = "{\n \"schema\": " + std::to_string(kRecordSchema);
  const Json fields = value_of(record);
  for (const auto& [key, value] : fields.items()) head += ",\n " + one_line(Json(key)) + ": " + one_line(value);
  if (Status written = sink(head + ",\n \"cases\": ["); !written) return written;
  for (std::size_t i = 0; i < cases; ++i) {
    const Result<std::string> text = case_text(i);
    if (!text) return std::unexpected(text.error());
    if (Status written = sink((i == 0 ? "\n  " : ",\n  ") + *text); !written) return written;
  }
  return sink(cases == 0 ? "]\n}\n" : "\n ]\n}\n");
}

std::string to_json(const Record& record) {
  std::string text;
  // Neither can fail.
  std::ignore = write_json(
      record, [&](std::size_t i) { return case_to_json(record.cases[i]); },
      [&](std::string_view piece) {
        text += piece;
        return Status{};
      });
  return text;
}

}  // namespace tally
