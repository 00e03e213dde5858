#include "profile/line_costs.h"

#include <fmt/format.h>

namespace tally {
namespace {

using json::Array;
using json::Object;
using json::Value;

/// The last is kept as the number that belongs to the strings before it.
struct LineWriter {
  std::map<std::string, std::uint64_t> numbers;
  Array strings;

  std::uint64_t add(const std::string& text) {
    const auto [at, fresh] = numbers.emplace(text, strings.size());
    if (fresh) strings.push_back(text);
    return at->second;
  }
};

struct LineReader {
  const Value& json;
  std::vector<std::string> strings;
  std::string problem;

  void report(std::string what) {
    if (problem.empty()) problem = std::move(what);
  }
  const Array& list(const char* key) {
    static const Array none;
    const Array* const found = json[key].array();
    if (found == nullptr) report(fmt::format("lines: {}: must be an array", key));
    return found == nullptr ? none : *found;
  }
  /// The numbers of one row, or zeros.
  std::vector<std::uint64_t> row(const Value& value, const char* key, std::size_t width) {
    std::vector<std::uint64_t> numbers(width);
    bool good = value.array() != nullptr && value.size() == width;
    for (std::size_t i = 0; good && i < width; ++i) {
      good = value[i].whole() != nullptr;
      if (good) numbers[i] = *value[i].whole();
    }
    if (!good) report(fmt::format("lines: {}: must be rows of {} numbers", key, width));
    return numbers;
  }
  std::string text(std::uint64_t index) {
    if (index < strings.size()) return strings[index];
    report(fmt::format("lines: string {} does not exist", index));
    return {};
  }
};

}  // namespace

FunctionCounts file_counts(const LineCosts& costs) {
  FunctionCounts files;
  for (const auto& [line, cost] : costs.lines) files.add({.file = line.file}, static_cast<double>(cost));
  for (const auto& [object, cost] : costs.elsewhere)
    files.add({.file = "??? (" + object.substr(object.rfind('/') + 1) + ")"}, static_cast<double>(cost));
  return files;
}

std::uint64_t LineCosts::total() const {
  std::uint64_t sum = 0;
  for (const auto& [line, cost] : lines) sum += cost;
  for (const auto& [object, cost] : elsewhere) sum += cost;
  return sum;
}

Value to_json(const LineCosts& costs) {
  LineWriter writer;
  Array lines;
  for (const auto& [at, cost] : costs.lines) lines.push_back(Array{writer.add(at.file), at.line, cost});
  Array elsewhere;
  for (const auto& [object, cost] : costs.elsewhere) elsewhere.push_back(Array{writer.add(object), cost});
  Array sources;
  for (const auto& [file, digest] : costs.sources) sources.push_back(Array{writer.add(file), writer.add(digest)});
  Array newer;
  for (const std::string& file : costs.newer) newer.push_back(writer.add(file));
  return Object{{"total", costs.total()},        {"lines", std::move(lines)}, {"elsewhere", std::move(elsewhere)},
                {"sources", std::move(sources)}, {"newer", std::move(newer)}, {"strings", std::move(writer.strings)}};
}

Result<LineCosts> line_costs_from_json(const Value& json) {
  LineReader reader{.json = json, .strings = {}, .problem = {}};
  for (const Value& value : reader.list("strings")) {
    if (value.text() == nullptr) reader.report("lines: strings: must be strings");
    reader.strings.push_back(value.text() == nullptr ? std::string() : *value.text());
  }
  LineCosts costs;
  for (const Value& value : reader.list("lines")) {
    const auto row = reader.row(value, "lines", 3);
    costs.lines[{.file = reader.text(row[0]), .line = row[1]}] += row[2];
  }
  for (const Value& value : reader.list("elsewhere")) {
    const auto row = reader.row(value, "elsewhere", 2);
    costs.elsewhere[reader.text(row[0])] += row[1];
  }
  for (const Value& value : reader.list("sources")) {
    const auto row = reader.row(value, "sources", 2);
    costs.sources[reader.text(row[0])] = reader.text(row[1]);
  }
  if (json.has("newer")) {
    for (const Value& value : reader.list("newer")) {
      if (value.whole() == nullptr) reader.report("lines: newer: must be numbers");
      costs.newer.insert(reader.text(value.whole() == nullptr ? 0 : *value.whole()));
    }
  }
  if (json["total"].whole() == nullptr || *json["total"].whole() != costs.total())
    reader.report("lines: do not add up to their total");
  if (!reader.problem.empty()) return fail(ErrorKind::input, reader.problem);
  return costs;
}

}  // namespace tally
