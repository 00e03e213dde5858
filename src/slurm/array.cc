#include "slurm/array.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/contains.h"
#include "base/text.h"

namespace tally::slurm {

std::string part_path(const std::string& folder, int part) { return fmt::format("{}/part-{}.json", folder, part); }

namespace {

std::string quoted(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += " " + shell_quote(word);
  return text;
}

}  // namespace

std::string part_script(const PartsJob& job) {
  // The number of parts is written out: a task that is submitted again alone is one of an array of one.
  return fmt::format(
      R"(#!/bin/sh
# One part of a plan, as a task of a job array. Written by tally submit.
cd {working_folder} || exit 2
part={folder}/part-$SLURM_ARRAY_TASK_ID
measure() {{
  {tally} run{arguments} --shard "$SLURM_ARRAY_TASK_ID/{parts}" --json "$part.run.json" "$@"
}}
# Slurm puts a task back that it has lost sight of, though it may have finished.
[ -e "$part.json" ] && exit 0
measure --resume
code=$?
# What was measured before this task was put back came from another kind of node.
if [ $code -eq 2 ] && [ -e "$part.run.json.journal" ]; then
  measure
  code=$?
fi
if [ $code -le 1 ] && [ -e "$part.run.json" ] && [ ! -e "$part.run.json.journal" ]; then
  mv "$part.run.json" "$part.json" && exit 0
fi
exit $code
)",
      fmt::arg("working_folder", shell_quote(job.working_folder)), fmt::arg("folder", shell_quote(job.folder)),
      fmt::arg("tally", shell_quote(job.tally)), fmt::arg("arguments", quoted(job.run_arguments)),
      fmt::arg("parts", job.parts));
}

std::string merge_script(const PartsJob& job, const std::string& output, bool per_environment) {
  return fmt::format(
      R"(#!/bin/sh
# Joins the parts of a plan when their job array has ended. Written by tally submit.
cd {folder} || exit 2
{tally} merge part-*[0-9].json -o {output}{more} && : >merged
)",
      fmt::arg("folder", shell_quote(job.folder)), fmt::arg("tally", shell_quote(job.tally)),
      fmt::arg("output", shell_quote(output)), fmt::arg("more", per_environment ? " --per-environment" : ""));
}

std::string array_text(const std::vector<int>& parts) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < parts.size();) {
    std::size_t end = i;
    while (end + 1 < parts.size() && parts[end + 1] == parts[end] + 1) ++end;
    ranges.push_back(end == i ? fmt::format("{}", parts[i]) : fmt::format("{}-{}", parts[i], parts[end]));
    i = end + 1;
  }
  return join(ranges, ",");
}

Result<std::string> job_of(std::string_view printed) {
  const std::string_view id = trim(printed.substr(0, printed.find(';')));
  if (!id.empty() && std::ranges::all_of(id, [](char c) { return c >= '0' && c <= '9'; })) return std::string(id);
  return fail(ErrorKind::failed, fmt::format("sbatch printed '{}' where the number of a job was to come", printed));
}

Result<std::vector<Task>> read_queue(std::string_view printed) {
  std::vector<Task> tasks;
  for (const std::string_view line : split(printed, '\n')) {
    if (trim(line).empty()) continue;
    const std::vector<std::string_view> fields = split(line, '|');
    if (fields.size() < 4)
      return fail(ErrorKind::failed, fmt::format("squeue printed '{}', which says nothing of a task", line));
    Task task{.id = std::string(trim(fields[0])),
              .part = 0,
              .state = std::string(trim(fields[2])),
              .reason = std::string(trim(fields[3]))};
    const std::string_view part = trim(fields[1]);
    std::from_chars(part.data(), part.data() + part.size(), task.part);
    if (task.part > 0) task.id += fmt::format("_{}", task.part);
    tasks.push_back(std::move(task));
  }
  return tasks;
}

bool is_held(const Task& task) {
  return task.state == "PENDING" && (task.reason.contains("held") || task.reason.contains("Held"));
}

bool is_delayed(const Task& task) { return task.state == "PENDING" && task.reason == "BeginTime"; }

std::vector<std::string> run_arguments(const std::vector<std::string>& arguments,
                                       const std::vector<std::string>& with_value,
                                       const std::vector<std::string>& flags) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string name = arguments[i].substr(0, arguments[i].find('='));
    if (contains(flags, name)) continue;
    if (contains(with_value, name)) {
      if (name == arguments[i]) ++i;
      continue;
    }
    kept.push_back(arguments[i]);
  }
  return kept;
}

}  // namespace tally::slurm
