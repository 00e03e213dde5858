#include "cli/measure.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/assemble.h"
#include "cli/canary.h"
#include "cli/machine.h"
#include "cli/progress.h"
#include "cli/run_settings.h"
#include "execution/engine.h"
#include "execution/environment.h"
#include "execution/host_command.h"
#include "execution/journal.h"
#include "process/interrupts.h"
#include "process/real_runner.h"
#include "profile/callgrind.h"
#include "profile/rules.h"
#include "profile/store.h"
#include "record/json.h"
#include "tally_version.h"

namespace tally::cli {

namespace fs = std::filesystem;

namespace {

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

/// Builds and probes see the user's whole environment; only what is measured is kept small.
struct Surroundings {
  EnvironmentVariables full;
  EnvironmentVariables filtered;
  std::string working_folder;
};

Result<Surroundings> surroundings_of(ProcessRunner& runner, const Context& context, const RunOptions& options) {
  Surroundings surroundings{context.environment, {}, context.working_folder};
  if (!options.env_command.empty()) {
    auto captured = capture_environment(runner, options.env_command, context.environment, context.working_folder);
    if (!captured) return std::unexpected(captured.error());
    surroundings.full = std::move(captured->variables);
    surroundings.working_folder = std::move(captured->working_folder);
  }
  surroundings.filtered = filter_environment(surroundings.full, options.keep_env);
  return surroundings;
}

std::map<std::string, ToolchainHere> resolve_toolchains(ProcessRunner& runner, const Plan& plan,
                                                        const RunOptions& options, const Surroundings& surroundings) {
  std::map<std::string, ToolchainHere> here;
  for (const Toolchain& spec : plan.toolchains) here[spec.name].spec = spec;
  const ResolveContext context{surroundings.full, surroundings.working_folder};
  for (auto& [name, toolchain] : here) {
    if (!options.cxx.empty()) toolchain.spec.cxx = {options.cxx};
    if (!options.python.empty()) toolchain.spec.python = {options.python};
    bool cpp = false;
    bool python = false;
    for (const Case& c : plan.cases) {
      if (c.toolchain != name) continue;
      cpp = cpp || c.language == Language::cpp;
      python = python || c.language == Language::python || c.artifact;
    }
    if (cpp) toolchain.compiler = resolve_compiler(runner, toolchain.spec, context);
    if (python) toolchain.interpreter = resolve_interpreter(runner, toolchain.spec, context);
  }
  return here;
}

/// A compiler, interpreter or environment that the user asked for by name and that does not work is a mistake to be
/// told at once. One that toolchains chose fails its own cases, unless there are no others.
Status check_tools(const std::map<std::string, ToolchainHere>& toolchains, const Plan& plan,
                   const RunOptions& options) {
  const auto broken = [](const auto& tool) { return tool && !*tool; };
  const auto works = [&](const Case& c) {
    const ToolchainHere& here = toolchains.at(c.toolchain);
    const bool python = c.language == Language::python || c.artifact;
    return !(python && broken(here.interpreter)) && !(c.language == Language::cpp && broken(here.compiler));
  };
  const bool some = std::ranges::any_of(plan.cases, works);
  const bool compiler_may_fail = some && options.cxx.empty();
  const bool interpreter_may_fail = some && options.env_command.empty() && options.python.empty();
  const auto mistake = [](Error error) {
    error.kind = ErrorKind::input;
    return std::unexpected(std::move(error));
  };
  for (const auto& [name, here] : toolchains) {
    if (!interpreter_may_fail && broken(here.interpreter)) return mistake(here.interpreter->error());
    if (!compiler_may_fail && broken(here.compiler)) return mistake(here.compiler->error());
  }
  return {};
}

/// What a resumed run must share with the interrupted one.
JournalHeader header_of(const Plan& plan, const Settings& settings, std::size_t perturbations) {
  Digest cases;
  for (const Case& c : plan.cases) cases.add(c.id).add(c.digest);
  Digest how;
  for (const std::string& flag : settings.valgrind_flags) how.add(flag);
  how.add(fmt::format("{} {} {} {} {} {} {} {} {} {} {}", perturbations, settings.repeat, settings.interleave,
                      settings.counts, settings.wall, settings.iterations, settings.replicates, settings.isolation,
                      settings.min_run_time_s, settings.max_run_time_s, settings.precision));
  return {cases.hex(), "\"" + how.hex() + "\""};
}

class Observer final : public ExecutionObserver {
 public:
  Observer(Progress& progress, const Plan& plan, const ExecutionOptions& execution, const MeasureRequest& request,
           Measured& measured)
      : progress_(progress),
        plan_(plan),
        execution_(execution),
        request_(request),
        journal_(measured.journal),
        records_(measured.record.cases),
        places_(measured.places),
        results_(measured.results) {}

  void on_process(const std::string& what, const std::vector<std::string>& argv) override {
    progress_.process(what, argv);
  }
  void on_session(std::size_t index, Mode mode, const std::vector<int>& cpus) override {
    progress_.session(plan_.cases[index].id, mode, cpus);
  }
  std::optional<Clock::time_point> on_time(Clock::time_point now) override {
    return journal_ ? journal_->sync_if_due(now) : std::nullopt;
  }
  void on_planned(Mode mode, std::size_t sessions) override { progress_.plan(mode, sessions); }
  void on_session_end(std::size_t index, Mode mode) override { progress_.session_end(plan_.cases[index].id, mode); }
  void on_waiting(const std::string& why) override { progress_.message(why); }
  void on_warning(const std::string& text) override { progress_.message("warning: " + text); }

  Status on_case(std::size_t index, const CaseOutcome& outcome) override {
    const Case& c = plan_.cases[index];
    records_[index] = assemble(c, outcome, execution_, reproduce(c));
    if (!outcome.profile.empty()) {
      if (auto read = read_profile_of(index, outcome); !read) return read;
    }
    if (outcome.result) results_[index] = outcome.result;
    progress_.finished(c.id, outcome);
    if (!journal_) return {};
    auto place = journal_->append(case_to_json(records_[index]));
    if (!place) return std::unexpected(place.error());
    if (request_.samples_on_disk && records_[index].wall) {
      places_[index] = *place;
      records_[index].wall->replicates_s = std::vector<double>();
      records_[index].wall->samples_per_child = std::vector<std::uint64_t>();
    }
    return {};
  }

 private:
  std::string reproduce(const Case& c) const {
    if (request_.suite.empty()) return {};
    return fmt::format("tally run {} --filter {} --isolation process --keep", shell_quote(request_.suite),
                       shell_quote(c.id));
  }

  /// Every profile is looked through for what a region should not do; it is kept only where profiles were asked for.
  Status read_profile_of(std::size_t index, const CaseOutcome& outcome) {
    auto profile = parse_callgrind(outcome.profile);
    if (!profile) return std::unexpected(profile.error());
    CaseRecord& record = records_[index];
    const FunctionCounts counts = function_counts(*profile, 0, Inclusion::exclusive);
    for (const LintFinding& finding : lint(counts, builtin_lint())) {
      record.warnings.push_back(fmt::format("the region calls {} ({})", finding.function, finding.rule));
    }
    if (record.counts && record.language == "python") {
      const double noise = counts.sum() - denoise(counts, builtin_noise()).sum();
      record.counts->denoised = record.counts->per_iteration - noise / static_cast<double>(record.counts->iterations);
    }
    if (!request_.profiles) return {};
    const std::string name = fmt::format("{}.json", digest(plan_.cases[index].id));
    const StoredProfile stored{compacted(*profile), outcome.counts ? outcome.counts->iterations : 1};
    records_[index].profile = request_.profile_prefix + "/" + name;
    return write_file(fs::path(request_.profile_folder) / name, to_json(stored));
  }

  Progress& progress_;
  const Plan& plan_;
  const ExecutionOptions& execution_;
  const MeasureRequest& request_;
  std::optional<JournalWriter>& journal_;
  std::vector<CaseRecord>& records_;
  std::vector<JournalPlace>& places_;
  std::vector<std::optional<StatementResult>>& results_;
};

/// Opens the journal and takes over what an earlier run has finished.
Status open_journal(const MeasureRequest& request, const JournalHeader& header, std::optional<JournalWriter>& journal,
                    std::vector<CaseRecord>& records, std::vector<bool>& done) {
  if (request.journal.empty()) return {};
  if (request.resume) {
    auto resumed = JournalWriter::resume(request.journal, header);
    if (resumed) {
      for (const std::string& payload : resumed->payloads) {
        auto record = case_from_json(payload, request.journal);
        if (!record) return std::unexpected(record.error());
        for (std::size_t i = 0; i < records.size(); ++i) {
          if (records[i].id != record->id) continue;
          records[i] = *std::move(record);
          done[i] = true;
          break;
        }
      }
      journal.emplace(std::move(resumed->writer));
      return {};
    }
    if (resumed.error().kind != ErrorKind::missing) return std::unexpected(resumed.error());
  }
  auto created = JournalWriter::create(request.journal, header);
  if (!created) return std::unexpected(created.error());
  journal.emplace(*std::move(created));
  return {};
}

/// One execution of each statement that tells what it leaves, and nothing else.
Status examine_only(const Context& context, ExecutionOptions& execution) {
  auto examiner = read_file(context.libexec + "/examiner.py");
  if (!examiner) return std::unexpected(examiner.error());
  execution.counts = execution.wall = false;
  execution.results = true;
  execution.examiner = *std::move(examiner);
  execution.repeat = 1;
  execution.perturbations.clear();
  return {};
}

Result<CpuLeases> open_leases(const RunOptions& options) {
  CpuSet wanted;
  if (!options.cores.empty()) {
    auto parsed = parse_cpu_list(options.cores);
    if (!parsed) return std::unexpected(parsed.error());
    wanted = *parsed;
  }
  auto topology = read_topology(wanted);
  if (!topology) return std::unexpected(topology.error());
  auto folder = CpuLeases::default_folder();
  if (!folder) return std::unexpected(folder.error());
  return CpuLeases::open(*std::move(topology), *folder);
}

}  // namespace

Result<Measured> measure(const Context& context, const RunOptions& options, const MeasureRequest& request,
                         std::ostream& err) {
  const Plan& plan = *request.plan;
  const auto start = std::chrono::steady_clock::now();
  Measured measured;
  Record& record = measured.record;
  record.started = utc_now();

  auto interrupts = Interrupts::install();
  if (!interrupts) return std::unexpected(interrupts.error());
  RealProcessRunner runner(context.libexec + "/tally-supervisor", &*interrupts);
  auto surroundings = surroundings_of(runner, context, options);
  if (!surroundings) return std::unexpected(surroundings.error());
  auto leases = open_leases(options);
  if (!leases) return std::unexpected(leases.error());
  auto execution = execution_options(options);
  if (!execution) return std::unexpected(execution.error());
  auto scratch = TemporaryFolder::make();
  if (!scratch) return std::unexpected(scratch.error());
  execution->environment = surroundings->filtered;
  execution->working_folder = surroundings->working_folder;
  execution->libexec = context.libexec;
  execution->scratch = scratch->path().string();
  if (request.results) {
    if (auto prepared = examine_only(context, *execution); !prepared) return std::unexpected(prepared.error());
  }
  if (execution->counts) {
    const auto valgrind = find_program("valgrind", value_of(surroundings->full, "PATH"));
    if (!valgrind) {
      return fail(ErrorKind::missing, "valgrind is not there, and counting needs it", {},
                  "apt-get install valgrind, or take times alone with --wall-only");
    }
    execution->valgrind = *valgrind;
  }

  const bool live = context.err_is_terminal && !options.verbose;
  const ProgressStyle style = options.quiet ? ProgressStyle::quiet : live ? ProgressStyle::live : ProgressStyle::lines;
  Progress progress(err, style, options.verbose, use_color(context, options.color, context.err_is_terminal),
                    context.width, plan.cases.size());
  auto cache_root =
      default_cache_root(value_of(surroundings->full, "XDG_CACHE_HOME"), value_of(surroundings->full, "HOME"));
  if (!cache_root) return std::unexpected(cache_root.error());
  std::map<std::string, ToolchainHere> toolchains = resolve_toolchains(runner, plan, options, *surroundings);
  import_canary(runner, toolchains, surroundings->filtered, surroundings->working_folder, *cache_root);
  if (auto usable = check_tools(toolchains, plan, options); !usable) return std::unexpected(usable.error());
  for (const auto& [name, here] : toolchains) {
    if (here.compiler && !*here.compiler) progress.message(describe(here.compiler->error()));
    if (here.interpreter && !*here.interpreter) progress.message(describe(here.interpreter->error()));
  }

  for (const Case& c : plan.cases) record.cases.push_back(describe_case(c));
  measured.results.resize(plan.cases.size());
  std::vector<bool> done(plan.cases.size());
  record.settings = settings_of(*execution, options);
  std::optional<JournalWriter>& journal = measured.journal;
  measured.places.resize(plan.cases.size());
  if (auto opened = open_journal(request, header_of(plan, record.settings, execution->perturbations.size()), journal,
                                 record.cases, done);
      !opened) {
    return std::unexpected(opened.error());
  }
  progress.skip(static_cast<std::size_t>(std::ranges::count(done, true)));

  BuildOptions build{.snippet_include = context.libexec + "/include",
                     .artifact_driver = context.libexec + "/make_artifacts.py",
                     .environment = surroundings->full,
                     .examined = request.results};
  Builder builder(Cache(*cache_root), build, toolchains, plan.cases);
  Observer observer(progress, plan, *execution, request, measured);
  Engine engine(runner, *leases, builder, toolchains, plan.cases, *execution, observer);
  const ExecutionResult result = engine.run(done);
  progress.close();

  measured.interrupted = result.interrupted;
  measured.stopped = result.stopped;
  if (Status safe = journal ? journal->sync() : Status{}; !safe && !measured.stopped) measured.stopped = safe.error();
  record.tool.version = TALLY_VERSION;
  record.tool.commit = TALLY_COMMIT;
  record.command = context.command;
  record.machines = {read_machine(static_cast<int>(leases->topology().allowed.size()))};
  const auto facts = common_facts(runner, surroundings->filtered, execution->valgrind);
  for (const auto& [name, here] : toolchains) {
    record.environments[name] = describe_toolchain(runner, here, facts, surroundings->filtered);
  }
  record.fingerprint = combine(record.environments);
  record.finished = utc_now();
  record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (options.keep) {
    scratch->keep();
    progress.message("kept " + scratch->path().string());
  }
  // The journal goes when the record is safe: that is the caller's to do, by removing the file.
  return measured;
}

Status write_json(const Measured& measured, const std::function<Status(std::string_view)>& sink) {
  return write_json(
      measured.record,
      [&](std::size_t i) -> Result<std::string> {
        if (measured.places[i].length == 0) return case_to_json(measured.record.cases[i]);
        return measured.journal->read_back(measured.places[i]);
      },
      sink);
}

}  // namespace tally::cli
