#include "exchange/import_rust.h"

#include <fmt/format.h>

#include <map>

namespace tally::exchange {

Result<Results> read_criterion(std::span<const File> files) {
  struct Parts {
    const File* about = nullptr;
    const File* samples = nullptr;
  };
  std::map<std::string, Parts> folders;
  for (const File& file : files) {
    const std::size_t slash = file.path.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : file.path.substr(0, slash);
    const std::string_view name = std::string_view(file.path).substr(slash == std::string::npos ? 0 : slash + 1);
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
