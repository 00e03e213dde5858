#include "profile/allocation_sites.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "json/text.h"
#include "profile/names.h"
#include "profile/rules.h"

namespace tally {
namespace {

using json::Array;
using json::Object;
using json::Value;

/// Values by number, in the order of their first use.
template <typename T>
class Numbered {
 public:
  std::uint64_t add(const T& value) {
    const auto [place, is_new] = numbers_.emplace(value, values_.size());
    if (is_new) values_.push_back(value);
    return place->second;
  }
  [[nodiscard]] const std::vector<T>& values() const { return values_; }

 private:
  std::map<T, std::uint64_t> numbers_;
  std::vector<T> values_;
};

auto key_of(const AllocationSite& site) { return std::tie(site.source, site.frames, site.python); }

/// Reads lists of whole numbers and texts; the first problem stays.
struct Reader {
  const Value& json;
  std::string problem;

  void report(const std::string& what) {
    if (problem.empty()) problem = what;
  }
  std::uint64_t number(const Value& value, std::string_view what) {
    if (value.whole() != nullptr) return *value.whole();
    report(fmt::format("{}: must be a whole number", what));
    return 0;
  }
  const Array& list(const Value& value, std::string_view what) {
    static const Array none;
    if (value.array() == nullptr) report(fmt::format("{}: must be an array", what));
    return value.array() == nullptr ? none : *value.array();
  }
  template <typename T>
  T at(const std::vector<T>& values, const Value& index, std::string_view what) {
    const std::uint64_t place = number(index, what);
    if (place < values.size()) return values[place];
    report(fmt::format("{}: {} does not exist", what, place));
    return {};
  }
};

AllocationSite read_site(Reader& reader, const Value& row, const std::vector<AllocationFrame>& frames,
                         const std::vector<PythonPlace>& pythons) {
  AllocationSite site;
  const Array& numbers = reader.list(row, "sites");
  if (numbers.size() < 4) return reader.report("sites: must be of 4 numbers or more"), site;
  const std::uint64_t source = reader.number(numbers[0], "sites");
  if (source > 1) reader.report("sites: no such source");
  site.source = source == 0 ? AllocationSource::c : AllocationSource::python;
  site.count = reader.number(numbers[1], "sites");
  site.bytes = reader.number(numbers[2], "sites");
  site.python = reader.at(pythons, numbers[3], "python");
  for (std::size_t i = 4; i < numbers.size(); ++i) site.frames.push_back(reader.at(frames, numbers[i], "frames"));
  return site;
}

std::string text_of(const PythonPlace& python) {
  return fmt::format("{} ({}:{})", python.function, base_name(python.file), python.line);
}

/// What runs a compiled statement is where the statement was put.
std::string called(const std::string& name) { return name == "tally::detail::run<…>" ? "statement" : name; }

std::string text_of(const AllocationFrame& frame) {
  const FunctionKey key = standardize(FunctionKey{frame.object, "", frame.function});
  return key.name == "???" ? "??? in " + key.object : called(shorten(key.name));
}

}  // namespace

std::string_view to_string(AllocationSource source) { return source == AllocationSource::c ? "malloc" : "python"; }

std::vector<AllocationSite> merged(std::vector<AllocationSite> sites) {
  std::ranges::sort(sites, {}, key_of);
  std::vector<AllocationSite> result;
  for (AllocationSite& site : sites) {
    if (!result.empty() && key_of(result.back()) == key_of(site)) {
      result.back().count += site.count;
      result.back().bytes += site.bytes;
    } else {
      result.push_back(std::move(site));
    }
  }
  std::ranges::sort(result, [](const AllocationSite& a, const AllocationSite& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : key_of(a) < key_of(b);
  });
  return result;
}

std::string to_json(const AllocationSites& kept) {
  Numbered<std::string> strings;
  Numbered<AllocationFrame> frames;
  Numbered<PythonPlace> pythons;
  Array sites;
  for (const AllocationSite& site : kept.sites) {
    const std::uint64_t python = site.python.function.empty() ? 0 : pythons.add(site.python) + 1;
    Array row = {site.source == AllocationSource::c ? 0U : 1U, site.count, site.bytes, python};
    for (const AllocationFrame& frame : site.frames) row.push_back(frames.add(frame));
    sites.push_back(std::move(row));
  }
  Array frame_rows;
  for (const AllocationFrame& frame : frames.values())
    frame_rows.push_back(Array{strings.add(frame.object), strings.add(frame.function)});
  Array python_rows;
  for (const PythonPlace& place : pythons.values())
    python_rows.push_back(Array{strings.add(place.file), strings.add(place.function), place.line});
  Array texts;
  for (const std::string& text : strings.values()) texts.push_back(text);
  return json::to_text(Object{{"allocations", static_cast<std::uint64_t>(kAllocationsSchema)},
                              {"iterations", kept.iterations},
                              {"lost", kept.lost},
                              {"strings", std::move(texts)},
                              {"frames", std::move(frame_rows)},
                              {"python", std::move(python_rows)},
                              {"sites", std::move(sites)}}) +
         "\n";
}

Result<AllocationSites> allocation_sites_from_json(std::string_view text, const std::string& where) {
  const auto json = json::parse(text);
  const std::uint64_t* const version = json ? (*json)["allocations"].whole() : nullptr;
  if (version == nullptr || *version != kAllocationsSchema) {
    return fail(ErrorKind::input, "no allocation sites of this version", where,
                "give a file that `tally run --profiles` kept");
  }
  Reader reader{*json, {}};
  AllocationSites kept;
  kept.iterations = reader.number((*json)["iterations"], "iterations");
  if (kept.iterations == 0) reader.report("iterations: must be positive");
  kept.lost = reader.number((*json)["lost"], "lost");
  std::vector<std::string> strings;
  for (const Value& value : reader.list((*json)["strings"], "strings")) {
    if (!value.text()) reader.report("strings: must be strings");
    strings.push_back(value.text() ? std::string(*value.text()) : std::string());
  }
  std::vector<AllocationFrame> frames;
  for (const Value& row : reader.list((*json)["frames"], "frames"))
    frames.push_back({reader.at(strings, row[0], "strings"), reader.at(strings, row[1], "strings")});
  std::vector<PythonPlace> pythons(1);  // 0: none
  for (const Value& row : reader.list((*json)["python"], "python")) {
    pythons.push_back({reader.at(strings, row[0], "strings"), reader.at(strings, row[1], "strings"),
                       reader.number(row[2], "python")});
    if (pythons.back().function.empty()) reader.report("python: a function must have a name");
  }
  for (const Value& row : reader.list((*json)["sites"], "sites"))
    kept.sites.push_back(read_site(reader, row, frames, pythons));
  if (!reader.problem.empty()) return fail(ErrorKind::input, reader.problem, where);
  return kept;
}

std::string place_of(const AllocationSite& site) {
  if (!site.frames.empty()) return text_of(site.frames.front());
  return site.python.function.empty() ? "?" : text_of(site.python);
}

std::string origin_of(const AllocationSite& site) {
  if (!site.python.function.empty()) return site.frames.empty() ? "" : text_of(site.python);
  return site.frames.size() < 2 ? "" : text_of(site.frames[1]);
}

}  // namespace tally
