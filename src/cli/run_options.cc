#include "cli/run_options.h"

#include <fmt/format.h>

#include <charconv>

#include "base/byte_count.h"
#include "base/text.h"
#include "records/record_files.h"

namespace tally::cli {

void add_selection_options(OptionSet& command, RunOptions& options) {
  command
      .add("-f,--filter", &options.filters,
           "Select cases by id, by a glob on ids, by a part of an id, or by key=value (repeatable)")
      .value_name("PATTERN")
      .one_each();
  command.add("--exclude", &options.excludes, "Leave out cases, by the same patterns (repeatable)")
      .value_name("PATTERN")
      .one_each();
  command
      .add("--shard", &options.shard, "Measure the i-th of n parts of the selection; `tally merge` joins the records")
      .value_name("i/n");
  command
      .add("--balance", &options.balance,
           "Balance the parts by the times that this record took, instead of by a hash of ids")
      .value_name("RECORD")
      .needs("--shard");
}

void add_environment_options(OptionSet& command, RunOptions& options) {
  command.add("--python", &options.tools.python, "Python interpreter to use instead of the toolchain's")
      .value_name("PROGRAM");
  command
      .add("--env-command", &options.tools.env_command,
           "Bash command that sets up the environment of the cases; runs once")
      .value_name("TEXT");
  command
      .add("--keep-env", &options.settings.kept_environment,
           "Pass this environment variable on to the cases (a name or a glob; repeatable)")
      .value_name("NAME")
      .one_each();
}

void add_run_options(OptionSet& command, RunOptions& options) {
  command.add("--counts-only", [&options] { options.settings.wall = false; }, "Count instructions only");
  command.add(
             "--wall-only", [&options] { options.settings.counts = false; }, "Take times only")
      .excludes("--counts-only");
  command
      .add("-n,--iterations", &options.iterations,
           "Executions of the statement in each counted replicate (default: 100, or fewer in a program's heavy case)")
      .range(1, 1'000'000'000);
  command
      .add("--replicates", &options.settings.replicates, "Fewest counted replicates; more are taken while they differ")
      .shows_default()
      .range(1, 1000);
  command.add("--repeat", &options.settings.repeat, "Measure the whole suite this many times and pool the samples")
      .shows_default()
      .range(1, 1000);
  command.add("--interleave", &options.settings.interleave,
              "Time all cases in turn, so that drift of the machine affects all of them");
  command
      .add("--precision", &options.precision_percent,
           "Stop timing a case when the 95 % interval of its median is this narrow, in percent")
      .shows_default()
      .range(0.01, 100.0);
  command.add("--min-run-time", &options.settings.min_run_time_s, "Least time to sample each case, in seconds")
      .shows_default()
      .range(0.001, 86400.0);
  command
      .add("--max-run-time", &options.settings.max_run_time_s,
           "Most time to spend timing each case, in seconds, forks included")
      .shows_default()
      .range(0.001, 86400.0);
  command
      .add("--timeout", &options.timeout_s,
           "Time limit for one measurement of a case, in seconds (default: 60 for times, 300 for counts)")
      .range(0.1, 86400.0);
  command
      .add("--host-timeout", &options.host_timeout_s,
           "Time limit for a host to start, in seconds, and to begin a case (20 at most)")
      .shows_default()
      .range(0.1, 86400.0);
  command
      .add("--max-wait", &options.max_wait,
           "How long timing may wait for CPUs that another run holds, such as 30s or 5min (default: no limit)")
      .value_name("DURATION");
  command.add("--memory", &options.memory, "Memory limit of a case, such as 512M").value_name("BYTES");
  command.add("--cores", &options.cores, "CPUs to measure on, such as 0-3,6 (default: all that this process may use)")
      .value_name("LIST");
  command.add("--reserve-cpus", &options.reserved_cpus, "Leave the lowest N of these CPUs to other programs")
      .value_name("N")
      .range(0, 4096);
  command.add("--retries", &options.retries, "Further attempts after a timeout or a lost host (default: 1 and 2)")
      .range(0, 100);
  command
      .add("--isolation", &options.settings.isolation,
           "fork: run each case in a child of a warm host; process: in a fresh host")
      .shows_default()
      .one_of({"fork", "process"});
  command
      .add("--entropy", &options.entropy,
           "Random bytes that cases get from the system: fixed (the same in every run), or system")
      .shows_default()
      .one_of({"fixed", "system"});
  command
      .add("--time-of-day", &options.time_of_day,
           "What counted cases read of the time of day: system, or fixed (the same in every run)")
      .shows_default()
      .one_of({"fixed", "system"});
  command.add("--denoise", &options.denoise,
              "Also show counts without known interpreter noise (Python; see tally profile --list-rules)");
  command.add("--keep", &options.keep, "Keep the temporary files of the run, and print where they are");
  command.add("--aa", &options.settings.noise_floor,
              "Also measure each case's noise floor: count it under eight harmless perturbations");
  command.add("--cache-sim", &options.settings.cache_sim, "Also simulate caches (changes counts slightly)");
  command.add("--branch-sim", &options.settings.branch_sim,
              "Also simulate branch prediction (changes counts slightly)");
  command
      .add("--call-context", &options.settings.call_context, "Separate functions in profiles by their last N callers")
      .value_name("N")
      .range(0, 50);
  command.add("--cxx", &options.tools.cxx, "C++ compiler to use instead of the toolchain's").value_name("PROGRAM");
  add_environment_options(command, options);
  command
      .add("--images", &options.images,
           "Room for images of warm hosts, from which the next run starts at once, such as 2G; or off (default: 2G)")
      .value_name("SIZE");
  command.add("-q,--quiet", &options.quiet, "Print no progress");
  command.add("-v,--verbose", &options.verbose, "Print each process and measurement").excludes("--quiet");
  add_table_style(command, options.style);
}

void add_column_options(OptionSet& command, RunOptions& options) {
  command
      .add("--columns", &options.columns,
           fmt::format("Columns of the table, with commas between: {} (default: those that have figures)",
                       run_column_names()))
      .value_name("LIST");
  command.add("--sort", &options.sort, "Sort the table by this column; with a dash before it, largest first")
      .value_name("NAME");
}

void add_table_files(OptionSet& command, RunOptions& options) {
  command.add("--csv", &options.csv, "Also write the results as CSV to this file").value_name("FILE");
  command.add("--markdown", &options.markdown, "Also write the table as Markdown to this file").value_name("FILE");
}

void add_server_option(OptionSet& command, RunOptions& options) {
  command
      .add("--server", &options.server,
           "Measure on a running `tally serve`: auto (if there is one), off, or the path of its socket")
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

Result<RunTableView> view_of(const RunOptions& options) {
  RunTableView view{.columns = {}, .sort = options.sort, .denoised = options.denoise};
  if (!options.columns.empty()) {
    for (const std::string_view name : split(options.columns, ',')) view.columns.emplace_back(trim(name));
  }
  if (auto known = check_view(view); !known) return std::unexpected(known.error());
  return view;
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
  // Written so that what is not a number is refused, too.
  if (error != std::errc{} || factor == 0 || !(value >= 0 && value * factor <= kDay)) {
    return fail(ErrorKind::input, fmt::format("'{}' is not a length of time up to a day", text), where,
                "write seconds, or a number with ms, s, min or h: 30s");
  }
  return value * factor;
}

Result<Settings> settings_of(const RunOptions& options) {
  Settings settings = options.settings;
  settings.precision = options.precision_percent / 100;
  if (options.iterations > 0) settings.iterations = options.iterations;
  if (options.timeout_s > 0) settings.timeout_s = options.timeout_s;
  if (options.host_timeout_s != RunOptions{}.host_timeout_s) settings.host_timeout_s = options.host_timeout_s;
  if (options.retries >= 0) settings.retries = options.retries;
  if (!options.max_wait.empty()) {
    const auto seconds = parse_seconds(options.max_wait, "--max-wait");
    if (!seconds) return std::unexpected(seconds.error());
    settings.max_wait_s = *seconds;
  }
  if (options.entropy != RunOptions{}.entropy) settings.entropy = options.entropy;
  if (options.time_of_day != RunOptions{}.time_of_day) settings.time_of_day = options.time_of_day;
  if (!options.memory.empty()) {
    auto memory = parse_bytes(options.memory, "--memory");
    if (!memory) return std::unexpected(memory.error());
    settings.memory_bytes = *memory;
  }
  return settings;
}

}  // namespace tally::cli
