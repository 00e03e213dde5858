#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "definition/fields.h"
#include "definition/read_definitions.h"
#include "definition/table.h"

namespace tally {
namespace {

constexpr auto kToolchainKeys =
    std::to_array<std::string_view>({"extends", "cxx", "flags", "include", "link", "prelude", "preload", "subject",
                                     "python", "requires", "set_threads", "before_region", "sync", "warm_up"});
constexpr auto kPerLanguageKeys = std::to_array<std::string_view>({"py", "cpp", "table"});

std::string absolute(const std::string& path, const std::string& folder) {
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

/// Link inputs: "-lname" stays, and anything else is a path.
std::string link_input(const std::string& text, const std::string& folder) {
  if (text.starts_with("-L") && text.size() > 2) return "-L" + absolute(text.substr(2), folder);
  return text.starts_with('-') ? text : absolute(text, folder);
}

/// A name without a slash is searched for by the loader or in PATH.
std::string name_or_path(const std::string& text, const std::string& folder) {
  return text.contains('/') ? absolute(text, folder) : text;
}

void put_before(std::vector<std::string>& inherited, std::vector<std::string> own) {
  own.insert(own.end(), inherited.begin(), inherited.end());
  inherited = std::move(own);
}

void put_after(std::vector<std::string>& inherited, const std::vector<std::string>& own) {
  inherited.insert(inherited.end(), own.begin(), own.end());
}

void read_per_language(Fields& fields, std::string_view key, PerLanguage& value) {
  const TomlNode* node = fields.find(key);
  if (node == nullptr) return;
  Fields sides(*node, std::string(key), kPerLanguageKeys);
  Snippet py = sides.snippet("py");
  Snippet cpp = sides.snippet("cpp");
  if (node->kind == TomlNode::Kind::table && sides.find("table") != nullptr) {
    Result<TableColumns> columns = parse_table_columns(sides.snippet("table"));
    if (!columns) return fields.refuse(columns.error());
    py = std::move(columns->py);
    cpp = std::move(columns->cpp);
  }
  fields.refuse(sides.status());
  value = {dedent(std::move(py)).text, dedent(std::move(cpp)).text};
}

}  // namespace

Status read_toolchain(const std::string& name, const TomlNode& table, const std::string& folder, Suite& suite) {
  Fields fields(table, fmt::format("[toolchain.{}]", name), kToolchainKeys);
  if (Status ok = fields.status(); !ok) return ok;
  const TomlNode* extends = fields.find("extends");
  const std::string base = extends == nullptr ? "cpp" : fields.string("extends");
  if (Status ok = fields.status(); !ok) return ok;
  Result<Toolchain> found = suite.toolchain(base, extends == nullptr ? table.at : extends->at);
  if (!found) return std::unexpected(found.error());
  Toolchain toolchain = std::move(*found);
  toolchain.name = name;

  const auto each = [&](std::string_view key, auto change) {
    std::vector<std::string> values = fields.strings(key);
    for (std::string& value : values) value = change(value, folder);
    return values;
  };
  const auto as_is = [](const std::string& text, const std::string&) { return text; };
  // What is needed adds up; what is chosen replaces.
  if (fields.find("cxx") != nullptr) toolchain.cxx = each("cxx", name_or_path);
  if (fields.find("flags") != nullptr) toolchain.flags = each("flags", as_is);
  if (fields.find("python") != nullptr) toolchain.python = each("python", name_or_path);
  if (fields.find("subject") != nullptr) toolchain.subject = each("subject", name_or_path);
  put_before(toolchain.include, each("include", absolute));
  put_before(toolchain.link, each("link", link_input));
  put_after(toolchain.prelude, each("prelude", as_is));
  put_after(toolchain.preload, each("preload", name_or_path));
  put_after(toolchain.requires_modules, each("requires", as_is));
  read_per_language(fields, "set_threads", toolchain.set_threads);
  read_per_language(fields, "before_region", toolchain.before_region);
  read_per_language(fields, "sync", toolchain.sync);
  read_per_language(fields, "warm_up", toolchain.warm_up);
  if (Status ok = fields.status(); !ok) return ok;
  return suite.add_toolchain(std::move(toolchain), table.at);
}

}  // namespace tally
