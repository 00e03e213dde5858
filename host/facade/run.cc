/// RunSpecifiedBenchmarks: which benchmarks run, in what order, and who gets the results.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <random>

#include "aggregates.h"
#include "benchmark/benchmark_api.h"
#include "flags.h"
#include "runner.h"

TALLYMARK_FACADE_BEGIN

namespace {

using internal::Flags;
using internal::Instance;
using internal::Runner;
using Run = BenchmarkReporter::Run;

/// Of one instance.
struct Results {
  std::vector<Run> runs;
  std::vector<Run> aggregates;
};

/// The two reporters; the second may be null.
class Reporters {
 public:
  Reporters(BenchmarkReporter* display, BenchmarkReporter* file) : all_{display, file} {}

  template <typename Action>
  void each(const Action& action) const {
    for (BenchmarkReporter* reporter : all_) {
      if (reporter != nullptr) action(*reporter);
    }
    flush();
  }
  [[nodiscard]] bool begin(const BenchmarkReporter::Context& context) const {
    bool yes = true;
    each([&](BenchmarkReporter& reporter) { yes = yes && reporter.ReportContext(context); });
    return yes;
  }
  void report(const Results& results, const Instance& instance, const Flags& flags) const {
    const unsigned mode = instance.said().aggregation;
    const bool says = mode != internal::ARM_Unspecified;
    const bool display_short = says ? (mode & internal::ARM_DisplayReportAggregatesOnly) != 0
                                    : flags.report_aggregates_only || flags.display_aggregates_only;
    const bool file_short = says ? (mode & internal::ARM_FileReportAggregatesOnly) != 0 : flags.report_aggregates_only;
    each([&](BenchmarkReporter& reporter) {
      const bool aggregates_only = &reporter == all_[0] ? display_short : file_short;
      if (!aggregates_only || results.aggregates.empty()) reporter.ReportRuns(results.runs);
      if (!results.aggregates.empty()) reporter.ReportRuns(results.aggregates);
    });
  }

 private:
  void flush() const {
    for (BenchmarkReporter* reporter : all_) {
      if (reporter == nullptr) continue;
      reporter->GetOutputStream().flush();
      reporter->GetErrorStream().flush();
    }
  }

  BenchmarkReporter* all_[2];
};

std::size_t name_width(const std::vector<Instance>& instances, const Flags& flags) {
  std::size_t width = 10;
  std::size_t suffix = std::strlen("median");
  bool has_aggregates = flags.repetitions > 1;
  for (const Instance& one : instances) {
    width = std::max(width, one.full_name.size());
    has_aggregates = has_aggregates || one.said().repetitions > 1;
    for (const internal::Statistics& statistic : one.said().statistics)
      suffix = std::max(suffix, statistic.name_.size());
  }
  return has_aggregates ? width + 1 + suffix : width;
}

/// Which runner comes next, for all repetitions.
std::vector<std::size_t> order_of(const std::vector<Runner>& runners, const Flags& flags) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < runners.size(); ++i)
    order.insert(order.end(), static_cast<std::size_t>(runners[i].repetitions()), i);
  if (flags.enable_random_interleaving) std::shuffle(order.begin(), order.end(), std::mt19937(std::random_device{}()));
  return order;
}

/// The runs of a family whose complexity is requested.
using Families = std::map<int, BenchmarkReporter::PerFamilyRunReports>;

void add_complexity(Families& families, const Instance& instance, Results& results) {
  const auto found = families.find(instance.family_index);
  if (found == families.end() || found->second.num_runs_done < found->second.num_runs_total) return;
  for (Run& fit : internal::complexity_of(found->second.Runs)) results.aggregates.push_back(std::move(fit));
  families.erase(found);
}

void run_all(const std::vector<Instance>& instances, const Reporters& reporters) {
  const Flags& flags = internal::flags();
  std::vector<Runner> runners;
  Families families;
  for (const Instance& one : instances) {
    runners.emplace_back(one, flags);
    if (one.said().complexity != oNone) families[one.family_index].num_runs_total += runners.back().repetitions();
  }
  std::vector<Results> results(runners.size());
  for (const std::size_t place : order_of(runners, flags)) {
    Runner& runner = runners[place];
    Results& own = results[place];
    own.runs.push_back(runner.repeat());
    if (const auto family = families.find(runner.instance().family_index); family != families.end()) {
      ++family->second.num_runs_done;
      if (own.runs.back().skipped == internal::NotSkipped) family->second.Runs.push_back(own.runs.back());
    }
    if (!runner.done()) continue;
    reporters.each([&](BenchmarkReporter& reporter) {
      reporter.ReportRunsConfig(runner.min_time(), runner.has_iterations(), runner.iterations());
    });
    own.aggregates = internal::statistics_of(own.runs, runner.instance().said().statistics);
    add_complexity(families, runner.instance(), own);
    reporters.report(own, runner.instance(), flags);
  }
}

void report_all(const std::vector<Instance>& instances, const Reporters& reporters) {
  BenchmarkReporter::Context context;
  context.name_field_width = name_width(instances, internal::flags());
  if (reporters.begin(context)) run_all(instances, reporters);
  reporters.each([](BenchmarkReporter& reporter) { reporter.Finalize(); });
}

bool colors_wanted(const std::string& word) {
  if (word != "auto") return internal::is_true("benchmark_color", word);
  const char* const terminal = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) != 0 && terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
}

std::unique_ptr<BenchmarkReporter> reporter_of(const std::string& format, int options) {
  if (format == "json") return std::make_unique<JSONReporter>();
  if (format == "csv") return std::make_unique<CSVReporter>();
  return std::make_unique<ConsoleReporter>(static_cast<ConsoleReporter::OutputOptions>(options));
}

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "benchmark: %s\n", why.c_str());
  std::exit(1);
}

}  // namespace

BenchmarkReporter* CreateDefaultDisplayReporter() {
  const Flags& flags = internal::flags();
  int options = ConsoleReporter::OO_None;
  if (flags.format == "console" && colors_wanted(flags.color)) options |= ConsoleReporter::OO_Color;
  if (flags.counters_tabular) options |= ConsoleReporter::OO_Tabular;
  return reporter_of(flags.format, options).release();
}

std::size_t RunSpecifiedBenchmarks() { return RunSpecifiedBenchmarks(nullptr, nullptr, GetBenchmarkFilter()); }
std::size_t RunSpecifiedBenchmarks(std::string spec) {
  return RunSpecifiedBenchmarks(nullptr, nullptr, std::move(spec));
}
std::size_t RunSpecifiedBenchmarks(BenchmarkReporter* display_reporter) {
  return RunSpecifiedBenchmarks(display_reporter, nullptr, GetBenchmarkFilter());
}
std::size_t RunSpecifiedBenchmarks(BenchmarkReporter* display_reporter, std::string spec) {
  return RunSpecifiedBenchmarks(display_reporter, nullptr, std::move(spec));
}
std::size_t RunSpecifiedBenchmarks(BenchmarkReporter* display_reporter, BenchmarkReporter* file_reporter) {
  return RunSpecifiedBenchmarks(display_reporter, file_reporter, GetBenchmarkFilter());
}

std::size_t RunSpecifiedBenchmarks(BenchmarkReporter* display_reporter, BenchmarkReporter* file_reporter,
                                   std::string spec) {  // NOLINT: as it is there
  if (const auto listed = internal::serve_if_asked(spec)) return *listed;
  const Flags& flags = internal::flags();
  std::unique_ptr<BenchmarkReporter> own_display;
  if (display_reporter == nullptr) {
    own_display.reset(CreateDefaultDisplayReporter());
    display_reporter = own_display.get();
  }
  if (flags.out.empty() && file_reporter != nullptr)
    refuse("the program has a reporter for a file, and no file: say --benchmark_out=FILE");
  std::ofstream file;
  std::unique_ptr<BenchmarkReporter> own_file;
  if (!flags.out.empty()) {
    file.open(flags.out);
    if (!file) refuse("cannot write --benchmark_out=" + flags.out + ": " + std::strerror(errno));
    if (file_reporter == nullptr) {
      own_file = reporter_of(flags.out_format,
                             flags.counters_tabular ? ConsoleReporter::OO_Tabular : ConsoleReporter::OO_None);
      file_reporter = own_file.get();
    }
    file_reporter->SetOutputStream(&file);
    file_reporter->SetErrorStream(&file);
  }

  std::string error;
  const std::vector<Instance> chosen = internal::instances(spec, error);
  std::ostream& out = display_reporter->GetOutputStream();
  std::ostream& err = display_reporter->GetErrorStream();
  if (!error.empty()) {
    err << "benchmark: the filter '" << spec << "' is no regular expression: " << error << "\n" << std::flush;
    return 0;
  }
  if (chosen.empty()) {
    err << "Failed to match any benchmarks against regex: " << spec << "\n" << std::flush;
    return 0;
  }
  if (flags.list_tests) {
    for (const Instance& one : chosen) out << one.full_name << "\n";
    out.flush();
  } else {
    report_all(chosen, {display_reporter, file_reporter});
  }
  return chosen.size();
}

TALLYMARK_FACADE_END
