#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "definition/fields.h"
#include "definition/read_definitions.h"

namespace tally {
namespace {

constexpr auto kToolchainKeys =
    std::to_array<std::string_view>({"extends", "cxx", "flags", "include", "link", "prelude", "preload", "subject",
                                     "python", "requires", "seed", "set_threads", "before_region", "sync", "warm_up"});
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

/// ${threads} in set_threads is the only name that these texts know.
Status check_placeholders(const Snippet& text, std::string_view key) {
  for (std::size_t at = text.text.find("${"); at != std::string::npos; at = text.text.find("${", at + 2)) {
    const std::string_view rest = std::string_view(text.text).substr(at);
    if (key == "set_threads" && rest.starts_with("${threads}")) continue;
    return fail(ErrorKind::input,
                fmt::format("unknown '{}' in '{}'", rest.substr(0, rest.find_first_of("}\n") + 1), key),
                describe(position_of(text, at)),
                key == "set_threads" ? "write ${threads}" : "only set_threads knows a name, ${threads}");
  }
  return {};
}

void read_per_language(Fields& fields, std::string_view key, PerLanguage& value) {
  const TomlNode* node = fields.find(key);
  if (node == nullptr) return;
  Fields sides(*node, fmt::format("'{}'", key), kPerLanguageKeys);
  Snippet py;
  Snippet cpp;
  read_sides(sides, "py", "cpp", "table", py, cpp);
  for (Snippet* text : {&py, &cpp}) {
    *text = dedent(std::move(*text));
    sides.refuse(check_placeholders(*text, key));
  }
  fields.refuse(sides.status());
  value = {std::move(py.text), std::move(cpp.text)};
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

  // Nothing could be built or hosted without a candidate.
  for (std::string_view key : {"cxx", "python"}) {
    const TomlNode* node = fields.find(key);
    if (node == nullptr || node->kind != TomlNode::Kind::array || !node->items.empty()) continue;
    return fail(ErrorKind::input, fmt::format("'{}' is an empty array", key), describe(node->at),
                fmt::format("name a candidate, as in {} = [\"{}\"], or leave it out", key,
                            key == "cxx" ? "clang++-19" : "python3"));
  }

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
  read_per_language(fields, "seed", toolchain.seed);
  read_per_language(fields, "set_threads", toolchain.set_threads);
  read_per_language(fields, "before_region", toolchain.before_region);
  read_per_language(fields, "sync", toolchain.sync);
  read_per_language(fields, "warm_up", toolchain.warm_up);
  if (Status ok = fields.status(); !ok) return ok;
  return suite.add_toolchain(std::move(toolchain), table.at);
}

}  // namespace tally
