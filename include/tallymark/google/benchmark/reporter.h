/// Receives the results of a program that runs by itself. (`tally` has records; no reporter is called there.)
#ifndef TALLYMARK_BENCHMARK_REPORTER_H
#define TALLYMARK_BENCHMARK_REPORTER_H

#include <cstddef>
#include <iosfwd>
#include <set>

#include "benchmark/counter.h"
#include "benchmark/managers.h"
#include "benchmark/statistics.h"
#include "benchmark/sysinfo.h"

TALLYMARK_FACADE_BEGIN

/// "name/8/64/min_time:2.000/threads:4" in its parts; absent ones are empty.
struct BenchmarkName {
  std::string function_name;
  std::string args;
  std::string min_time;
  std::string min_warmup_time;
  std::string iterations;
  std::string repetitions;
  std::string time_type;
  std::string threads;

  [[nodiscard]] std::string str() const;
};

class BenchmarkReporter {
 public:
  struct Context {
    const CPUInfo& cpu_info;
    const SystemInfo& sys_info;
    std::size_t name_field_width = 0;
    static const char* executable_name;
    Context();
  };

  struct Run {
    static const std::int64_t no_repetition_index = -1;
    enum RunType { RT_Iteration, RT_Aggregate };

    [[nodiscard]] std::string benchmark_name() const;

    BenchmarkName run_name;
    std::int64_t family_index = 0;
    std::int64_t per_family_instance_index = 0;
    RunType run_type = RT_Iteration;
    std::string aggregate_name;
    StatisticUnit aggregate_unit = kTime;
    std::string report_label;
    internal::Skipped skipped = internal::NotSkipped;
    std::string skip_message;
    IterationCount iterations = 1;
    std::int64_t threads = 1;
    std::int64_t repetition_index = no_repetition_index;
    std::int64_t repetitions = 0;
    TimeUnit time_unit = GetDefaultTimeUnit();
    double real_accumulated_time = 0;  ///< Seconds, of all iterations.
    double cpu_accumulated_time = 0;   ///< Likewise.

    /// Per iteration, in time_unit.
    [[nodiscard]] double GetAdjustedRealTime() const;
    [[nodiscard]] double GetAdjustedCPUTime() const;

    double max_heapbytes_used = 0;
    bool use_real_time_for_initial_big_o = false;
    BigO complexity = oNone;
    BigOFunc* complexity_lambda = nullptr;
    ComplexityN complexity_n = 0;
    const std::vector<internal::Statistics>* statistics = nullptr;
    bool report_big_o = false;
    bool report_rms = false;
    UserCounters counters;
    MemoryManager::Result memory_result;
    double allocs_per_iter = 0;
  };

  struct PerFamilyRunReports {
    int num_runs_total = 0;
    int num_runs_done = 0;
    std::vector<BenchmarkReporter::Run> Runs;
  };

  BenchmarkReporter();
  BenchmarkReporter(const BenchmarkReporter&) = delete;
  BenchmarkReporter& operator=(const BenchmarkReporter&) = delete;
  virtual ~BenchmarkReporter();

  /// Once, first; false: nothing is run.
  virtual bool ReportContext(const Context& context) = 0;
  virtual void ReportRunsConfig(double /*min_time*/, bool /*has_explicit_iters*/, IterationCount /*iters*/) {}
  virtual void ReportRuns(const std::vector<Run>& report) = 0;
  virtual void Finalize() {}

  void SetOutputStream(std::ostream* out) { output_stream_ = out; }
  void SetErrorStream(std::ostream* err) { error_stream_ = err; }
  [[nodiscard]] std::ostream& GetOutputStream() const { return *output_stream_; }
  [[nodiscard]] std::ostream& GetErrorStream() const { return *error_stream_; }

  static void PrintBasicContext(std::ostream* out, const Context& context);

 private:
  std::ostream* output_stream_;
  std::ostream* error_stream_;
};

class ConsoleReporter : public BenchmarkReporter {
 public:
  enum OutputOptions {
    OO_None = 0,
    OO_Color = 1,
    OO_Tabular = 2,
    OO_ColorTabular = OO_Color | OO_Tabular,
    OO_Defaults = OO_ColorTabular
  };

  explicit ConsoleReporter(OutputOptions options = OO_Defaults) : output_options_(options) {}
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& reports) override;

 protected:
  virtual void PrintRunData(const Run& result);
  virtual void PrintHeader(const Run& run);

  OutputOptions output_options_;
  std::size_t name_field_width_ = 0;
  UserCounters prev_counters_;
  bool printed_header_ = false;
};

class JSONReporter : public BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& reports) override;
  void Finalize() override;

 private:
  void PrintRunData(const Run& run);
  bool first_report_ = true;
};

class CSVReporter : public BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& reports) override;

 private:
  void PrintRunData(const Run& run);
  bool printed_header_ = false;
  std::set<std::string> user_counter_names_;
  std::set<std::string> left_out_;  ///< Those that have no column.
};

TALLYMARK_FACADE_END

#endif
