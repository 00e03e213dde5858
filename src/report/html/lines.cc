#include "report/html/lines.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "json/text.h"
#include "report/html/packed.h"
#include "report/text/line_table.h"

namespace tally {
namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr std::uint64_t kAround = 4;  ///< Lines above and below one that is shown.
constexpr std::size_t kMostText = 1'500'000;

double hundredths(double value) { return std::round(value * 100) / 100; }

struct FileOnPage {
  std::string name;
  std::set<std::uint64_t> lines;
  bool newer = false;
};

/// In the order of the lines.
class FilesOnPage {
 public:
  /// The place of the file that a line is shown in.
  std::size_t add(const LineDelta& delta) {
    const auto [at, fresh] = numbers_.emplace(delta.at.file, files_.size());
    if (fresh) files_.push_back({.name = delta.at.file, .lines = {}});
    FileOnPage& file = files_[at->second];
    const std::uint64_t line = delta.gone ? delta.below : delta.at.line;
    if (line > 0) file.lines.insert(line);
    file.newer = file.newer || delta.newer;
    return at->second;
  }
  [[nodiscard]] const std::vector<FileOnPage>& all() const { return files_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<FileOnPage> files_;
};

Array files_json(const std::vector<FileOnPage>& files, const KeptLines& kept, PageSources& sources) {
  Array array;
  for (const FileOnPage& file : files) {
    Object one{{"name", file.name}};
    const auto text = kept.texts.find(file.name);
    const auto digest = kept.costs.sources.find(file.name);
    if (text != kept.texts.end() && digest != kept.costs.sources.end())
      one["source"] = sources.add(digest->second, text->second, file.lines);
    if (file.newer) one["newer"] = true;
    array.push_back(std::move(one));
  }
  return array;
}

}  // namespace

std::size_t PageSources::add(const std::string& digest, const std::string& text, const std::set<std::uint64_t>& lines) {
  const auto [at, fresh] = numbers_.emplace(digest, sources_.size());
  if (fresh) sources_.push_back({.text = text, .shown = {}});
  sources_[at->second].shown.insert(lines.begin(), lines.end());
  return at->second;
}

Array PageSources::json() const {
  Array all;
  std::size_t size = 0;
  for (const Source& source : sources_) {
    const std::vector<std::string_view> lines = split(source.text, '\n');
    Array runs;
    std::uint64_t next = 1;  // The first line that is in no run yet.
    std::string run;
    std::uint64_t first = 0;
    const auto end_run = [&] {
      if (first > 0) runs.push_back(Array{first, std::move(run)});
      run.clear();
      first = 0;
    };
    for (const std::uint64_t line : source.shown) {
      const std::uint64_t begin = line > kAround ? line - kAround : 1;
      if (begin > next) {
        end_run();
        next = begin;
      }
      for (; next <= line + kAround && next <= lines.size(); ++next) {
        if (first == 0) {
          first = next;
        } else {
          run += '\n';
        }
        run += lines[next - 1];
      }
    }
    end_run();
    std::string text = packed(json::to_text(Object{{"lines", lines.size()}, {"runs", std::move(runs)}}));
    const bool fits = size + text.size() <= kMostText;
    if (fits) size += text.size();
    all.push_back(fits ? Value(std::move(text)) : Value());
  }
  return all;
}

Value lines_json(const KeptLines* before, const KeptLines& after, PageSources& sources) {
  FilesOnPage files;
  Array file, line, own, own_before, elsewhere;
  Object was, gone;
  double total = 0;
  double total_before = 0;
  for (const LineDelta& delta : line_deltas(before, after)) {
    total += delta.after;
    total_before += delta.before;
    if (delta.at.line == 0) {
      elsewhere.push_back(Array{place_of(delta, {}), hundredths(delta.after), hundredths(delta.before)});
      continue;
    }
    const std::string row = fmt::format("{}", line.size());
    file.push_back(files.add(delta));
    line.push_back(delta.gone ? delta.below : delta.at.line);
    own.push_back(hundredths(delta.after));
    own_before.push_back(hundredths(delta.before));
    if (delta.gone) gone[row] = delta.text;
    if (!delta.text_before.empty()) was[row] = delta.text_before;
  }
  Object json{{"total", hundredths(total)}, {"files", files_json(files.all(), after, sources)},
              {"file", std::move(file)},    {"line", std::move(line)},
              {"own", std::move(own)},      {"elsewhere", std::move(elsewhere)}};
  if (before == nullptr) return json;
  json["total_before"] = hundredths(total_before);
  json["before"] = std::move(own_before);
  json["was"] = std::move(was);
  json["gone"] = std::move(gone);
  return json;
}

}  // namespace tally
