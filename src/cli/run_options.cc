#include "cli/run_options.h"

#include <fmt/format.h>

#include <charconv>

namespace tally::cli {

void add_selection_options(CLI::App& command, RunOptions& options) {
  command.add_option("-f,--filter", options.filters, "Keep cases: an id, a glob on ids, a part of an id, or key=value")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  command.add_option("--exclude", options.excludes, "Drop cases, by the same patterns")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  command.add_option("--shard", options.shard, "Keep the i-th of n even parts")->type_name("i/n");
}

void add_run_options(CLI::App& command, RunOptions& options) {
  auto* counts = command.add_flag("--counts-only", options.counts_only, "Count instructions, take no times");
  command.add_flag("--wall-only", options.wall_only, "Take times, count nothing")->excludes(counts);
  command.add_option("-n,--iterations", options.iterations, "Executions in one counted replicate")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000'000));
  command.add_option("--replicates", options.replicates, "Counted replicates at the least; more where they differ")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command.add_option("--repeat", options.repeat, "Measure the whole suite so often and pool the samples")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command.add_flag("--interleave", options.interleave,
                   "Take the times of all cases in turns, so that drift falls on all alike");
  command
      .add_option("--precision", options.precision_percent,
                  "Stop timing when the 95 % interval is within this, in percent")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 100.0));
  command.add_option("--min-run-time", options.min_run_time_s, "Seconds of timing at the least")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 86400.0));
  command.add_option("--max-run-time", options.max_run_time_s, "Seconds of timing at the most")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 86400.0));
  command
      .add_option("--timeout", options.timeout_s,
                  "Seconds for one measurement of a case (60 for times, 300 for counts)")
      ->check(CLI::Range(0.1, 86400.0));
  command
      .add_option("--host-timeout", options.host_timeout_s,
                  "Seconds for a host to start, and to begin a case (never more than 20)")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 86400.0));
  command.add_option("--memory", options.memory, "Memory a case may use, such as 512M")->type_name("BYTES");
  command.add_option("--cores", options.cores, "CPUs to use, such as 0-3,6 (all that this process may use)")
      ->type_name("LIST");
  command.add_option("--retries", options.retries, "Attempts after a timeout or a lost host (1 and 2)")
      ->check(CLI::Range(0, 100));
  command
      .add_option("--isolation", options.isolation, "fork: a child of a warm host for each case; process: a fresh host")
      ->capture_default_str()
      ->check(CLI::IsMember({"fork", "process"}));
  command.add_flag("--keep", options.keep, "Keep the run's temporary files and say where they are");
  command.add_flag("--aa", options.aa, "Count each case under eight harmless perturbations too: its noise floor");
  command.add_flag("--cache-sim", options.cache_sim, "Simulate caches too (changes counts slightly)");
  command.add_flag("--branch-sim", options.branch_sim, "Simulate branch prediction too");
  command.add_option("--call-context", options.call_context, "Callers that profiles keep apart")
      ->type_name("N")
      ->check(CLI::Range(0, 50));
  command.add_option("--cxx", options.cxx, "The C++ compiler, instead of the toolchain's")->type_name("PROGRAM");
  command.add_option("--python", options.python, "The Python interpreter, instead of the toolchain's")
      ->type_name("PROGRAM");
  command.add_option("--env-command", options.env_command, "Bash text run once; its environment is what cases see")
      ->type_name("TEXT");
  command.add_option("--keep-env", options.keep_env, "Let this variable through to the cases (a name or a glob)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  auto* quiet = command.add_flag("-q,--quiet", options.quiet, "No progress");
  command.add_flag("-v,--verbose", options.verbose, "Say what is run")->excludes(quiet);
  command.add_option("--color", options.color, "auto, always or never")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "always", "never"}));
  command.add_option("--width", options.width, "Columns to print (the terminal's, or 100)")
      ->check(CLI::Range(20, 10000));
}

Result<Selection> selection_of(const RunOptions& options) {
  Selection selection{.filters = options.filters, .excludes = options.excludes};
  if (!options.shard.empty()) {
    auto shard = parse_shard(options.shard);
    if (!shard) return std::unexpected(shard.error());
    selection.shard = *shard;
  }
  return selection;
}

Result<Plan> plan_of(const Suite& suite, const RunOptions& options) {
  auto selection = selection_of(options);
  if (!selection) return std::unexpected(selection.error());
  return make_plan(suite, {.selection = *std::move(selection), .repeat = options.repeat});
}

Result<std::uint64_t> parse_bytes(const std::string& text, const std::string& where) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  int shift = -1;
  if (unit.empty()) shift = 0;
  if (unit == "K" || unit == "KiB") shift = 10;
  if (unit == "M" || unit == "MiB") shift = 20;
  if (unit == "G" || unit == "GiB") shift = 30;
  if (error != std::errc{} || shift < 0 || value == 0 || value > (~std::uint64_t{0} >> static_cast<unsigned>(shift))) {
    return fail(ErrorKind::input, fmt::format("'{}' is no amount of memory", text), where,
                "write bytes, or a number with K, M or G: 512M");
  }
  return value << static_cast<unsigned>(shift);
}

Result<ExecutionOptions> execution_options(const RunOptions& options) {
  ExecutionOptions execution;
  execution.counts = !options.wall_only;
  execution.wall = !options.counts_only;
  execution.iterations = options.iterations;
  execution.replicates = options.replicates;
  execution.max_replicates = std::max(options.replicates, execution.max_replicates);
  execution.wall_plan.precision = options.precision_percent / 100;
  execution.wall_plan.min_run_time_s = options.min_run_time_s;
  execution.wall_plan.max_run_time_s = std::max(options.max_run_time_s, options.min_run_time_s);
  execution.repeat = options.repeat;
  if (options.interleave) {
    // Three turns of two children come to the six that one turn would take.
    execution.wall_passes = 3;
    execution.wall_plan.min_run_time_s /= 3;
    execution.wall_plan.max_run_time_s /= 3;
    execution.wall_plan.min_children = 2;
  }
  if (options.timeout_s > 0) {
    execution.native_deadline = Milliseconds(static_cast<std::int64_t>(options.timeout_s * 1000));
    execution.counted_deadline = execution.native_deadline;
  }
  execution.host_deadline = Milliseconds(static_cast<std::int64_t>(options.host_timeout_s * 1000));
  execution.fork_deadline = std::min(execution.fork_deadline, execution.host_deadline);
  if (!options.memory.empty()) {
    auto memory = parse_bytes(options.memory, "--memory");
    if (!memory) return std::unexpected(memory.error());
    execution.memory_bytes = *memory;
  }
  if (options.retries >= 0) execution.timeout_retries = execution.host_retries = options.retries;
  if (options.aa && execution.counts) execution.perturbations = standard_perturbations();
  execution.process_isolation = options.isolation == "process";
  execution.cache_sim = options.cache_sim;
  execution.branch_sim = options.branch_sim;
  execution.call_context = options.call_context;
  return execution;
}

}  // namespace tally::cli
