#include "run/case_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "execution/case_plan.h"
#include "execution/jobs.h"
#include "execution/traceback.h"
#include "profile/allocation_sites.h"
#include "profile/allocation_trace.h"
#include "profile/callgrind.h"
#include "profile/python_functions.h"
#include "profile/rules.h"
#include "profile/store.h"
#include "record/json.h"
#include "run/allocation_names.h"
#include "run/assemble.h"

namespace tally {

namespace {

/// What is measured, as a command takes it: the suite, or the program where there is none. Empty: no command does.
std::string source_of(const RunRequest& request, const Case& measured) {
  if (!request.suite.empty()) return shell_quote(request.suite);
  const auto toolchain = std::ranges::find(request.plan->toolchains, measured.toolchain, &Toolchain::name);
  const std::string& program = toolchain->program;
  const bool is_alike =
      toolchain->program_args.empty() && std::filesystem::path(program).filename() == measured.label.front();
  return program.empty() || !is_alike ? std::string() : "--program " + shell_quote(program);
}

std::string reproduce(const RunRequest& request, const Case& measured) {
  const std::string source = source_of(request, measured);
  if (source.empty()) return {};
  return fmt::format("tally run {} --filter {} --isolation process --keep", source, shell_quote(measured.id));
}

/// What an earlier run into the same folder has kept of a case: it would pass for this run's where this one has none.
void remove_explanations(const ProfileRequest& profiles, const std::string& id) {
  std::error_code none;
  for (const char* ending : {".python.json", ".allocations.json"})
    std::filesystem::remove(std::filesystem::path(profiles.folder) / (digest(id) + ending), none);
}

/// Callgrind counts the calls that are made in pauses, too.
void forget_calls(Profile& profile) {
  for (Profile::Call& call : profile.calls) call.count = 0;
  profile.notes.emplace_back("counting was paused within the region: how often functions were called is not known");
}

/// A host's place in a case's own text as the suite's: its functions are nested in one of ours.
void name_place(PythonPlace& place, const std::vector<Snippet>& parts) {
  constexpr std::string_view kCase = "<case>";
  constexpr std::string_view kNested = "<case>.<locals>.";
  if (place.file != "<tally>") return;
  const SourcePosition at = place_of(static_cast<int>(place.line), parts);
  place.file = at.line > 0 ? at.file : "generated code";
  place.line = at.line > 0 ? static_cast<std::uint64_t>(at.line) : 0;
  if (place.function == kCase) place.function = "statement";
  if (place.function.starts_with(kNested)) place.function.erase(0, kNested.size());
}

}  // namespace

Status CaseRecorder::on_case(std::size_t index, CaseOutcome outcome) {
  const Case& measured = request_.plan->cases[index];
  CaseRecord& record = cases_[index];
  const double precision = case_plan(request_.settings, measured.settings).wall.precision;
  record = assemble(measured, outcome, precision, reproduce(request_, measured));
  note_counts(index, outcome);
  if (request_.profiles) remove_explanations(*request_.profiles, record.id);
  if (!outcome.profile.empty()) read_profile(record, measured, outcome);
  if (outcome.allocation_sites) keep_sites(record, measured, outcome);
  if (outcome.python_functions) keep_python(record, measured, *std::move(outcome.python_functions));
  if (reuse_ != nullptr) reuse_->prove(index, record);
  results_[index] = std::move(outcome.result);
  Status kept = keep(record);
  observer_.on_case(record);
  return kept;
}

KnownCounts CaseRecorder::known_counts(const HostKind& kind, const BuiltFiles& built) {
  if (reuse_ == nullptr) return {};
  std::vector<std::size_t> cases;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    const Case& one = request_.plan->cases[i];
    // A continued run has some already.
    if (kind_of({.index = i, .mode = Mode::counts}, one) == kind && !was_tried(cases_[i])) cases.push_back(i);
  }
  return reuse_->decide(cases, built);
}

/// What its counts follow from, whoever took them.
void CaseRecorder::note_counts(std::size_t index, const CaseOutcome& outcome) {
  if (inputs_ == nullptr || outcome.ending != Ending::ok || !request_.settings.counts) return;
  CaseRecord& record = cases_[index];
  if (!outcome.counts) {
    if (reuse_ != nullptr) reuse_->take_over(index, record);
    return;
  }
  record.inputs = inputs_->of(index, {outcome.library, outcome.artifact}, outcome.loaded);
}

/// Every profile is looked through for what a region should not do; it is kept only where profiles were asked for. One
/// that cannot be read or kept is its case's misfortune alone: the count stands without it.
void CaseRecorder::read_profile(CaseRecord& record, const Case& measured, const CaseOutcome& outcome) {
  const auto without = [&](const Error& error) { record.warnings.push_back("it has no profile: " + describe(error)); };
  auto profile = parse_callgrind(outcome.profile);
  if (!profile) return without(profile.error());
  *profile = with_object_names(*profile, names_);
  const FunctionCounts counts = function_counts(*profile, 0, Inclusion::exclusive);
  for (const LintFinding& finding : lint(counts, builtin_lint())) {
    record.warnings.push_back(fmt::format("the region calls {} ({})", finding.function, finding.rule));
  }
  const auto toolchain = std::ranges::find(request_.plan->toolchains, measured.toolchain, &Toolchain::name);
  const std::vector<FunctionRule> rules = noise_rules(*toolchain, measured.language);
  if (record.counts && !rules.empty()) {
    const double noise = counts.sum() - denoise(counts, rules).sum();
    record.counts->denoised = record.counts->per_iteration - noise / static_cast<double>(record.counts->iterations);
  }
  if (!request_.profiles) return;
  if (outcome.paused) forget_calls(*profile);
  const std::string name = digest(measured.id) + ".json";
  const std::uint64_t iterations = outcome.counts ? outcome.counts->iterations : 1;
  const auto store = [&](const Profile& one, const std::string& file, std::optional<LineCosts> lines = {}) {
    return write_file(std::filesystem::path(request_.profiles->folder) / file,
                      to_json({compacted(one), iterations, std::move(lines)}));
  };
  auto lines = lines_of(record, measured, outcome);
  if (lines && lines->total() != profile->totals.front()) {
    profile->notes.push_back(
        fmt::format("its source lines have {} instructions, and its functions {}: they were found by "
                    "two executions",
                    lines->total(), profile->totals.front()));
  }
  if (const auto written = store(*profile, name, std::move(lines)); !written) return without(written.error());
  if (request_.profiles->baselines) {
    const auto baseline = parse_callgrind(outcome.baseline_profile);
    if (!baseline) return without(baseline.error());
    if (const auto written = store(with_object_names(*baseline, names_), digest(measured.id) + ".baseline.json");
        !written)
      return without(written.error());
  }
  if (!request_.profiles->name.empty()) record.profile = request_.profiles->name + "/" + name;
}

std::optional<LineCosts> CaseRecorder::lines_of(CaseRecord& record, const Case& measured, const CaseOutcome& outcome) {
  if (!outcome.instructions) return std::nullopt;
  auto lines = lines_.of(measured, outcome.instructions->profile);
  const Status kept = !lines ? Status(std::unexpected(lines.error()))
                      : !request_.profiles->sources
                          ? Status()
                          : lines_.keep(*lines, measured, request_.caller.working_folder,
                                        std::filesystem::path(request_.profiles->folder) / sources_folder);
  if (!kept) record.warnings.push_back("its source lines are not known: " + describe(kept.error()));
  return lines ? std::optional(*std::move(lines)) : std::nullopt;
}

void CaseRecorder::keep_sites(CaseRecord& record, const Case& measured, const CaseOutcome& outcome) {
  auto trace = parse_allocation_trace(outcome.allocation_sites->trace);
  if (trace && measured.language == Language::python) {
    const std::vector<Snippet> parts = python_parts(measured);
    for (auto& site : trace->sites) name_place(site.python, parts);
  }
  const auto kept =
      !trace ? Status(std::unexpected(trace.error()))
             : write_file(std::filesystem::path(request_.profiles->folder) / (digest(record.id) + ".allocations.json"),
                          to_json(AllocationSites{.iterations = outcome.allocation_sites->iterations,
                                                  .sites = named_sites(*trace, names_),
                                                  .lost = trace->lost}));
  if (!kept) record.warnings.push_back("where it allocates is not known: " + describe(kept.error()));
}

void CaseRecorder::keep_python(CaseRecord& record, const Case& measured, PythonFunctionsSample sample) {
  const auto without = [&](const Error& error) {
    record.warnings.push_back("its Python functions are not known: " + describe(error));
  };
  const std::vector<Snippet> parts = python_parts(measured);
  for (PythonFunction& function : sample.calls.functions) {
    PythonPlace place{.file = function.file, .function = function.name, .line = function.line};
    name_place(place, parts);
    function = {.name = std::move(place.function), .file = std::move(place.file), .line = place.line};
  }
  const auto observed = parse_callgrind(sample.profile);
  if (!observed) return without(observed.error());
  auto read = python_profile(*observed, sample.calls, sample.loop);
  if (!read) return without(read.error());
  if (record.counts && record.counts->per_iteration > 0) {
    const double seen = static_cast<double>(read->profile.totals.front()) / static_cast<double>(sample.iterations);
    const double more = seen / record.counts->per_iteration - 1;
    constexpr double kNothing = 0.0005;
    if (std::abs(more) > kNothing) {
      read->profile.notes.push_back(fmt::format(
          "{:.2g} % more instructions than are counted: the interpreter inlines no call that is observed", 100 * more));
    }
  }
  const auto path = std::filesystem::path(request_.profiles->folder) / (digest(record.id) + ".python.json");
  const auto kept = write_file(path, to_json({compacted(read->profile), sample.iterations}));
  if (!kept) without(kept.error());
}

Status CaseRecorder::keep(CaseRecord& record) {
  if (!journal_) return {};
  auto stored = journal_->append(case_to_json(record));
  if (!stored) return std::unexpected(stored.error());
  if (request_.keeps_samples || !record.wall) return {};
  record.wall->replicates_s = std::vector<double>();
  record.wall->samples_per_child = std::vector<std::uint64_t>();
  record.wall->stored = *stored;
  return {};
}

}  // namespace tally
