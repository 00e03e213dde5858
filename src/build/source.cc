#include "build/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "build/result_source.h"

namespace tally {

namespace {

/// A string literal's inside for #line: a path may hold quotes and backslashes.
std::string escaped(std::string_view path) { return replace_all(replace_all(path, "\\", "\\\\"), "\"", "\\\""); }

void append(std::string& source, const Code& code, std::string_view what, Lines lines) {
  for (const Snippet& part : code.parts) {
    if (part.at.line > 0 && lines == Lines::of_suite) {
      source += fmt::format("#line {} \"{}\"\n", part.at.line, escaped(part.at.file));
    } else {
      source += fmt::format("#line 1 \"<{}>\"\n", what);
    }
    source += part.text;
    source += '\n';
  }
}

void append_hook(std::string& source, std::string_view name, const std::string& text) {
  if (text.empty()) return;
  source += fmt::format("#line 1 \"<{0}>\"\n  __tally_statement->{0} = [] {{ {1}\n;}};\n", name, text);
}

void append_device(std::string& source, const std::string& text) {
  if (text.empty()) return;
  source += fmt::format(
      "#line 1 \"<device>\"\n  __tally_statement->device = []() -> const char* {{ {}\n; return nullptr; }};\n", text);
}

/// The device, and the settings of the process in lines of their own.
void append_device_with_settings(std::string& source, const std::string& device, const std::string& settings) {
  if (device.empty()) return;
  source += fmt::format(
      "#line 1 \"<device>\"\n  static const auto __tally_device = []() -> const char* {{ {}\n; return nullptr; }};\n"
      "#line 1 \"<device_settings>\"\n  static const auto __tally_settings = []() -> const char* {{ {}\n; return \"\"; "
      "}};\n"
      "#line 1 \"<tally>\"\n  __tally_statement->device = []() -> const char* {{\n"
      "    static char text[4096];\n    const char* const kind = __tally_device();\n"
      "    if (kind == nullptr) return nullptr;\n"
      "    char* end = text;\n"
      "    const auto add = [&](const char* from) {{ while (*from != 0 && end < text + 4095) *end++ = *from++; }};\n"
      "    add(kind);\n    add(\"\\n\");\n    add(__tally_settings());\n    *end = 0;\n    return text;\n  }};\n",
      device, settings);
}

/// `flush` is the answer to 4 (tally/snippet.h); empty: the observer has none.
void append_observer(std::string& source, const std::string& text, const std::string& flush) {
  if (text.empty() && flush.empty()) return;
  source += "#line 1 \"<device_observer>\"\n  __tally_statement->observe = [](int what) -> double { ";
  if (!flush.empty()) {
    source += fmt::format(
        "if (what == 4) {{\n#line 1 \"<device_flush>\"\n{}\n; return 0; }}\n#line 1 \"<device_observer>\"\n", flush);
  }
  source += fmt::format("{}\n; return 0; }};\n", text);
}

/// What a case on a device has besides: no text of a case that is counted on the processor depends on it.
void append_device_hooks(std::string& source, const Case& one, const DeviceSide& device, Purpose purpose) {
  const bool named = !one.device.empty() && one.device != "cpu";
  if ((named || purpose == Purpose::on_device) && !device.settings.cpp.empty()) {
    append_device_with_settings(source, device.identify.cpp, device.settings.cpp);
  } else {
    append_device(source, device.identify.cpp);
  }
  const bool flushes = named && one.settings.flush == Flush::l2;
  append_observer(source, device.observer.cpp, flushes ? device.flush.cpp : "");
}

/// `body` is a whole block. The inner `do … while (false)` gives a break or continue of the statement's own nothing but
/// itself to leave; the barrier keeps the compiler from merging iterations, at no instruction.
std::string loop(std::string_view regions, std::string_view body, std::string_view report = {}) {
  return fmt::format(
      "  ::tally::detail::run({}, [&](unsigned long long __tally_n) -> ::tally::detail::loop_done {{ "
      "TALLY_NOT_UNROLLED do {{ do {{\n{}\n#line 1 \"<tally>\"\n"
      "  ;{} }} while (false); ::tally::barrier(); }} while (--__tally_n != 0); return ::tally::detail::loop_done{{}}; "
      "}});\n",
      regions, body, report);
}

/// The loop with the statement and the report of what it leaves. A statement that breaks out has none; the next
/// execution must not hand in what this one collected.
std::string examined_loop(const Case& one, Lines lines) {
  const ReportedStatement made = reported(one);
  std::string stmt;
  append(stmt, made.stmt, "stmt", lines);
  return "  ::tally::detail::result_text __tally_text;\n" +
         loop("__tally_statement", stmt, "\n" + made.report + "  __tally_text.send(__tally_statement);\n");
}

}  // namespace

std::string prelude_source(const CppSide& cpp) {
  std::string source = "#include \"tally/snippet.h\"\n";
  for (const std::string& header : cpp.prelude) source += fmt::format("#include <{}>\n", header);
  return source;
}

std::string file_start() {
  // The linker takes a section of strings apart and puts each where the section's alignment allows.
  return "#line 1 \"<tally>\"\n"
         "asm(\".section .rodata.str1.1,\\\"aMS\\\",@progbits,1\\n.p2align 6\\n.text\");\n";
}

std::string case_source(const Case& one, const Toolchain& toolchain, std::string_view symbol, Lines lines,
                        Purpose purpose) {
  std::string source;
  if (purpose == Purpose::examined) source += "#include \"tally/result.h\"\n";
  append(source, one.global_setup, "global_setup", lines);
  source += fmt::format(
      "#line 1 \"<tally>\"\nextern \"C\" void {}(struct tally_regions* __tally_baseline, struct tally_regions* "
      "__tally_statement) {{ "
      "TALLY_TRY\n",
      symbol);
  append_hook(source, "before_region", toolchain.texts.before_region.cpp);
  append_hook(source, "sync", toolchain.device.sync.cpp);
  append_device_hooks(source, one, toolchain.device, purpose);
  for (const ToolchainCode& code : before_setup(toolchain.texts, Language::cpp, one.threads)) {
    source += fmt::format("#line 1 \"<{}>\"\n{{\n{}\n}}\n", code.key, code.text);
  }
  append(source, one.setup, "setup", lines);
  source += "#line 1 \"<tally>\"\n  ;\n" + loop("__tally_baseline", "");
  if (purpose == Purpose::examined) {
    source += examined_loop(one, lines);
  } else {
    std::string stmt;
    append(stmt, one.stmt, "stmt", lines);
    source += loop("__tally_statement", stmt);
  }
  source += "TALLY_CATCH(__tally_statement) }\n";
  return source;
}

namespace {

struct PlacedPart {
  std::string_view what;
  const Snippet* part = nullptr;
};

std::vector<PlacedPart> placed_parts(const Case& one) {
  std::vector<PlacedPart> parts;
  const auto add = [&parts](std::string_view what, const Code& code) {
    for (const Snippet& part : code.parts) parts.push_back({.what = what, .part = &part});
  };
  add("<global_setup>", one.global_setup);
  add("<setup>", one.setup);
  add("<stmt>", one.stmt);
  return parts;
}

/// As it is compiled.
SourcePosition compiled_place(const PlacedPart& placed) {
  const SourcePosition& at = placed.part->at;
  return at.line > 0 ? SourcePosition{.file = at.file, .line = at.line}
                     : SourcePosition{.file = std::string(placed.what), .line = 1};
}

}  // namespace

std::string places_of(const Case& one) {
  std::string places;
  for (const PlacedPart& placed : placed_parts(one)) {
    const SourcePosition at = compiled_place(placed);
    places += fmt::format("{} {}\n", at.line, at.file);
  }
  return places;
}

std::optional<SourcePosition> place_in(const Case& one, std::string_view places, std::string_view file,
                                       std::uint64_t line) {
  const std::vector<std::string_view> noted = split(places, '\n');
  const std::vector<PlacedPart> parts = placed_parts(one);
  for (std::size_t i = 0; i < parts.size() && i < noted.size(); ++i) {
    const std::size_t blank = noted[i].find(' ');
    if (blank == std::string_view::npos) continue;
    const std::string_view name = noted[i].substr(blank + 1);
    const std::string_view number = noted[i].substr(0, blank);
    std::uint64_t first = 0;
    std::from_chars(number.begin(), number.end(), first);
    // A name that is relative to where the compiler ran comes with that folder.
    const bool is_file = file == name || (file.ends_with(name) && file[file.size() - name.size() - 1] == '/');
    const auto lines = static_cast<std::uint64_t>(std::ranges::count(parts[i].part->text, '\n')) + 1;
    if (!is_file || line < first || line >= first + lines) continue;
    SourcePosition at = compiled_place(parts[i]);
    at.line += static_cast<int>(line - first);
    return at;
  }
  return std::nullopt;
}

std::string warm_up_source(const CaseTexts& texts, std::string_view symbol) {
  Case one;
  one.stmt.parts.push_back({texts.warm_up.cpp, {}});
  return case_source(one, Toolchain{}, symbol, Lines::none);
}

}  // namespace tally
