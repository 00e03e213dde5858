#include "serve/suite_of.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/overloaded.h"
#include "base/utf8.h"
#include "json/text.h"

namespace tally::serve {

namespace {

/// As the TOML reader shows a value: one short line.
std::string shown(const json::Value& value) {
  constexpr std::size_t kWidth = 60;
  const std::string whole =
      value.size() > 0 ? fmt::format("{} of {}", value.array() != nullptr ? "an array" : "a table", value.size())
                       : json::to_text(value);
  const std::string_view cut = cut_to_bytes(whole, kWidth);
  return std::string(cut) + (cut.size() < whole.size() ? "…" : "");
}

void fill(TomlNode& node, const json::Array& elements, const std::string& place) {
  node.kind = TomlNode::Kind::array;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    node.items.push_back(tree_of(elements[i], fmt::format("{}[{}]", place, i)));
  }
}

void fill(TomlNode& node, const json::Object& members, const std::string& place) {
  node.kind = TomlNode::Kind::table;
  for (const auto& [key, value] : members) {
    if (value.is_null()) continue;
    const std::string its_place = fmt::format("{}.{}", place, key);
    node.entries.push_back({key, {its_place, 0, 0}, tree_of(value, its_place)});
  }
}

}  // namespace

TomlNode tree_of(const json::Value& document, const std::string& place) {
  using Kind = TomlNode::Kind;
  TomlNode node{.at = {place, 0, 0}, .written = shown(document)};
  std::visit(Overloaded{[](std::monostate) {}, [&](bool flag) { node.kind = Kind::boolean, node.boolean = flag; },
                        [&](std::uint64_t number) {
                          const bool fits = std::in_range<std::int64_t>(number);
                          node.kind = fits ? Kind::integer : Kind::floating;
                          node.integer = fits ? static_cast<std::int64_t>(number) : 0;
                          node.floating = static_cast<double>(number);
                        },
                        [&](std::int64_t number) { node.kind = Kind::integer, node.integer = number; },
                        [&](double number) { node.kind = Kind::floating, node.floating = number; },
                        [&](const std::string& text) { node.kind = Kind::string, node.text = text; },
                        [&](const json::Array& elements) { fill(node, elements, place); },
                        [&](const json::Object& members) { fill(node, members, place); }},
             document.data());
  return node;
}

Result<Suite> suite_of(const MeasureRequest& request, const ProgramLister& list) {
  const SuiteText& source = request.suite;
  const std::string name = source.path.empty() ? "suite" : source.path;
  const std::string& folder = request.caller.working_folder;
  const IncludeResolver resolve = [&](const std::string& path) {
    return read_suite_file((std::filesystem::path(folder) / path).string());
  };
  if (!source.document) return parse_suite(source.text.value_or(""), name, resolve, list, folder);
  return parse_suite(tree_of(*source.document, "suite"), name, resolve, list, folder);
}

}  // namespace tally::serve
