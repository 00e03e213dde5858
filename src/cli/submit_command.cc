#include "cli/submit_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>

#include "base/files.h"
#include "base/text.h"
#include "cli/merge_command.h"
#include "cli/run_command.h"
#include "process/interrupts.h"
#include "process/real_runner.h"
#include "records/record_files.h"
#include "report/text/run_table.h"
#include "slurm/array.h"

namespace tally::cli {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

constexpr Milliseconds kBetweenLooks{1000};
/// Slurm's commands wait for a controller that is busy or restarts; after that it counts as unavailable.
constexpr Milliseconds kCommandPatience{60'000};
constexpr std::chrono::minutes kSilence{5};

/// One submission: its folder, its jobs, and what has become of its parts.
class Submission {
 public:
  Submission(const Context& context, const SubmitOptions& options, Interrupts& interrupts, std::ostream& err)
      : context_(context),
        options_(options),
        interrupts_(interrupts),
        runner_(context.libexec + "/tally-supervisor"),
        err_(err) {
    std::error_code code;
    output_ = fs::absolute(options.json, code).lexically_normal().string();
    folder_ = output_ + ".parts";
  }

  [[nodiscard]] const std::string& output() const { return output_; }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] const std::vector<std::string>& jobs() const { return jobs_; }
  [[nodiscard]] bool is_interrupted() { return interrupts_.count() > 0; }

  /// The folder with its scripts, empty of parts unless they are to be gone on with.
  Status prepare();
  /// The parts whose records are not there yet.
  [[nodiscard]] std::vector<int> missing() const;
  /// An array of these parts, and the merge after it.
  Status submit(const std::vector<int>& parts);
  /// Until none of our jobs is in the queue, or an interruption comes.
  Status follow();
  Status cancel(const std::vector<std::string>& jobs);
  [[nodiscard]] bool is_merged() const { return fs::exists(folder_ + "/merged"); }

 private:
  Result<std::string> command(std::vector<std::string> argv);
  Result<std::vector<slurm::Task>> queue();
  Result<std::string> sbatch(std::vector<std::string> options, const std::string& script);
  void report(const std::vector<slurm::Task>& tasks);
  void hasten(const std::vector<slurm::Task>& tasks);
  void pause();

  const Context& context_;
  const SubmitOptions& options_;
  Interrupts& interrupts_;
  RealProcessRunner runner_;
  std::ostream& err_;
  std::string output_;
  std::string folder_;
  std::vector<std::string> jobs_;
  std::string reported_;
};

Result<std::string> Submission::command(std::vector<std::string> argv) {
  const std::string name = argv.front();
  ProcessRequest request;
  request.argv = std::move(argv);
  request.environment = context_.environment;
  request.deadline = kCommandPatience;
  request.output_limit = std::size_t{64} << 20;
  const ProcessResult result = run(runner_, std::move(request));
  if (succeeded(result)) return result.out.text();
  if (std::holds_alternative<SpawnFailed>(result.outcome))
    return fail(ErrorKind::missing, name + " is not there", {}, "submit where Slurm's commands are (slurm-client)");
  const std::string said(trim(result.err.text()));
  return fail(ErrorKind::failed, fmt::format("{}: {}", name, said.empty() ? describe(result.outcome) : said));
}

Status Submission::prepare() {
  const slurm::PartsJob job{
      .tally = fs::read_symlink("/proc/self/exe").string(),
      .run_arguments = slurm::run_arguments({context_.command.begin() + 2, context_.command.end()},
                                            {"--parts", "--json", "--resubmissions"},
                                            {"--slurm", "--detach", "--resume", "--per-environment"}),
      .parts = options_.parts,
      .folder = folder_,
      .working_folder = context_.working_folder};
  const std::string script = slurm::part_script(job);
  const auto submitted = read_file(folder_ + "/jobs");
  if (submitted) {
    for (const std::string_view id : split(*submitted, '\n')) {
      if (!id.empty()) jobs_.emplace_back(id);
    }
    const auto tasks = queue();
    if (!tasks) return std::unexpected(tasks.error());
    if (!options_.resume && !tasks->empty()) {
      return fail(ErrorKind::input, fmt::format("is still being measured by Slurm's jobs {}", join(jobs_, ", ")),
                  folder_, fmt::format("follow them with --resume, or end them: scancel {}", join(jobs_, " ")));
    }
    if (options_.resume && read_file(folder_ + "/part.sh").value_or("") != script) {
      return fail(ErrorKind::input, "was submitted with other options, or from another folder", folder_,
                  "submit as before, or anew without --resume");
    }
  }
  std::error_code code;
  if (!options_.resume) {
    jobs_.clear();
    fs::remove_all(folder_, code);
  }
  fs::create_directories(folder_, code);
  if (code) return fail(ErrorKind::io, "cannot create the folder of the parts: " + code.message(), folder_);
  fs::remove(folder_ + "/merged", code);
  if (Status written = write_file(folder_ + "/part.sh", script); !written) return written;
  return write_file(folder_ + "/merge.sh", slurm::merge_script(job, output_, options_.per_environment));
}

std::vector<int> Submission::missing() const {
  std::vector<int> parts;
  for (int i = 1; i <= options_.parts; ++i) {
    if (!fs::exists(slurm::part_path(folder_, i))) parts.push_back(i);
  }
  return parts;
}

Result<std::string> Submission::sbatch(std::vector<std::string> options, const std::string& script) {
  options.insert(options.begin(), {"sbatch", "--parsable"});
  options.insert(options.end(), options_.sbatch.begin(), options_.sbatch.end());
  options.push_back(folder_ + "/" + script);
  const auto printed = command(std::move(options));
  if (!printed) return printed;
  auto job = slurm::job_of(*printed);
  if (job) jobs_.push_back(*job);
  return job;
}

Status Submission::submit(const std::vector<int>& parts) {
  const auto array = sbatch({"--array=" + slurm::array_text(parts), "--requeue", "--open-mode=append",
                             "--job-name=tally", "--output=" + folder_ + "/part-%a.log"},
                            "part.sh");
  if (!array) return std::unexpected(array.error());
  const auto merge = sbatch({"--dependency=afterany:" + *array, "--open-mode=append", "--job-name=tally-merge",
                             "--output=" + folder_ + "/merge.log"},
                            "merge.sh");
  if (!merge) {
    std::ignore = cancel({*array});
    return std::unexpected(merge.error());
  }
  return write_file(folder_ + "/jobs", join(jobs_, "\n") + "\n");
}

Result<std::vector<slurm::Task>> Submission::queue() {
  if (jobs_.empty()) return std::vector<slurm::Task>();
  const auto printed = command({"squeue", "--noheader", "--array", "--jobs=" + join(jobs_, ","),
                                std::string("--format=") + slurm::kQueueFormat});
  if (printed) return slurm::read_queue(*printed);
  // A single job that has left Slurm's memory is an error of squeue's.
  if (printed.error().message.contains("Invalid job id")) return std::vector<slurm::Task>();
  return std::unexpected(printed.error());
}

void Submission::report(const std::vector<slurm::Task>& tasks) {
  if (options_.run.quiet) return;
  const auto running = std::ranges::count(tasks, "RUNNING", &slurm::Task::state);
  std::string text = fmt::format("[{}/{}] parts are measured, {} running",
                                 static_cast<std::size_t>(options_.parts) - missing().size(), options_.parts, running);
  if (text == reported_) return;
  fmt::print(err_, "{}\n", text);
  reported_ = std::move(text);
}

/// What a dead node had is put back and would wait for two more minutes. Unless the user wants to begin later.
void Submission::hasten(const std::vector<slurm::Task>& tasks) {
  const auto begins_later = [](const std::string& option) {
    return option.starts_with("--begin") || option.starts_with("-b");
  };
  if (std::ranges::any_of(options_.sbatch, begins_later)) return;
  for (const slurm::Task& task : tasks) {
    // Where Slurm refuses, it begins when Slurm likes.
    if (slurm::is_delayed(task)) std::ignore = command({"scontrol", "update", "JobId=" + task.id, "StartTime=now"});
  }
}

void Submission::pause() {
  pollfd interrupted{.fd = interrupts_.fd(), .events = POLLIN, .revents = 0};
  ::poll(&interrupted, 1, static_cast<int>(kBetweenLooks.count()));
}

Status Submission::follow() {
  for (auto answered = Clock::now(); !is_interrupted(); pause()) {
    const auto tasks = queue();
    if (!tasks) {
      if (Clock::now() - answered >= kSilence) return std::unexpected(tasks.error());
      continue;
    }
    answered = Clock::now();
    report(*tasks);
    std::vector<std::string> held;
    for (const slurm::Task& task : *tasks) {
      if (slurm::is_held(task)) held.push_back(task.id);
    }
    if (!held.empty()) {
      fmt::print(err_, "tally: Slurm holds {}, which it could not launch: they are submitted again\n",
                 join(held, ", "));
      if (Status cancelled = cancel(held); !cancelled) return cancelled;
    }
    hasten(*tasks);
    if (tasks->empty()) return {};
  }
  return {};
}

Status Submission::cancel(const std::vector<std::string>& jobs) {
  std::vector<std::string> argv = {"scancel"};
  argv.insert(argv.end(), jobs.begin(), jobs.end());
  const auto cancelled = command(std::move(argv));
  return cancelled ? Status() : std::unexpected(cancelled.error());
}

Status check_usage(const SubmitOptions& options) {
  if (!options.slurm) return fail(ErrorKind::input, "the destination is missing", {}, "write --slurm");
  if (!options.run.shard.empty())
    return fail(ErrorKind::input, "parts are dealt out by submit itself", "--shard", "take it away");
  if (Status fine = check_outputs({options.json}); !fine) return fine;
  if (!is_beside_file(options.json))
    return fail(ErrorKind::input, "the record must be a file", "--json", "give it a path");
  return {};
}

/// Submits what is missing, and again what was lost, as often as that may be.
Status measure_parts(Submission& submission, const SubmitOptions& options, std::ostream& err) {
  for (int round = 0; round <= options.resubmissions; ++round) {
    const std::vector<int> missing = submission.missing();
    if (missing.empty() || submission.is_interrupted()) return {};
    if (round > 0) fmt::print(err, "tally: lost and submitted again: {}\n", ranges_text(missing));
    if (Status submitted = submission.submit(missing); !submitted) return submitted;
    if (Status followed = submission.follow(); !followed) return followed;
  }
  const std::vector<int> missing = submission.missing();
  if (missing.empty()) return {};
  return fail(ErrorKind::failed,
              fmt::format("{} {} not measured in {} submissions", missing.size() == 1 ? "part" : "parts",
                          ranges_text(missing) + (missing.size() == 1 ? " was" : " were"), options.resubmissions + 1),
              fmt::format("{}/part-{}.log", submission.folder(), missing.front()),
              "see why in that file, then run again with --resume");
}

int print_merged(const Context& context, const SubmitOptions& options, const std::string& output, std::ostream& out,
                 std::ostream& err) {
  auto record = load_record(output);
  if (!record) return report_error(record.error(), err);
  RunResult result;
  result.record = *std::move(record);
  const auto view = view_of(options.run);
  if (!view) return report_error(view.error(), err);
  out << render_run_table(result.record, rendering(context, options.run.style), *view);
  return exit_code_of(result);
}

}  // namespace

void add_submit_options(OptionSet& command, SubmitOptions& options) {
  add_suite_source(command, options.source);
  command.add("SBATCH", &options.sbatch, "Options for sbatch, after --; used for every part and for the merge");
  command.add("--slurm", &options.slurm, "Submit to Slurm, as a job array (required)");
  command.add("--parts", &options.parts, "Number of parts").value_name("N").range(1, kMostShards).required();
  command.add("--json", &options.json, "Write the record here; the parts lie in FILE.parts, which every node must see")
      .value_name("FILE")
      .required();
  command.add("--detach", &options.detach, "Return after submitting; --resume follows the jobs later");
  command.add("--resume", &options.resume, "Follow submitted jobs, and submit lost parts again");
  command.add("--resubmissions", &options.resubmissions, "How many times to submit lost parts again")
      .shows_default()
      .range(0, 100);
  command.add("--per-environment", &options.per_environment,
              "Allow nodes with different environments, as in tally merge");
  command.add("--profiles", &options.profiles,
              "Keep a profile of each case beside the record, for explain, profile and report");
  add_repository_options(command, options.source);
  add_selection_options(command, options.run);
  add_run_options(command, options.run);
}

int run_submit(const Context& context, const SubmitOptions& options, std::ostream& out, std::ostream& err) {
  if (Status usage = check_usage(options); !usage) return report_error(usage.error(), err);
  // What is wrong with the suite or its options is known here, and not in a log on a node.
  auto suite = definitions_of(context, options.source, options.run);
  if (!suite) return report_error(suite.error(), err);
  if (auto plan = plan_of(*suite, options.run); !plan) return report_error(plan.error(), err);
  if (auto settings = settings_of(options.run); !settings) return report_error(settings.error(), err);
  auto interrupts = Interrupts::install();
  if (!interrupts) return report_error(interrupts.error(), err);
  Submission submission(context, options, *interrupts, err);
  if (Status ready = submission.prepare(); !ready) return report_error(ready.error(), err);
  if (options.detach) {
    if (Status submitted = submission.submit(submission.missing()); !submitted)
      return report_error(submitted.error(), err);
    fmt::print(out, "submitted as {}; the record will be {}\n", join(submission.jobs(), ", "), submission.output());
    return kFine;
  }
  // What was submitted before is resumed first.
  Status measured = submission.follow();
  if (measured) measured = measure_parts(submission, options, err);
  if (submission.is_interrupted()) {
    std::ignore = submission.cancel(submission.jobs());
    fmt::print(err, "tally: interrupted, and its jobs are cancelled; run again with --resume to continue\n");
    return kInterrupted;
  }
  if (!measured) return report_error(measured.error(), err);
  if (!submission.is_merged()) {
    MergeCommandOptions merging{
        .parts = {}, .output = submission.output(), .partial = false, .per_environment = options.per_environment};
    for (int i = 1; i <= options.parts; ++i) merging.parts.push_back(slurm::part_path(submission.folder(), i));
    std::ostream nowhere(nullptr);
    if (const int code = run_merge(context, merging, nowhere, err); code != kFine) return code;
  }
  return print_merged(context, options, submission.output(), out, err);
}

}  // namespace tally::cli
