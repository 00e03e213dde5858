#include "exchange/import_rust.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace tally::exchange {

namespace {

std::string_view folder_of(const File& file) {
  const std::size_t slash = file.path.rfind('/');
  return std::string_view(file.path).substr(0, slash == std::string::npos ? 0 : slash);
}

}  // namespace

std::vector<File> of_latest_run(std::span<const File> files, std::int64_t committed,
                                std::vector<std::string>& left_out) {
  std::map<std::string_view, std::int64_t> written;
  for (const File& file : files) {
    std::int64_t& of_folder = written[folder_of(file)];
    of_folder = std::max(of_folder, file.modified);
  }
  std::vector<std::int64_t> moments;
  moments.reserve(written.size());
  for (const auto& [folder, moment] : written) moments.push_back(moment);
  std::ranges::sort(moments, std::ranges::greater{});
  // Results may have been measured just before they were committed; then the commit's moment says nothing.
  const std::int64_t first = !moments.empty() && moments.front() >= committed ? committed : 0;
  const auto end = std::ranges::adjacent_find(moments, [&](std::int64_t later, std::int64_t earlier) {
    return earlier < first || later - earlier > kLongestPause;
  });
  const std::int64_t oldest = moments.empty() ? 0 : end == moments.end() ? moments.back() : *end;
  for (const auto& [folder, moment] : written) {
    if (moment >= oldest) continue;
    left_out.push_back(fmt::format("{}: written at {}, {}; --stale takes it", folder,
                                   moment_of(static_cast<double>(moment)),
                                   moment < first ? "before the commit" : "by an earlier cargo bench than the others"));
  }
  std::vector<File> kept;
  std::ranges::copy_if(files, std::back_inserter(kept),
                       [&](const File& file) { return written.at(folder_of(file)) >= oldest; });
  return kept;
}

Result<Results> read_criterion(std::span<const File> files) {
  struct Parts {
    const File* about = nullptr;
    const File* samples = nullptr;
  };
  std::map<std::string, Parts> folders;
  for (const File& file : files) {
    const std::string folder(folder_of(file));
    const std::string_view name = std::string_view(file.path).substr(folder.empty() ? 0 : folder.size() + 1);
    (name == "benchmark.json" ? folders[folder].about : folders[folder].samples) = &file;
  }
  Results results{.language = "command"};
  for (const auto& [folder, parts] : folders) {
    if (parts.about == nullptr || parts.samples == nullptr) {
      results.left_out.push_back(
          fmt::format("{}: {} is not there", folder, parts.about == nullptr ? "benchmark.json" : "sample.json"));
      continue;
    }
    const auto about = parsed(*parts.about);
    if (!about) return std::unexpected(about.error());
    const auto sample = parsed(*parts.samples);
    if (!sample) return std::unexpected(sample.error());
    Benchmark benchmark{.name = text_at(*about, "full_id")};
    if (benchmark.name.empty()) benchmark.name = text_at(*about, "title");
    const std::vector<double> executions = numbers_of((*sample)["iters"]);
    const std::vector<double> nanoseconds = numbers_of((*sample)["times"]);
    if (benchmark.name.empty() || executions.empty() || executions.size() != nanoseconds.size()) {
      return not_of_format(*parts.samples,
                           "criterion keeps in sample.json: it has no \"iters\" and \"times\" of one length");
    }
    std::vector<double> samples;
    samples.reserve(executions.size());
    for (std::size_t i = 0; i < executions.size(); ++i) {
      if (executions[i] >= 1) samples.push_back(nanoseconds[i] * 1e-9 / executions[i]);
    }
    if (!samples.empty()) benchmark.by_child.push_back(std::move(samples));
    results.benchmarks.push_back(std::move(benchmark));
  }
  return results;
}

}  // namespace tally::exchange
