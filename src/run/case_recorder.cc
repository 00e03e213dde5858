#include "run/case_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "engine/jobs.h"
#include "profile/callgrind.h"
#include "profile/rules.h"
#include "profile/store.h"
#include "profile/subtract.h"
#include "record/json.h"
#include "run/assemble.h"
#include "session/case_plan.h"

namespace tally {

namespace {

/// " bench more": each as a shell reads it.
std::string quoted(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += " " + shell_quote(text);
  return all;
}

/// The programs that are measured, and the commands that are named by their whole path.
std::vector<std::string> subjects_of(const Plan& plan) {
  std::vector<std::string> subjects;
  for (const Toolchain& toolchain : plan.toolchains)
    subjects.insert(subjects.end(), toolchain.subject.begin(), toolchain.subject.end());
  for (const Case& one : plan.cases) {
    if (one.command && one.command->run.front().starts_with('/')) subjects.push_back(one.command->run.front());
  }
  return subjects;
}

/// The command that shows a failure again. Empty: there is none.
std::string reproduce(const RunRequest& request, const Case& measured) {
  const std::string again = fmt::format("--filter {} --isolation process --keep", shell_quote(measured.id));
  if (!request.suite.empty()) return fmt::format("tally run {} {}", shell_quote(request.suite), again);
  const Toolchain& toolchain = *std::ranges::find(request.plan->toolchains, measured.toolchain, &Toolchain::name);
  const std::string& program = toolchain.own_host.executable;
  const std::vector<std::string>& arguments = toolchain.own_host.args;
  if (const auto& in_python = toolchain.own_host.python) {
    return fmt::format("tally run --{}{} {}{}{}", in_python->framework, quoted(in_python->paths), again,
                       arguments.empty() ? "" : " --", quoted(arguments));
  }
  const bool is_alike = arguments.empty() && std::filesystem::path(program).filename() == measured.label.front();
  return program.empty() || !is_alike ? "" : fmt::format("tally run --program {} {}", shell_quote(program), again);
}

/// What an earlier run into the same folder has kept of a case: it would pass for this run's where this one has none.
void remove_explanations(const ProfileRequest& profiles, const std::string& id) {
  std::error_code none;
  for (const KeptProbe* probe : probes::kTable) {
    if (!probe->suffix.empty())
      std::filesystem::remove(std::filesystem::path(profiles.folder) / (digest(id) + std::string(probe->suffix)), none);
  }
}

/// Callgrind counts the calls that are made in pauses, too; where the counter counts, it has none of them.
void forget_calls(Profile& profile) {
  if (profile.calls.empty()) return;
  for (Profile::Call& call : profile.calls) call.count = 0;
  profile.notes.emplace_back("counting was paused within the region: how often functions were called is not known");
}

}  // namespace

CaseRecorder::CaseRecorder(const RunRequest& request, std::vector<CaseRecord>& cases, RunObserver& observer,
                           const RecordParts& parts)
    : request_(request),
      cases_(cases),
      observer_(observer),
      parts_(parts),
      lines_(UsersFiles(request.caller.working_folder, subjects_of(*request.plan))) {}

Status CaseRecorder::on_case(std::size_t index, CaseOutcome outcome) {
  const Case& measured = request_.plan->cases[index];
  CaseRecord& record = cases_[index];
  const double precision = case_plan(request_.settings, measured.settings).wall.precision;
  record = assemble(measured, outcome, precision, reproduce(request_, measured));
  if (record.processes && parts_.environments != nullptr)
    parts_.environments->add_digests(*record.processes, *measured.command);
  note_counts(index, outcome);
  if (request_.profiles) remove_explanations(*request_.profiles, record.id);
  auto profile = outcome.profiles.statement.empty() ? std::nullopt : read_profile(record, measured, outcome);
  if (profile && outcome.counted.paused) forget_calls(profile->profile);
  keep_found(record, measured, outcome, profile ? &*profile : nullptr, outcome.profiles.baseline);
  judge_cards(record);
  if (profile) {
    if (const Status kept = keep_profile(record, *std::move(profile), outcome.profiles.baseline); !kept)
      record.warnings.push_back("it has no profile: " + describe(kept.error()));
  }
  if (parts_.reuse != nullptr) parts_.reuse->prove(index, record);
  results_[index] = std::move(outcome.result);
  Status kept = keep(record);
  observer_.on_case(record);
  return kept;
}

KnownCounts CaseRecorder::known_counts(const HostKind& kind, const BuiltFiles& built) {
  if (parts_.reuse == nullptr) return {};
  std::vector<std::size_t> cases;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    const Case& one = request_.plan->cases[i];
    // A continued run has some already.
    if (kind_of({.index = i, .mode = Mode::counts}, one) == kind && !was_tried(cases_[i])) cases.push_back(i);
  }
  return parts_.reuse->decide(cases, built);
}

/// What its counts follow from, whoever took them.
void CaseRecorder::note_counts(std::size_t index, const CaseOutcome& outcome) {
  if (parts_.inputs == nullptr || outcome.ending != Ending::ok || !request_.settings.counts) return;
  CaseRecord& record = cases_[index];
  if (!outcome.counts) {
    if (parts_.reuse != nullptr) parts_.reuse->take_over(index, record);
    return;
  }
  record.inputs = parts_.inputs->of(index, {outcome.built.library, outcome.built.folder}, outcome.loaded);
}

/// Every profile is looked through for what a region should not do; it is to be kept only where profiles were asked
/// for. One that cannot be read or kept is its case's misfortune alone: the count stands without it.
std::optional<StoredProfile> CaseRecorder::read_profile(CaseRecord& record, const Case& measured,
                                                        const CaseOutcome& outcome) {
  auto profile = profile_less(outcome.profiles.statement, outcome.profiles.lead);
  if (!profile) {
    record.warnings.push_back("it has no profile: " + describe(profile.error()));
    return std::nullopt;
  }
  *profile = with_object_names(*profile, names_);
  const FunctionCounts counts = function_counts(*profile, 0, Inclusion::exclusive);
  for (const LintFinding& finding : lint(counts, builtin_lint())) {
    // A device's driver waits, and reads clocks; and a command is there to do such things.
    if (record.on_device || measured.command) break;
    record.warnings.push_back(fmt::format("the region calls {} ({})", finding.function, finding.rule));
  }
  const auto toolchain = std::ranges::find(request_.plan->toolchains, measured.toolchain, &Toolchain::name);
  const std::vector<FunctionRule> rules = noise_rules(*toolchain, measured.language);
  if (record.counts && !rules.empty()) {
    const double noise = counts.sum() - denoise(counts, rules).sum();
    record.counts->denoised = record.counts->per_iteration - noise / static_cast<double>(record.counts->iterations);
  }
  if (!request_.profiles) return std::nullopt;
  return StoredProfile{*std::move(profile), outcome.counts ? outcome.counts->iterations : 1};
}

void CaseRecorder::keep_found(CaseRecord& record, const Case& measured, const CaseOutcome& outcome,
                              StoredProfile* profile, std::string& baseline) {
  ProbeContext context{.measured = measured,
                       .record = record,
                       .profile = profile,
                       .baseline = baseline,
                       .folder = request_.profiles ? request_.profiles->folder : std::string(),
                       .keeps_sources = request_.profiles && request_.profiles->sources,
                       .keeps_traces = request_.profiles && request_.profiles->probes.contains(probes::kKernels),
                       .working_folder = request_.caller.working_folder,
                       .names = names_,
                       .lines = lines_};
  for (const ProbeSample& found : outcome.probed) {
    if (const Status kept = probe_of(found).keep(found, context); !kept)
      record.warnings.push_back(found.probe->warning(describe(kept.error())));
  }
}

Status CaseRecorder::keep_profile(CaseRecord& record, StoredProfile profile, const std::string& baseline) {
  const std::string name = digest(record.id);
  const std::uint64_t iterations = profile.iterations;
  const auto write = [&](StoredProfile one, const char* suffix) {
    one.profile = compacted(one.profile);
    return write_file(std::filesystem::path(request_.profiles->folder) / (name + suffix), to_json(one));
  };
  if (auto written = write(std::move(profile), ".json"); !written) return written;
  if (request_.profiles->baselines) {
    const auto loop = parse_callgrind(baseline);
    if (!loop) return std::unexpected(loop.error());
    if (auto written = write({with_object_names(*loop, names_), iterations}, ".baseline.json"); !written)
      return written;
  }
  if (!request_.profiles->name.empty()) record.profile = request_.profiles->name + "/" + name + ".json";
  return {};
}

Status CaseRecorder::keep(CaseRecord& record) {
  if (parts_.journal == nullptr) return {};
  auto stored = parts_.journal->append(case_to_json(record));
  if (!stored) return std::unexpected(stored.error());
  if (request_.keeps_samples || !record.wall) return {};
  if (!record.wall->replicates_s.empty()) {
    const auto [least, most] = std::ranges::minmax(record.wall->replicates_s);
    stored->least_s = least;
    stored->most_s = most;
  }
  record.wall->replicates_s = std::vector<double>();
  record.wall->samples_per_child = std::vector<std::uint64_t>();
  record.wall->stored = *stored;
  return {};
}

}  // namespace tally
