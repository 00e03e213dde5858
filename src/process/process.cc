#include "process/process.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/text.h"

namespace tally {
namespace {

struct Describer {
  std::string operator()(const Exited& exited) const { return describe(WaitStatus(exited)); }
  std::string operator()(const Signaled& signaled) const { return describe(WaitStatus(signaled)); }
  std::string operator()(const TimedOut& late) const {
    return fmt::format("timed out after {:g} s", std::chrono::duration<double>(late.deadline).count());
  }
  std::string operator()(const Cancelled&) const { return "cancelled"; }
  std::string operator()(const SpawnFailed& failed) const { return describe(failed.error); }
};

bool is_executable_file(const std::string& path) {
  struct stat about{};
  return stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string describe(const Outcome& outcome) { return std::visit(Describer{}, outcome); }

bool succeeded(const ProcessResult& result) {
  const auto* exited = std::get_if<Exited>(&result.outcome);
  return exited != nullptr && exited->code == 0;
}

std::vector<Event> ProcessRunner::wait(std::optional<Clock::time_point> deadline) {
  if (!put_back_.empty()) return std::exchange(put_back_, {});
  return collect(deadline, Fds::watched);
}

void ProcessRunner::put_back(std::vector<Event> events) { std::ranges::move(events, std::back_inserter(put_back_)); }

std::vector<ProcessResult> run_beside(ProcessRunner& runner, std::vector<ProcessRequest> requests) {
  const int interruptions_before = runner.interruptions();
  std::vector<ProcessResult> results(requests.size());
  std::map<ProcessId, std::size_t> running;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Result<ProcessId> id = runner.start(std::move(requests[i]));
    if (id) {
      running.emplace(*id, i);
    } else {
      results[i].outcome = SpawnFailed{id.error()};
    }
  }
  std::vector<Event> others;
  while (!running.empty()) {
    for (Event& event : runner.collect(std::nullopt, ProcessRunner::Fds::ignored)) {
      auto* const finished = std::get_if<Finished>(&event);
      const auto one = finished == nullptr ? running.end() : running.find(finished->id);
      if (one == running.end()) {
        others.push_back(std::move(event));
        continue;
      }
      results[one->second] = std::move(finished->result);
      running.erase(one);
    }
    if (runner.interruptions() == interruptions_before) continue;
    for (const auto& [id, i] : running) runner.cancel(id, CancelMode::at_once);
  }
  runner.put_back(std::move(others));
  return results;
}

ProcessResult run(ProcessRunner& runner, ProcessRequest request) {
  std::vector<ProcessRequest> requests;
  requests.push_back(std::move(request));
  return std::move(run_beside(runner, std::move(requests)).front());
}

std::optional<std::string> find_program(const std::string& name, std::string_view path) {
  if (name.empty()) return std::nullopt;
  if (name.contains('/')) return is_executable_file(name) ? std::optional(name) : std::nullopt;
  for (const std::string_view folder : split(path, ':')) {
    std::string candidate = folder.empty() ? name : fmt::format("{}/{}", folder, name);
    if (is_executable_file(candidate)) return candidate;
  }
  return std::nullopt;
}

}  // namespace tally
