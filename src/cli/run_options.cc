#include "cli/run_options.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"
#include "cli/record_files.h"

namespace tally::cli {

void add_selection_options(OptionSet& command, RunOptions& options) {
  command.add("-f,--filter", &options.filters, "Keep cases: an id, a glob on ids, a part of an id, or key=value")
      .value_name("PATTERN")
      .one_each();
  command.add("--exclude", &options.excludes, "Drop cases, by the same patterns").value_name("PATTERN").one_each();
  command.add("--shard", &options.shard, "Keep the i-th of n parts of what is left; `tally merge` joins them")
      .value_name("i/n");
  command.add("--balance", &options.balance, "Deal the parts by what cases took in this record, not by a hash of ids")
      .value_name("RECORD")
      .needs("--shard");
}

void add_run_options(OptionSet& command, RunOptions& options) {
  command.add("--counts-only", &options.counts_only, "Count instructions, take no times");
  command.add("--wall-only", &options.wall_only, "Take times, count nothing").excludes("--counts-only");
  command.add("-n,--iterations", &options.settings.iterations, "Executions in one counted replicate")
      .shows_default()
      .range(1, 1'000'000'000);
  command.add("--replicates", &options.settings.replicates, "Counted replicates at the least; more where they differ")
      .shows_default()
      .range(1, 1000);
  command.add("--repeat", &options.settings.repeat, "Measure the whole suite so often and pool the samples")
      .shows_default()
      .range(1, 1000);
  command.add("--interleave", &options.settings.interleave,
              "Take the times of all cases in turns, so that drift falls on all alike");
  command
      .add("--precision", &options.precision_percent, "Stop timing when the 95 % interval is within this, in percent")
      .shows_default()
      .range(0.01, 100.0);
  command.add("--min-run-time", &options.settings.min_run_time_s, "Seconds of samples of a case at the least")
      .shows_default()
      .range(0.001, 86400.0);
  command
      .add("--max-run-time", &options.settings.max_run_time_s, "Seconds of timing a case at the most, forks included")
      .shows_default()
      .range(0.001, 86400.0);
  command.add("--timeout", &options.timeout_s, "Seconds for one measurement of a case (60 for times, 300 for counts)")
      .range(0.1, 86400.0);
  command
      .add("--host-timeout", &options.host_timeout_s,
           "Seconds for a host to start, and to begin a case (never more than 20)")
      .shows_default()
      .range(0.1, 86400.0);
  command
      .add("--max-wait", &options.max_wait,
           "How long times may wait for CPUs that others have (as long as it takes): 30s, 5min")
      .value_name("DURATION");
  command.add("--memory", &options.memory, "Memory a case may use, such as 512M").value_name("BYTES");
  command.add("--cores", &options.cores, "CPUs to use, such as 0-3,6 (all that this process may use)")
      .value_name("LIST");
  command.add("--reserve-cpus", &options.reserved_cpus, "Leave so many of these to others, the lowest ones")
      .value_name("N")
      .range(0, 4096);
  command.add("--retries", &options.retries, "Attempts after a timeout or a lost host (1 and 2)").range(0, 100);
  command
      .add("--isolation", &options.settings.isolation,
           "fork: a child of a warm host for each case; process: a fresh host")
      .shows_default()
      .one_of({"fork", "process"});
  command
      .add("--entropy", &options.entropy,
           "Who answers cases that ask for randomness: fixed (the same in each run), or the system")
      .shows_default()
      .one_of({"fixed", "system"});
  command.add("--denoise", &options.denoise,
              "Show counts without known interpreter noise, too (Python; tally profile --list-rules)");
  command.add("--keep", &options.keep, "Keep the run's temporary files and say where they are");
  command.add("--aa", &options.settings.noise_floor,
              "Count each case under eight harmless perturbations too: its noise floor");
  command.add("--cache-sim", &options.settings.cache_sim, "Simulate caches too (changes counts slightly)");
  command.add("--branch-sim", &options.settings.branch_sim, "Simulate branch prediction too");
  command.add("--call-context", &options.settings.call_context, "Callers that profiles keep apart")
      .value_name("N")
      .range(0, 50);
  command.add("--cxx", &options.tools.cxx, "The C++ compiler, instead of the toolchain's").value_name("PROGRAM");
  command.add("--python", &options.tools.python, "The Python interpreter, instead of the toolchain's")
      .value_name("PROGRAM");
  command.add("--env-command", &options.tools.env_command, "Bash text run once; its environment is what cases see")
      .value_name("TEXT");
  command
      .add("--keep-env", &options.settings.kept_environment,
           "Let this variable through to the cases (a name or a glob)")
      .value_name("NAME")
      .one_each();
  command.add("-q,--quiet", &options.quiet, "No progress");
  command.add("-v,--verbose", &options.verbose, "Say what is run").excludes("--quiet");
  command.add("--color", &options.color, "auto, always or never").shows_default().one_of({"auto", "always", "never"});
  command.add("--width", &options.width, "Columns to print (the terminal's, or 100)").range(20, 10000);
}

void add_server_option(OptionSet& command, RunOptions& options) {
  command
      .add("--server", &options.server,
           "Let a running `tally serve` measure: auto (where there is one), off, or its socket")
      .value_name("PATH")
      .shows_default();
}

Result<Selection> selection_of(const RunOptions& options) {
  Selection selection{.filters = options.filters, .excludes = options.excludes};
  if (!options.shard.empty()) {
    auto shard = parse_shard(options.shard);
    if (!shard) return std::unexpected(shard.error());
    selection.shard = *shard;
  }
  if (!options.balance.empty()) {
    const auto record = load_record(options.balance);
    if (!record) return std::unexpected(record.error());
    selection.last_times = last_times(*record);
  }
  return selection;
}

Result<Plan> plan_of(const Suite& suite, const RunOptions& options) {
  auto selection = selection_of(options);
  if (!selection) return std::unexpected(selection.error());
  return make_plan(suite, {.selection = *std::move(selection), .repeat = options.settings.repeat});
}

Result<double> parse_seconds(const std::string& text, const std::string& where) {
  constexpr double kDay = 86400;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = trim({end, static_cast<std::size_t>(text.data() + text.size() - end)});
  double factor = 0;
  if (unit.empty() || unit == "s") factor = 1;
  if (unit == "ms") factor = 1e-3;
  if (unit == "min") factor = 60;
  if (unit == "h") factor = 3600;
  // Written so that what is no number is refused, too.
  if (error != std::errc{} || factor == 0 || !(value >= 0 && value * factor <= kDay)) {
    return fail(ErrorKind::input, fmt::format("'{}' is no length of time up to a day", text), where,
                "write seconds, or a number with ms, s, min or h: 30s");
  }
  return value * factor;
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

Result<Settings> settings_of(const RunOptions& options) {
  Settings settings = options.settings;
  settings.counts = !options.wall_only;
  settings.wall = !options.counts_only;
  settings.precision = options.precision_percent / 100;
  if (options.timeout_s > 0) settings.timeout_s = options.timeout_s;
  if (options.host_timeout_s != RunOptions{}.host_timeout_s) settings.host_timeout_s = options.host_timeout_s;
  if (options.retries >= 0) settings.retries = options.retries;
  if (!options.max_wait.empty()) {
    const auto seconds = parse_seconds(options.max_wait, "--max-wait");
    if (!seconds) return std::unexpected(seconds.error());
    settings.max_wait_s = *seconds;
  }
  if (options.entropy != RunOptions{}.entropy) settings.entropy = options.entropy;
  if (!options.memory.empty()) {
    auto memory = parse_bytes(options.memory, "--memory");
    if (!memory) return std::unexpected(memory.error());
    settings.memory_bytes = *memory;
  }
  return settings;
}

}  // namespace tally::cli
