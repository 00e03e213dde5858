#include "comparison/line_delta.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/text.h"
#include "comparison/line_match.h"
#include "profile/names.h"
#include "profile/rules.h"

namespace tally {
namespace {

/// Different iterations divide differently in the last digit; that is no movement.
constexpr double kSame = 1e-6;

double rate(std::uint64_t cost, const KeptLines& side) {
  return static_cast<double>(cost) / static_cast<double>(std::max<std::uint64_t>(side.iterations, 1));
}

std::string standard_object(const std::string& object) {
  return standardize(FunctionKey{.object = object, .file = {}, .name = {}}).object;
}

/// What two builds share of a file's name.
std::string standard_file(std::string_view file) {
  return std::string(file.ends_with(".toml") ? ".toml" : base_name(file));
}

/// Standard name → the file, of files that no other has it.
std::map<std::string, std::string> by_standard_name(const std::set<std::string>& files) {
  std::map<std::string, std::string> named;
  std::set<std::string> twice;
  for (const std::string& file : files) {
    if (!named.emplace(standard_file(file), file).second) twice.insert(standard_file(file));
  }
  for (const std::string& name : twice) named.erase(name);
  return named;
}

std::set<std::string> files_of(const LineCosts& costs) {
  std::set<std::string> files;
  for (const auto& [at, cost] : costs.lines) files.insert(at.file);
  return files;
}

/// Earlier file → later file.
std::map<std::string, std::string> same_files(const LineCosts& before, const LineCosts& after) {
  std::set<std::string> old_files = files_of(before);
  std::set<std::string> new_files = files_of(after);
  std::map<std::string, std::string> pairs;
  for (const std::string& file : files_of(before)) {
    if (!new_files.contains(file)) continue;
    pairs[file] = file;
    old_files.erase(file);
    new_files.erase(file);
  }
  const auto later = by_standard_name(new_files);
  for (const auto& [name, file] : by_standard_name(old_files)) {
    if (const auto found = later.find(name); found != later.end()) pairs[file] = found->second;
  }
  return pairs;
}

/// The lines of each kept text.
class Texts {
 public:
  explicit Texts(const KeptLines* side) {
    if (side == nullptr) return;
    for (const auto& [file, text] : side->texts) lines_[file] = split(text, '\n');
  }
  [[nodiscard]] std::string at(const SourceLine& place) const {
    const auto file = lines_.find(place.file);
    if (file == lines_.end() || place.line == 0 || place.line > file->second.size()) return {};
    return std::string(trim(file->second[place.line - 1]));
  }

 private:
  std::map<std::string, std::vector<std::string_view>> lines_;
};

/// Where lines of the earlier side are on the later one.
class Followed {
 public:
  Followed(const KeptLines& before, const KeptLines& after) : files_(same_files(before.costs, after.costs)) {
    for (const auto& [file, later] : files_) {
      const auto old_text = before.texts.find(file);
      const auto new_text = after.texts.find(later);
      if (old_text == before.texts.end() || new_text == after.texts.end() || old_text->second == new_text->second)
        continue;
      matches_[file] = match_lines(old_text->second, new_text->second);
    }
  }

  struct Place {
    SourceLine at;
    bool gone = false;
    std::uint64_t below = 0;
  };
  [[nodiscard]] Place of(const SourceLine& at) const {
    const auto file = files_.find(at.file);
    if (file == files_.end()) return {.at = at, .gone = true};
    const auto match = matches_.find(at.file);
    if (match == matches_.end() || at.line >= match->second.size()) return {.at = {file->second, at.line}};
    std::size_t line = at.line;
    if (match->second[line] > 0) return {.at = {file->second, match->second[line]}};
    while (line > 0 && match->second[line] == 0) --line;
    return {.at = {file->second, at.line}, .gone = true, .below = match->second[line]};
  }

 private:
  std::map<std::string, std::string> files_;
  std::map<std::string, LineMatch> matches_;
};

/// Where a line is shown: one that is gone below the line that it stood below.
auto order_of(const LineDelta& delta) {
  const bool is_object = delta.at.line == 0;
  return std::tuple(is_object, delta.at.file, delta.gone ? delta.below : delta.at.line, delta.gone, delta.at.line);
}

}  // namespace

std::vector<LineDelta> line_deltas(const KeptLines* before, const KeptLines& after) {
  const Texts texts(&after);
  const Texts old_texts(before);
  std::map<SourceLine, LineDelta> lines;
  std::map<std::string, LineDelta> objects;
  std::vector<LineDelta> deltas;
  for (const auto& [at, cost] : after.costs.lines) {
    lines[at] = {.at = at,
                 .newer = after.costs.newer.contains(at.file),
                 .after = rate(cost, after),
                 .text = texts.at(at),
                 .text_before = {}};
  }
  for (const auto& [object, cost] : after.costs.elsewhere) {
    LineDelta& delta = objects[standard_object(object)];
    delta.at.file = object;
    delta.after += rate(cost, after);
  }
  if (before != nullptr) {
    const Followed followed(*before, after);
    for (const auto& [at, cost] : before->costs.lines) {
      const Followed::Place place = followed.of(at);
      if (place.gone) {
        deltas.push_back({.at = place.at,
                          .gone = true,
                          .newer = before->costs.newer.contains(at.file),
                          .before = rate(cost, *before),
                          .text = old_texts.at(at),
                          .text_before = {},
                          .below = place.below});
        continue;
      }
      LineDelta& delta = lines[place.at];
      if (delta.at.line == 0) {
        delta.at = place.at;
        delta.text = texts.at(place.at);
      }
      delta.newer = delta.newer || before->costs.newer.contains(at.file);
      delta.before += rate(cost, *before);
      if (const std::string old = old_texts.at(at); old != delta.text && !delta.text.empty()) delta.text_before = old;
    }
    for (const auto& [object, cost] : before->costs.elsewhere) {
      LineDelta& delta = objects[standard_object(object)];
      if (delta.at.file.empty()) delta.at.file = object;
      delta.before += rate(cost, *before);
    }
  }
  for (auto& [at, delta] : lines) deltas.push_back(std::move(delta));
  for (auto& [object, delta] : objects) deltas.push_back(std::move(delta));
  std::ranges::sort(deltas, [](const LineDelta& a, const LineDelta& b) { return order_of(a) < order_of(b); });
  return deltas;
}

std::vector<LineDelta> moved_lines(std::vector<LineDelta> deltas) {
  std::erase_if(deltas, [](const LineDelta& one) { return std::abs(one.delta()) < kSame; });
  std::ranges::sort(deltas, [](const LineDelta& a, const LineDelta& b) {
    const double x = std::abs(a.delta());
    const double y = std::abs(b.delta());
    return x != y ? x > y : order_of(a) < order_of(b);
  });
  return deltas;
}

}  // namespace tally
