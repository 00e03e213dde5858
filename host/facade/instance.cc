#include "instance.h"

#include <regex>

#include "text.h"

TALLYMARK_FACADE_BEGIN

namespace {

/// Of names that are never run.
constexpr const char* kDisabled = "DISABLED_";

std::string args_text(const internal::Definition& said, const std::vector<std::int64_t>& args) {
  std::string all;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (i > 0) all += '/';
    if (i < said.arg_names.size() && !said.arg_names[i].empty()) all += said.arg_names[i] + ":";
    all += std::to_string(args[i]);
  }
  return all;
}

BenchmarkName name_of(const internal::Definition& said, const std::vector<std::int64_t>& args, int threads) {
  BenchmarkName name;
  name.function_name = said.name;
  name.args = args_text(said, args);
  if (said.min_time > 0) name.min_time = internal::formatted("min_time:%0.3f", said.min_time);
  if (said.min_warmup_time > 0)
    name.min_warmup_time = internal::formatted("min_warmup_time:%0.3f", said.min_warmup_time);
  if (said.iterations > 0) name.iterations = "iterations:" + std::to_string(said.iterations);
  if (said.repetitions > 0) name.repetitions = "repeats:" + std::to_string(said.repetitions);
  if (said.process_cpu_time) name.time_type = "process_time";
  const std::string clock = said.manual_time ? "manual_time" : said.real_time ? "real_time" : "";
  if (!clock.empty()) name.time_type += (name.time_type.empty() ? "" : "/") + clock;
  if (!said.threads.empty()) name.threads = "threads:" + std::to_string(threads);
  return name;
}

}  // namespace

std::string BenchmarkName::str() const {
  std::string all;
  for (const std::string* part :
       {&function_name, &args, &min_time, &min_warmup_time, &iterations, &repetitions, &time_type, &threads}) {
    if (part->empty()) continue;
    if (!all.empty()) all += '/';
    all += *part;
  }
  return all;
}

namespace internal {

std::vector<Instance> instances(std::string filter, std::string& error) {
  const bool negative = !filter.empty() && filter.front() == '-';
  if (negative) filter.erase(0, 1);
  if (filter.empty() || filter == "all") filter = ".";
  std::vector<Instance> all;
  try {
    const std::regex pattern(filter, std::regex::extended);
    int family_index = 0;
    for (const auto& family : families()) {
      const Definition& said = family->definition();
      const auto rows = said.args.empty() ? std::vector<std::vector<std::int64_t>>{{}} : said.args;
      const auto threads = said.threads.empty() ? std::vector{1} : said.threads;
      int index = 0;
      for (const auto& row : rows) {
        for (const int count : threads) {
          Instance one{family.get(), name_of(said, row, count), "", family_index, index, row, count};
          one.full_name = one.name.str();
          if (one.full_name.rfind(kDisabled, 0) == 0) continue;
          if (std::regex_search(one.full_name, pattern) == negative) continue;
          all.push_back(std::move(one));
          ++index;
        }
      }
      // Only families of which something runs are numbered.
      if (index > 0) ++family_index;
    }
  } catch (const std::regex_error& wrong) {
    error = wrong.what();
    all.clear();
  }
  return all;
}

}  // namespace internal

TALLYMARK_FACADE_END
