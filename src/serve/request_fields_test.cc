#include "serve/request_fields.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/files.h"
#include "base/text.h"
#include "json/text.h"
#include "record/example_settings.h"
#include "record/json.h"

namespace tally::serve {
namespace {

/// An archive that gives each field a value of its own; flags get `flag`.
struct Fill {
  bool flag = true;
  int number = 0;

  void operator()(std::string_view key, auto& value, Rule rule) { fill(key, value, rule); }
  void either(std::string_view key, bool& /*keeps*/, auto& value) { fill(key, value, Rule::optional); }

 private:
  std::string text(std::string_view key) { return fmt::format("{}{}", key, ++number); }
  void fill(std::string_view /*key*/, bool& value, Rule /*rule*/) { value = flag; }
  void fill(std::string_view key, std::string& value, Rule rule) {
    const bool is_path = rule == Rule::path || rule == Rule::required_path;
    value = key == "cores" ? "0" : (is_path ? "/" : "") + text(key);
  }
  void fill(std::string_view key, std::vector<std::string>& value, Rule /*rule*/) { value = {text(key), text(key)}; }
  void fill(std::string_view key, EnvironmentVariables& value, Rule /*rule*/) { value = {{"NAME", text(key)}}; }
  void fill(std::string_view key, json::Value& value, Rule /*rule*/) { value = text(key); }
  void fill(std::string_view /*key*/, Shard& value, Rule /*rule*/) { value = {.index = 2, .count = 3}; }
  void fill(std::string_view key, LastTimes& value, Rule /*rule*/) { value = {{text(key), 0.5}}; }
  void fill(std::string_view /*key*/, Settings& value, Rule /*rule*/) {
    value = every_setting();
    value.counts = true;  // something is to be measured
  }
  template <typename T>
  void fill(std::string_view key, std::optional<T>& value, Rule rule) {
    fill(key, value.emplace(), rule);
  }
  template <typename T>
  void fill(std::string_view /*key*/, T& part, Rule /*rule*/) {
    fields(*this, part);
  }
};

/// A request that says everything.
MeasureRequest full_request(bool flag) {
  MeasureRequest request;
  Fill fill{.flag = flag};
  fields(fill, request);
  request.suite.document.reset();  // it is either that or a text
  return request;
}

MeasureRequest there_and_back(const MeasureRequest& request) {
  json::Object line{{"request", "measure"}, {"id", 1}};
  line.update(members_of(request));
  const ParsedRequest parsed = parse_request(json::to_text(line));
  EXPECT_TRUE(parsed.request) << describe(parsed.request.error());
  return parsed.request ? std::get<MeasureRequest>(*parsed.request) : MeasureRequest{};
}

TEST(RequestFields, EachGoesThereAndBack) {
  for (const bool flag : {true, false}) {
    const MeasureRequest request = full_request(flag);
    EXPECT_EQ(json::to_text(members_of(there_and_back(request)), 1), json::to_text(members_of(request), 1));
  }
  MeasureRequest with_document = full_request(true);
  with_document.suite = {.text = {}, .document = json::Object{{"schema", 1}}, .path = "p"};
  EXPECT_EQ(there_and_back(with_document).suite.document, with_document.suite.document);
  MeasureRequest keeps = full_request(true);
  keeps.profiles.reset();
  keeps.keeps_profiles = true;
  EXPECT_TRUE(there_and_back(keeps).keeps_profiles);
}

TEST(RequestFields, AServedRunIsTheRequestedRun) {
  RunRequest run = run_request(full_request(true));
  run.suite = "s.toml";
  const MeasureRequest request =
      measure_request(run, {.text = "schema = 1", .document = {}, .path = "s.toml"}, {}, "0");
  const RunRequest served = run_request(there_and_back(request));
  EXPECT_EQ(served.suite, run.suite);
  EXPECT_EQ(served.settings, run.settings);
  EXPECT_EQ(served.tools, run.tools);
  EXPECT_EQ(served.caller.environment, run.caller.environment);
  EXPECT_TRUE(served.notes_inputs);
  ASSERT_TRUE(served.profiles);
  EXPECT_TRUE(served.profiles->probes.contains(probes::kAllocationSites));
  EXPECT_TRUE(served.profiles->baselines);
  EXPECT_EQ(served.profiles->folder, run.profiles->folder);
}

TEST(RequestFields, PathsOfFilesBecomeAbsolute) {
  RunRequest run{.caller = {.environment = {}, .working_folder = "/home/me", .command = {}}};
  run.source = {.measured = "suites/../s.toml"};
  run.journal = JournalRequest{"j", false};
  run.profiles = ProfileRequest{.folder = "p", .name = "p"};
  const MeasureRequest request = measure_request(run, {}, {}, "");
  EXPECT_EQ(request.source.measured, "/home/me/s.toml");
  EXPECT_EQ(request.source.folder, "");
  EXPECT_EQ(request.journal->path, "/home/me/j");
  EXPECT_EQ(request.profiles->folder, "/home/me/p");
}

// What is written from the list, for others: a schema, and types for Python.

std::string python_name(std::string_view key) {
  std::string name(key);
  name[0] = static_cast<char>(std::toupper(name[0]));
  return name;
}

struct Type {
  json::Value schema;
  std::string python;
};

Type simple(const char* type, const char* python) { return {json::Object{{"type", type}}, python}; }

Type type_of_json(const json::Value& value) {
  if (value.flag() != nullptr) return simple("boolean", "bool");
  if (value.whole() != nullptr) return {json::Object{{"type", "integer"}, {"minimum", 0}}, "int"};
  if (value.number()) return simple("number", "float");
  if (value.array() != nullptr)
    return {json::Object{{"type", "array"}, {"items", json::Object{{"type", "string"}}}}, "list[str]"};
  return simple("string", "str");
}

/// An archive that describes the fields of a part.
struct Describe {
  std::string& python;  ///< The classes of the parts within, each before the one that has it.
  json::Object properties;
  json::Array required;
  std::string members;

  void operator()(std::string_view key, const auto& value, Rule rule) {
    if (rule == Rule::required || rule == Rule::required_path) required.emplace_back(key);
    Type type = of(key, value);
    if (rule == Rule::path || rule == Rule::required_path)
      type.schema = json::Object{{"type", "string"}, {"pattern", "^/"}};
    add(key, std::move(type));
  }
  void either(std::string_view key, const bool& /*flag*/, const auto& value) {
    const Type type = of(key, value);
    add(key, {json::Object{{"anyOf", json::Array{json::Object{{"type", "boolean"}}, type.schema}}},
              "bool | " + type.python});
  }
  void add(std::string_view key, Type type) {
    properties[key] = std::move(type.schema);
    members += fmt::format("    {}: {}\n", key, type.python);
  }
  /// The class that this becomes.
  Type closed(const std::string& name) {
    python += fmt::format("\n\nclass {}(TypedDict, total=False):\n{}", name, members);
    json::Object schema{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
    if (!required.empty()) schema["required"] = required;
    return {std::move(schema), name};
  }

 private:
  Type of(std::string_view /*key*/, const bool& /*value*/) { return simple("boolean", "bool"); }
  Type of(std::string_view /*key*/, const std::string& /*value*/) { return simple("string", "str"); }
  Type of(std::string_view /*key*/, const std::vector<std::string>& /*value*/) {
    json::Object schema = *type_of_json(json::Array()).schema.object();
    schema["type"] = json::Array{"array", "string"};  // one text stands for a list of it
    return {std::move(schema), "list[str]"};
  }
  Type of(std::string_view /*key*/, const EnvironmentVariables& /*value*/) {
    return {json::Object{{"type", "object"}, {"additionalProperties", json::Object{{"type", "string"}}}},
            "dict[str, str]"};
  }
  Type of(std::string_view /*key*/, const json::Value& /*value*/) { return simple("object", "dict[str, Any]"); }
  Type of(std::string_view /*key*/, const Shard& /*value*/) {
    return {json::Object{{"type", "string"}, {"pattern", "^[0-9]+/[0-9]+$"}}, "str"};
  }
  Type of(std::string_view /*key*/, const LastTimes& /*value*/) {
    return {json::Object{{"type", "object"}, {"additionalProperties", json::Object{{"type", "number"}}}},
            "dict[str, float]"};
  }
  Type of(std::string_view key, const Settings& /*value*/) {
    Describe inner{.python = python, .properties = {}, .required = {}, .members = {}};
    const json::Value settings = json::parse(settings_to_json(every_setting())).value();
    for (const auto& [name, value] : *settings.object()) inner.add(name, type_of_json(value));
    return inner.closed(python_name(key));
  }
  template <typename T>
  Type of(std::string_view key, const std::optional<T>& /*value*/) {
    return of(key, T{});
  }
  template <typename T>
  Type of(std::string_view key, const T& part) {
    Describe inner{.python = python, .properties = {}, .required = {}, .members = {}};
    fields(inner, part);
    return inner.closed(python_name(key));
  }
};

struct Described {
  json::Value schema;
  std::string python;
  json::Object properties;
};

Described described() {
  std::string python;
  Describe describe{.python = python, .properties = {}, .required = {}, .members = {}};
  describe.add("request", simple("string", "str"));
  const MeasureRequest request;
  fields(describe, request);
  const json::Object properties = describe.properties;
  return {describe.closed("Measure").schema, python, properties};
}

/// A file of the repository that is written from the list; TALLY_APPROVE=1 writes it anew.
void expect_written(const std::string& path, const std::string& text) {
  const std::string file = TALLY_SOURCE_DIR "/" + path;
  if (std::getenv("TALLY_APPROVE") != nullptr) std::ofstream(file, std::ios::binary) << text;
  EXPECT_EQ(read_file(file).value_or(""), text) << path << "; TALLY_APPROVE=1 writes it anew";
}

TEST(RequestFields, TheSchemaSaysThem) {
  json::Object schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                      {"title", "A measure request of tally serve, protocol 1"}};
  Described all = described();
  json::Object members = *all.schema.object();
  json::Object properties = all.properties;
  properties["id"] = json::Object{{"type", json::Array{"string", "integer"}}};
  members["properties"] = std::move(properties);
  schema.update(std::move(members));
  expect_written("schema/request-1.schema.json", json::to_text(schema, 1) + "\n");
}

TEST(RequestFields, PythonKnowsThem) {
  expect_written(
      "python/tallymark/_client/request.py",
      "\"\"\"The fields of a measure request, as the server reads them (docs/reference/serve.md).\n\n"
      "Written by src/serve/request_fields_test.cc from the server's own list: TALLY_APPROVE=1 writes it anew."
      "\"\"\"\n\nfrom __future__ import annotations\n\nfrom typing import Any, TypedDict\n" +
          described().python);
}

/// The row of a table in the documentation of the server that begins with this key.
std::string row_of(const std::string& page, std::string_view key) {
  for (const std::string_view line : split(page, '\n')) {
    if (line.starts_with(fmt::format("| `{}` |", key))) return std::string(line);
  }
  return {};
}

TEST(RequestFields, TheDocumentationHasARowForEach) {
  const std::string page = read_file(TALLY_SOURCE_DIR "/docs/reference/serve.md").value();
  const Described all = described();
  std::size_t rows = 0;
  for (const auto& [key, value] : all.properties) {
    if (key == "request") continue;
    const std::string row = row_of(page, key);
    ASSERT_FALSE(row.empty()) << key;
    ++rows;
    const json::Value& part = value.has("anyOf") ? value["anyOf"][std::size_t{1}] : value;
    if (key == "settings" || part["properties"].object() == nullptr) continue;  // the record's page has the settings
    for (const auto& [name, type] : *part["properties"].object())
      EXPECT_TRUE(row.contains(fmt::format("`{}`", name)) || row.contains(fmt::format("\"{}\"", name)))
          << name << " of " << key;
  }
  // And none for what is not there.
  const std::string section =
      page.substr(page.find("### measure"), page.find("### profile") - page.find("### measure"));
  std::size_t written = 0;
  for (const std::string_view line : split(section, '\n')) written += line.starts_with("| `") ? 1 : 0;
  EXPECT_EQ(written, rows);
}

}  // namespace
}  // namespace tally::serve
