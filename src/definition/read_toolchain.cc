#include "definition/read_toolchain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>

#include "base/contains.h"
#include "base/text.h"
#include "definition/fields.h"
#include "definition/lexical.h"
#include "definition/read_definitions.h"
#include "definition/variable.h"

namespace tally {
namespace {

constexpr auto kToolchainKeys = std::to_array<std::string_view>({"extends",
                                                                 "replaces",
                                                                 "cxx",
                                                                 "flags",
                                                                 "include",
                                                                 "link",
                                                                 "prelude",
                                                                 "preload",
                                                                 "subject",
                                                                 "python",
                                                                 "requires",
                                                                 "seed",
                                                                 "sync",
                                                                 "warm_up",
                                                                 "set_threads",
                                                                 "before_region",
                                                                 "model_call",
                                                                 "backward",
                                                                 "runtime",
                                                                 "noise",
                                                                 "discover",
                                                                 "device",
                                                                 "environment",
                                                                 "artifact_setup",
                                                                 "device_observer",
                                                                 "device_flush",
                                                                 "device_settings",
                                                                 "drivers",
                                                                 "lacking_instructions"});
/// What grows with `extends`, and so can be reset.
constexpr auto kGrowing = std::to_array<std::string_view>(
    {"include", "link", "prelude", "preload", "requires", "environment", "runtime", "noise"});
constexpr auto kPerLanguageKeys = std::to_array<std::string_view>({"py", "cpp", "table"});
constexpr auto kRuntimeKeys = std::to_array<std::string_view>(
    {"file", "statement", "model", "save", "load", "call", "typed_call", "backward", "global_setup", "warm_up"});
constexpr auto kNoiseKeys = std::to_array<std::string_view>({"name", "language", "reason", "functions", "object"});

using Names = std::span<const std::string_view>;

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

std::vector<std::string> read_each(Fields& fields, std::string_view key,
                                   std::string (*change)(const std::string&, const std::string&),
                                   const std::string& folder) {
  std::vector<std::string> values = fields.strings(key);
  for (std::string& value : values) value = change(value, folder);
  return values;
}

void put_before(std::vector<std::string>& inherited, std::vector<std::string> own) {
  own.insert(own.end(), inherited.begin(), inherited.end());
  inherited = std::move(own);
}

void put_after(std::vector<std::string>& inherited, const std::vector<std::string>& own) {
  inherited.insert(inherited.end(), own.begin(), own.end());
}

/// ${name} for one of `names` is all that these texts know.
Status check_placeholders(const Snippet& text, std::string_view key, Names names) {
  for (std::size_t at = text.text.find("${"); at != std::string::npos; at = text.text.find("${", at + 2)) {
    const std::string_view rest = std::string_view(text.text).substr(at);
    if (std::ranges::any_of(names,
                            [&](std::string_view name) { return rest.starts_with(fmt::format("${{{}}}", name)); }))
      continue;
    std::vector<std::string> known;
    for (const std::string_view name : names) known.push_back(fmt::format("${{{}}}", name));
    return fail(
        ErrorKind::input, fmt::format("unknown '{}' in '{}'", rest.substr(0, rest.find_first_of("}\n") + 1), key),
        describe(position_of(text, at)),
        known.empty() ? std::string("take it out: nothing is filled in there") : "write " + join(known, " or "));
  }
  return {};
}

std::string read_text(Fields& fields, std::string_view key, std::initializer_list<std::string_view> names) {
  const Snippet text = dedent(fields.snippet(key));
  fields.refuse(check_placeholders(text, key, names));
  return text.text;
}

void read_per_language(Fields& fields, std::string_view key, PerLanguage& value,
                       std::initializer_list<std::string_view> names = {}) {
  const TomlNode* node = fields.find(key);
  if (node == nullptr) return;
  Fields sides(*node, fmt::format("'{}'", key), kPerLanguageKeys);
  Snippet py;
  Snippet cpp;
  read_sides(sides, "py", "cpp", "table", py, cpp);
  for (Snippet* text : {&py, &cpp}) {
    *text = dedent(std::move(*text));
    sides.refuse(check_placeholders(*text, key, names));
  }
  fields.refuse(sides.status());
  value = {std::move(py.text), std::move(cpp.text)};
}

/// A plain text is the same for both languages.
void read_for_both(Fields& fields, std::string_view key, PerLanguage& value,
                   std::initializer_list<std::string_view> names) {
  const TomlNode* node = fields.find(key);
  if (node != nullptr && node->kind == TomlNode::Kind::table) return read_per_language(fields, key, value, names);
  value.py = value.cpp = read_text(fields, key, names);
}

/// [toolchain.NAME.runtime.WORD]: the word becomes a key of [[benchmark]] and a part of ids.
Result<ScriptedRuntime> read_runtime(const std::string& name, const TomlNode& table) {
  constexpr std::string_view kTaken[] = {"eager", "explicit", "backward", "threads", "language", "runtime", "tag"};
  if (!is_identifier(name) || contains(kTaken, name) || is_benchmark_key(name)) {
    return fail(ErrorKind::input, fmt::format("'{}' cannot be the name of a runtime", name), describe(table.at),
                "use letters, digits and '_', and no word that a suite or an id knows already");
  }
  const std::string what = fmt::format("[toolchain.….runtime.{}]", name);
  Fields fields(table, what, kRuntimeKeys);
  ScriptedRuntime runtime;
  runtime.name = name;
  runtime.file = read_text(fields, "file", {"digest"});
  runtime.statement =
      read_text(fields, "statement", {"imports", "threads", "setup", "arguments", "statement", "result"});
  runtime.model = read_text(fields, "model", {"imports", "threads", "setup", "model"});
  read_for_both(fields, "save", runtime.save, {"file", "arguments"});
  read_per_language(fields, "load", runtime.load, {"model", "file", "call"});
  read_per_language(fields, "call", runtime.call, {"assign", "arguments"});
  read_per_language(fields, "typed_call", runtime.typed_call, {"assign", "arguments"});
  if (fields.find("backward") != nullptr) read_per_language(fields, "backward", runtime.backward.emplace(), {"result"});
  runtime.global_setup = read_text(fields, "global_setup", {});
  runtime.warm_up = read_text(fields, "warm_up", {});
  const auto unsaved = [&](Language one) { return !runtime.call.in(one).empty() && runtime.save.in(one).empty(); };
  for (const auto& [key, is_there] : {std::pair{"file", !runtime.file.empty()},
                                      {"statement", !runtime.statement.empty()},
                                      {"model", !runtime.model.empty()},
                                      {"save", !unsaved(Language::python) && !unsaved(Language::cpp)}}) {
    if (is_there) continue;
    fields.refuse({ErrorKind::input, fmt::format("{} says no '{}'", what, key), describe(table.at),
                   "see `tally toolchains torch` for one that is whole"});
  }
  if (!runtime.file.contains("${digest}") || runtime.file.contains('/')) {
    fields.refuse({ErrorKind::input, fmt::format("'{}' cannot be the name of the file of each script", runtime.file),
                   describe(fields.place("file")), "write file = \"model_${digest}\", without a folder"});
  }
  if (Status ok = fields.status(); !ok) return std::unexpected(ok.error());
  return runtime;
}

void read_runtimes(Fields& fields, std::vector<ScriptedRuntime>& runtimes) {
  const TomlNode* node = fields.find("runtime");
  if (node == nullptr) return;
  if (node->kind != TomlNode::Kind::table) {
    return fields.refuse({ErrorKind::input, fmt::format("'runtime' must be a table, not {}", describe(node->kind)),
                          describe(node->at), "write [toolchain.NAME.runtime.WORD]"});
  }
  for (const TomlEntry& entry : node->entries) {
    Result<ScriptedRuntime> runtime = read_runtime(entry.key, entry.value);
    if (!runtime) return fields.refuse(runtime.error());
    std::erase_if(runtimes, [&](const ScriptedRuntime& known) { return known.name == entry.key; });
    runtimes.push_back(std::move(*runtime));
  }
}

void read_noise(Fields& fields, std::vector<NoiseRule>& noise) {
  const TomlNode* node = fields.find("noise");
  if (node == nullptr) return;
  if (node->kind != TomlNode::Kind::array) {
    return fields.refuse({ErrorKind::input,
                          fmt::format("'noise' must be an array of tables, not {}", describe(node->kind)),
                          describe(node->at), "write [[toolchain.NAME.noise]]"});
  }
  for (const TomlNode& item : node->items) {
    Fields rule(item, "'noise'", kNoiseKeys);
    NoiseRule one;
    const std::string language = rule.string("language");
    one.language = language == "cpp" ? Language::cpp : Language::python;
    one.rule = {rule.string("name"), rule.string("reason"), rule.strings("functions"), rule.string("object")};
    if (language != "cpp" && language != "python") {
      rule.refuse({ErrorKind::input, "a rule of noise says no language", describe(item.at),
                   "write language = \"python\" or language = \"cpp\""});
    }
    if (one.rule.name.empty() || one.rule.functions.empty()) {
      rule.refuse({ErrorKind::input, "a rule of noise has a name and functions", describe(item.at),
                   "write name = \"allocator\" and functions = [\"malloc\", \"free\"]"});
    }
    if (Status ok = rule.status(); !ok) return fields.refuse(ok);
    noise.push_back(std::move(one));
  }
}

/// Nothing could be built or hosted without a candidate.
Status check_candidates(const Fields& fields) {
  for (std::string_view key : {"cxx", "python"}) {
    const TomlNode* node = fields.find(key);
    if (node == nullptr || node->kind != TomlNode::Kind::array || !node->items.empty()) continue;
    return fail(ErrorKind::input, fmt::format("'{}' is an empty array", key), describe(node->at),
                fmt::format("name a candidate, as in {} = [\"{}\"], or leave it out", key,
                            key == "cxx" ? "clang++-19" : "python3"));
  }
  return {};
}

/// Takes away what `replaces` names of what is inherited.
void begin_anew(Fields& fields, Toolchain& toolchain) {
  const TomlNode* node = fields.find("replaces");
  for (const std::string& key : fields.strings("replaces")) {
    if (key == "include") toolchain.cpp.include.clear();
    if (key == "link") toolchain.cpp.link.clear();
    if (key == "prelude") toolchain.cpp.prelude.clear();
    if (key == "preload") toolchain.cpp.preload.clear();
    if (key == "requires") toolchain.python.modules.clear();
    if (key == "environment") toolchain.environment.clear();
    if (key == "runtime") toolchain.runtimes.clear();
    if (key == "noise") toolchain.noise.clear();
    if (contains(kGrowing, key)) continue;
    fields.refuse({ErrorKind::input, fmt::format("'replaces' names '{}', which does not grow", key), describe(node->at),
                   fmt::format("it may name {}", fmt::join(kGrowing, ", "))});
  }
}

}  // namespace

Result<Toolchain> choose_toolchain(const std::vector<Toolchain>& known, const std::string& name,
                                   const SourcePosition& at) {
  if (const auto found = std::ranges::find(known, name, &Toolchain::name); found != known.end()) return *found;
  std::vector<std::string_view> names;
  names.reserve(known.size());
  for (const Toolchain& one : known) names.emplace_back(one.name);
  return fail(ErrorKind::input, fmt::format("unknown toolchain '{}'", name), describe(at),
              names.empty() ? std::string() : key_suggestion(name, names));
}

std::vector<std::string> read_subject(Fields& fields, const std::string& folder) {
  return read_each(fields, "subject", name_or_path, folder);
}

namespace {

void read_cpp(Fields& fields, const std::string& folder, CppSide& cpp) {
  if (fields.find("cxx") != nullptr) cpp.compilers = read_each(fields, "cxx", name_or_path, folder);
  if (fields.find("flags") != nullptr) cpp.flags = fields.strings("flags");
  put_before(cpp.include, read_each(fields, "include", absolute, folder));
  put_before(cpp.link, read_each(fields, "link", link_input, folder));
  put_after(cpp.prelude, fields.strings("prelude"));
  put_after(cpp.preload, read_each(fields, "preload", name_or_path, folder));
}

void read_python(Fields& fields, const std::string& folder, PythonSide& python) {
  if (fields.find("python") != nullptr) python.interpreters = read_each(fields, "python", name_or_path, folder);
  put_after(python.modules, fields.strings("requires"));
  if (fields.find("discover") != nullptr) python.discover = read_text(fields, "discover", {});
  if (fields.find("artifact_setup") != nullptr) python.artifact_setup = read_text(fields, "artifact_setup", {});
}

void read_texts(Fields& fields, CaseTexts& texts) {
  read_per_language(fields, "seed", texts.seed);
  read_per_language(fields, "set_threads", texts.set_threads, {"threads"});
  read_per_language(fields, "before_region", texts.before_region);
  read_per_language(fields, "warm_up", texts.warm_up);
  read_per_language(fields, "model_call", texts.model_call, {"assign", "arguments"});
  read_per_language(fields, "backward", texts.backward, {"result"});
}

void read_device(Fields& fields, DeviceSide& device) {
  read_per_language(fields, "sync", device.sync);
  // A `sync` of the suite is for all cases, unless it comes with a device of its own.
  if (fields.find("sync") != nullptr) device.identify = device.observer = device.flush = device.settings = {};
  read_per_language(fields, "device", device.identify);
  read_per_language(fields, "device_observer", device.observer);
  read_per_language(fields, "device_flush", device.flush);
  read_per_language(fields, "device_settings", device.settings);
  if (fields.find("drivers") != nullptr) device.drivers = fields.strings("drivers");
}

/// Of a command any: it is started anew each time, and hosts need none of it.
Status check_variable_of_command(const std::string& name, const std::string& value) {
  if (!name.empty() && !name.contains('=') && !name.contains('\0') && !value.contains('\0')) return {};
  return fail(ErrorKind::input, fmt::format("'{}' cannot be a variable", name), {}, "write NAME = \"value\"");
}

}  // namespace

void read_environment(Fields& fields, std::map<std::string, std::string>& environment, bool of_command) {
  const TomlNode* node = fields.find("environment");
  if (node == nullptr) return;
  if (node->kind != TomlNode::Kind::table) {
    return fields.refuse(
        {ErrorKind::input,
         fmt::format("'environment' must be a table, not {} ({})", describe(node->kind), node->written),
         describe(node->at), "write environment = { NAME = \"value\" }"});
  }
  for (const TomlEntry& entry : node->entries) {
    if (entry.value.kind != TomlNode::Kind::string) {
      return fields.refuse({ErrorKind::input,
                            fmt::format("the value of '{}' must be a string, not {} ({})", entry.key,
                                        describe(entry.value.kind), entry.value.written),
                            describe(entry.value.at),
                            fmt::format("write {} = \"{}\"", entry.key, entry.value.written)});
    }
    if (Status fine = of_command ? check_variable_of_command(entry.key, entry.value.text)
                                 : check_variable(entry.key, entry.value.text);
        !fine) {
      Error error = fine.error();
      error.where = describe(entry.at);
      return fields.refuse(std::move(error));
    }
    environment[entry.key] = entry.value.text;
  }
}

Result<Toolchain> read_toolchain(const std::string& name, const TomlNode& table, const std::string& folder,
                                 const std::vector<Toolchain>& known) {
  Fields fields(table, fmt::format("[toolchain.{}]", name), kToolchainKeys);
  if (Status ok = fields.status(); !ok) return std::unexpected(ok.error());
  Toolchain toolchain = known.empty() ? Toolchain{} : known.front();
  if (const TomlNode* extends = fields.find("extends")) {
    const std::string base = fields.string("extends");
    if (Status ok = fields.status(); !ok) return std::unexpected(ok.error());
    Result<Toolchain> found = choose_toolchain(known, base, extends->at);
    if (!found) return std::unexpected(found.error());
    toolchain = std::move(*found);
  }
  toolchain.name = name;
  if (Status ok = check_candidates(fields); !ok) return std::unexpected(ok.error());

  begin_anew(fields, toolchain);
  // What is needed adds up; what is chosen replaces.
  read_cpp(fields, folder, toolchain.cpp);
  read_python(fields, folder, toolchain.python);
  if (fields.find("subject") != nullptr) toolchain.subject = read_subject(fields, folder);
  read_texts(fields, toolchain.texts);
  read_device(fields, toolchain.device);
  read_environment(fields, toolchain.environment);
  if (fields.find("lacking_instructions") != nullptr)
    toolchain.lacking_instructions = fields.string("lacking_instructions");
  read_runtimes(fields, toolchain.runtimes);
  read_noise(fields, toolchain.noise);
  if (Status ok = fields.status(); !ok) return std::unexpected(ok.error());
  return toolchain;
}

Result<std::vector<Toolchain>> parse_toolchains(std::string_view bytes, const std::string& file,
                                                const std::vector<Toolchain>& known) {
  constexpr auto kKeys = std::to_array<std::string_view>({"schema", "toolchain"});
  const Result<TomlNode> root = parse_toml(bytes, file);
  if (!root) return std::unexpected(root.error());
  const Fields fields(*root, "a file of toolchains", kKeys);
  if (Status ok = fields.status(); !ok) return std::unexpected(ok.error());
  const TomlNode* tables = fields.find("toolchain");
  if (tables == nullptr) return fail(ErrorKind::input, "there is no [toolchain.NAME]", file);
  std::vector<Toolchain> all = known;
  for (const TomlEntry& entry : tables->entries) {
    Result<Toolchain> one = read_toolchain(entry.key, entry.value, "/", all);
    if (!one) return std::unexpected(one.error());
    all.push_back(std::move(*one));
  }
  return std::vector<Toolchain>(all.begin() + static_cast<std::ptrdiff_t>(known.size()), all.end());
}

}  // namespace tally
