#include "definition/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "definition/benchmark_rules.h"
#include "definition/lexical.h"
#include "definition/table.h"

namespace tally {
namespace {

struct Group {
  std::string name;
  std::vector<TableRow> cases = {};
  std::size_t next = 0;  ///< The case that the next line of this text belongs to.
};

/// "@Global Setup" and "@global_setup" are the same word.
std::string plain(std::string_view name) {
  std::string result;
  for (char c : name) {
    if (c == ' ' || c == '_' || c == '-') continue;
    result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

/// The label that a line opens, if it opens one.
std::optional<std::string> marker(std::string_view line, Language language) {
  const std::string_view comment = language == Language::python ? "#" : "//";
  std::string_view text = trim(line);
  if (!text.starts_with(comment)) return std::nullopt;
  text = trim(text.substr(comment.size()));
  if (!text.starts_with('@')) return std::nullopt;
  return std::string(trim(text.substr(1)));
}

void append_line(Snippet& text, const Snippet& line) {
  if (text.text.empty()) {
    text = line;
    return;
  }
  // A setup taken up again further down keeps its line numbers.
  const int next = text.at.line + static_cast<int>(std::ranges::count(text.text, '\n')) + 1;
  if (line.at.line > next) text.text.append(static_cast<std::size_t>(line.at.line - next), '\n');
  text.text += '\n' + line.text;
}

class Splitter {
 public:
  explicit Splitter(const Variants& variants) : variants_(variants) {}

  Status rows(const std::vector<TableRow>& rows) {
    open_ = nullptr;
    in_setup_ = in_global_ = false;
    // The i-th Python line of a group and its i-th C++ line are one case.
    for (Group& group : groups_) group.next = 0;
    TableRow pending;
    bool waiting = false;
    for (const TableRow& row : rows) {
      if (!waiting) {
        pending = row;
      } else {
        append_line(pending.py, row.py);
        append_line(pending.cpp, row.cpp);
      }
      waiting = leaves_open(pending.py.text, Language::python) || leaves_open(pending.cpp.text, Language::cpp);
      if (waiting) continue;
      if (Status ok = take(pending); !ok) return ok;
    }
    if (!waiting) return {};
    const Snippet& side = leaves_open(pending.py.text, Language::python) ? pending.py : pending.cpp;
    return refuse(side, fmt::format("a bracket or a string of '{}' is never closed", first_line(trim(side.text))),
                  "close it; a row continues in the next line while a bracket is open");
  }

  Result<std::vector<Benchmark>> finish() {
    std::vector<Benchmark> result;
    for (const Group& group : groups_) {
      for (std::size_t i = 0; i < group.cases.size(); ++i) {
        Benchmark benchmark;
        benchmark.label = variants_.label;
        if (!group.name.empty()) benchmark.label.push_back(group.name);
        if (group.cases.size() > 1) benchmark.label.push_back(fmt::format("Case: {:>2}", i));
        benchmark.py = group.cases[i].py;
        benchmark.cpp = group.cases[i].cpp;
        benchmark.setup = variants_.setup;
        benchmark.setup.push_back(setup_);
        benchmark.params = variants_.params;
        benchmark.options = variants_.options;
        benchmark.at = variants_.at;
        benchmark.at.label = {};
        benchmark.at.definition = benchmark.py.text.empty() ? benchmark.cpp.at : benchmark.py.at;
        result.push_back(std::move(benchmark));
      }
    }
    if (!result.empty()) return result;
    return fail(ErrorKind::input, fmt::format("variants '{}' have no case", join(variants_.label, "/")),
                place_of({}, variants_.at, variants_.label),
                "give them table = '''…''', py = '''…''' or cpp = '''…''' with a statement on each line");
  }

 private:
  std::unexpected<Error> refuse(const Snippet& at, std::string message, std::string hint) const {
    return fail(ErrorKind::input, std::move(message), place_of(at.at, variants_.at, variants_.label), std::move(hint));
  }

  Status take(const TableRow& row) {
    const std::optional<std::string> py = marker(row.py.text, Language::python);
    const std::optional<std::string> cpp = marker(row.cpp.text, Language::cpp);
    if (py || cpp) return open(row, py, cpp);
    if (in_setup_) {
      append_line(setup_.py, row.py);
      append_line(setup_.cpp, row.cpp);
      return {};
    }
    if (in_global_) {
      if (!only_comments(row.py.text, Language::python)) {
        return refuse(row.py, fmt::format("a global setup is C++ only, and '{}' is Python", trim(row.py.text)),
                      "move it to @setup");
      }
      append_line(setup_.cpp_global, row.cpp);
      return {};
    }
    const bool py_said = !only_comments(row.py.text, Language::python);
    const bool cpp_said = !only_comments(row.cpp.text, Language::cpp);
    if (!py_said && !cpp_said) return {};
    if (Status ok = check_whole(row.py, Language::python); !ok) return ok;
    if (Status ok = check_whole(row.cpp, Language::cpp); !ok) return ok;
    if (open_ == nullptr) open_ = group("");
    if (open_->next == open_->cases.size()) open_->cases.emplace_back();
    TableRow& target = open_->cases[open_->next++];
    if (py_said) target.py = dedent(row.py);
    if (cpp_said) target.cpp = dedent(row.cpp);
    return {};
  }

  /// A case is a line, so a line that needs the next one is no case.
  [[nodiscard]] Status check_whole(const Snippet& line, Language language) const {
    const std::string blanked = blank_strings_and_comments(line.text, language);
    const std::string_view code = trim(blanked);
    if (code.ends_with('\\')) {
      return refuse(line,
                    fmt::format("'{}' continues in the next line, which would be a case of its own", trim(line.text)),
                    "put brackets around it; a row continues in the next line while a bracket is open");
    }
    if (language == Language::python && code.ends_with(':')) {
      return refuse(line,
                    fmt::format("'{}' opens a block, and the next line would be a case of its own", trim(line.text)),
                    "write it in one line, or as a [[benchmark]]");
    }
    return {};
  }

  Status open(const TableRow& row, const std::optional<std::string>& py, const std::optional<std::string>& cpp) {
    if ((py && cpp && plain(*py) != plain(*cpp)) || (!py && !trim(row.py.text).empty()) ||
        (!cpp && !trim(row.cpp.text).empty())) {
      return refuse(
          row.py,
          fmt::format("the two sides open different groups: '{}' and '{}'", trim(row.py.text), trim(row.cpp.text)),
          "write the same @label on both sides, or leave one side empty");
    }
    const std::string& name = py ? *py : *cpp;
    in_setup_ = plain(name) == "setup";
    in_global_ = plain(name) == "globalsetup";
    if (in_setup_ || in_global_) return {};
    if (name.empty()) return refuse(row.py, "'@' opens a group without a name", "write '# @name' or '// @name'");
    open_ = group(name);
    return {};
  }

  Group* group(const std::string& name) {
    const auto found = std::ranges::find(groups_, name, &Group::name);
    if (found != groups_.end()) return &*found;
    groups_.push_back({.name = name});
    return &groups_.back();
  }

  const Variants& variants_;
  Setup setup_;
  std::vector<Group> groups_;
  Group* open_ = nullptr;
  bool in_setup_ = false;
  bool in_global_ = false;
};

/// A block of one language, as rows with the other side empty.
std::vector<TableRow> rows_of(const Snippet& raw, Language language) {
  const Snippet text = dedent(raw);
  std::vector<TableRow> rows;
  std::size_t offset = 0;
  for (std::string_view line : split(text.text, '\n')) {
    TableRow row;
    (language == Language::python ? row.py : row.cpp) = {std::string(line), position_of(text, offset), text.indent};
    rows.push_back(std::move(row));
    offset += line.size() + 1;
  }
  return rows;
}

}  // namespace

Result<std::vector<Benchmark>> split_variants(const Variants& variants) {
  Splitter splitter(variants);
  const bool table = !variants.table.text.empty();
  if (table && (!variants.py.text.empty() || !variants.cpp.text.empty())) {
    return fail(ErrorKind::input,
                fmt::format("variants '{}' have a table and a block per language", join(variants.label, "/")),
                place_of({}, variants.at, variants.label), "write either table, or py and cpp");
  }
  if (table) {
    const Result<std::vector<TableRow>> rows = parse_table(variants.table);
    if (!rows) return std::unexpected(rows.error());
    if (Status ok = splitter.rows(*rows); !ok) return std::unexpected(ok.error());
  }
  for (const auto& [text, language] : {std::pair{&variants.py, Language::python}, {&variants.cpp, Language::cpp}}) {
    if (text->text.empty()) continue;
    if (Status ok = splitter.rows(rows_of(*text, language)); !ok) return std::unexpected(ok.error());
  }
  return splitter.finish();
}

}  // namespace tally
