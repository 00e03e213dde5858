#include "history/profiles.h"

#include <algorithm>

#include "base/digest.h"

namespace tally {
namespace {

constexpr const char* kFolder = "profiles/";
constexpr const char* kNative = ".json";
constexpr const char* kPython = ".python.json";

}  // namespace

std::string profile_stem(const ProfileTexts& texts) {
  Digest digest;
  digest.add(texts.native);
  if (texts.python) digest.add(*texts.python);
  const std::string hex = digest.hex();
  return kFolder + hex.substr(0, 2) + "/" + hex.substr(2);
}

std::vector<NewHistoryFile> profile_files(const std::string& stem, ProfileTexts texts) {
  std::vector<NewHistoryFile> files;
  files.push_back({.name = stem + kNative, .text = std::move(texts.native)});
  if (texts.python) files.push_back({.name = stem + kPython, .text = *std::move(texts.python)});
  return files;
}

std::string profile_path(const std::string& run_file, const std::string& stem) {
  std::string path;
  for (auto depth = std::ranges::count(run_file, '/'); depth > 0; --depth) path += "../";
  return path + stem + kNative;
}

std::string stem_of_path(const std::string& path) {
  const std::size_t at = path.find(kFolder);
  const bool is_folder = at == 0 || (at != std::string::npos && path[at - 1] == '/');
  return is_folder ? stem_of_file(path.substr(at)) : std::string();
}

std::string stem_of_file(const std::string& file) { return file.substr(0, file.find('.', file.rfind('/'))); }

std::set<std::pair<std::size_t, std::size_t>> edges_of(const History& history, const Course& course) {
  std::set<std::pair<std::size_t, std::size_t>> edges;
  const auto add = [&](const CountStep& step, std::size_t run) {
    edges.emplace(step.of, step.since);
    edges.emplace(step.of, run);
  };
  for (std::size_t run = 0; run < course.entries.size(); ++run) {
    for (const CountStep& step : course.entries[run].steps) add(step, run);
    if (!course.entries[run].epoch) continue;
    for (const CountStep& step : course.entries[run].epoch->chained) add(step, run);
  }
  for (std::size_t of = 0; of < history.cases.size(); ++of) {
    const auto& points = history.cases[of].points;
    const auto last = std::ranges::find_if(points.rbegin(), points.rend(), &SeriesPoint::has_figure);
    if (last != points.rend()) edges.emplace(of, last->run);
  }
  return edges;
}

}  // namespace tally
