#include "serve/request_fields.h"

#include <fmt/format.h>

#include <vector>

#include "json/text.h"
#include "record/json.h"
#include "serve/object_reader.h"

namespace tally::serve {

namespace {

/// The keys of a part.
struct Keys {
  std::vector<std::string_view> names;
  void operator()(std::string_view key, const auto& /*value*/, Rule /*rule*/) { names.push_back(key); }
  void either(std::string_view key, const bool& /*flag*/, const auto& /*value*/) { names.push_back(key); }
};

template <typename T>
std::vector<std::string_view> keys_of(T& part) {
  Keys keys;
  fields(keys, part);
  return std::move(keys.names);
}

struct Writer {
  json::Object object;

  void operator()(std::string_view key, const auto& value, Rule /*rule*/) { put(key, value); }
  void either(std::string_view key, const bool& flag, const auto& value) {
    if (value) return put(key, value);
    if (flag) object[key] = true;
  }

 private:
  void put(std::string_view key, bool flag) { object[key] = flag; }
  void put(std::string_view key, const std::string& text) {
    if (!text.empty()) object[key] = text;
  }
  void put(std::string_view key, const std::vector<std::string>& texts) {
    if (!texts.empty()) object[key] = texts;
  }
  void put(std::string_view key, const EnvironmentVariables& variables) {
    json::Object members;
    for (const auto& [name, value] : variables) members[name] = value;
    object[key] = std::move(members);
  }
  void put(std::string_view key, const json::Value& value) { object[key] = value; }
  void put(std::string_view key, const Shard& shard) { object[key] = fmt::format("{}/{}", shard.index, shard.count); }
  void put(std::string_view key, const LastTimes& times) { object[key] = times; }
  void put(std::string_view key, const Settings& settings) {
    object[key] = json::parse(settings_to_json(settings)).value();
  }
  void put(std::string_view key, const std::optional<std::string>& text) {
    if (text) object[key] = *text;
  }
  template <typename T>
  void put(std::string_view key, const std::optional<T>& value) {
    if (value) put(key, *value);
  }
  template <typename T>
  void put(std::string_view key, const T& part) {
    Writer writer;
    fields(writer, part);
    if (writer.object.size() > 0) object[key] = std::move(writer.object);
  }
};

struct Reader {
  ObjectReader& object;

  void operator()(std::string_view key, auto& value, Rule rule) {
    if (object.has(key)) {
      get(key, value, rule);
    } else if (rule == Rule::required || rule == Rule::required_path) {
      object.refuse(key, "is missing");
    }
  }
  void either(std::string_view key, bool& flag, auto& value) {
    if (!object.has(key)) return;
    if (object.value(key).flag() != nullptr) {
      flag = *object.value(key).flag();
    } else {
      get(key, value, Rule::optional);
    }
  }

 private:
  void get(std::string_view key, bool& flag, Rule /*rule*/) { flag = object.flag(key, flag); }
  void get(std::string_view key, std::string& text, Rule rule) {
    const bool is_path = rule == Rule::path || rule == Rule::required_path;
    text = is_path ? object.absolute_path(key) : rule == Rule::required ? object.required_text(key) : object.text(key);
  }
  void get(std::string_view key, std::vector<std::string>& texts, Rule /*rule*/) { texts = object.texts(key); }
  void get(std::string_view key, EnvironmentVariables& variables, Rule /*rule*/) {
    for (const auto& [name, value] : members(key, "must be an object of names and values")) {
      if (value.text() == nullptr) return object.refuse(fmt::format("{}.{}", key, name), "must be a text");
      variables.emplace_back(name, *value.text());
    }
  }
  void get(std::string_view key, json::Value& value, Rule /*rule*/) { value = object.value(key); }
  void get(std::string_view key, Shard& shard, Rule /*rule*/) {
    const auto read = parse_shard(object.text(key));
    if (!read) return object.refuse(read.error());
    shard = *read;
  }
  void get(std::string_view key, LastTimes& times, Rule /*rule*/) {
    for (const auto& [id, seconds] : members(key, "must be an object of ids and seconds")) {
      if (!seconds.number() || *seconds.number() < 0)
        return object.refuse(fmt::format("{}.{}", key, id), "must be a number of seconds");
      times[id] = *seconds.number();
    }
  }
  void get(std::string_view key, Settings& settings, Rule /*rule*/) {
    auto read = settings_from_json(json::to_text(object.value(key)), object.place(key));
    if (!read) return object.refuse(read.error());
    settings = *std::move(read);
  }
  void get(std::string_view key, std::optional<ProfileRequest>& profiles, Rule rule) {
    profiles = {.folder = {},
                .name = {},
                .probes = ProbeSet::of_profiles(),
                .sources = true};  // unless the client says otherwise
    get(key, *profiles, rule);
  }
  template <typename T>
  void get(std::string_view key, std::optional<T>& value, Rule rule) {
    get(key, value.emplace(), rule);
  }
  template <typename T>
  void get(std::string_view key, T& part, Rule /*rule*/) {
    ObjectReader inner(object.value(key), object.place(key), keys_of(part));
    Reader reader{inner};
    fields(reader, part);
    if (Status ok = inner.status(); !ok) object.refuse(ok.error());
  }

  /// None where it is something else, which is refused.
  [[nodiscard]] json::Object members(std::string_view key, const std::string& otherwise) {
    if (const json::Object* found = object.value(key).object()) return *found;
    object.refuse(key, otherwise);
    return {};
  }
};

}  // namespace

json::Object object_of(const MeasureRequest& request) {
  Writer writer;
  fields(writer, request);
  return std::move(writer.object);
}

Status read_fields(const json::Value& object, const std::string& place, std::initializer_list<std::string_view> more,
                   MeasureRequest& request) {
  std::vector<std::string_view> keys = keys_of(request);
  keys.insert(keys.end(), more.begin(), more.end());
  ObjectReader inner(object, place, keys);
  Reader reader{inner};
  fields(reader, request);
  return inner.status();
}

}  // namespace tally::serve
