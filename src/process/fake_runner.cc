#include "process/fake_runner.h"

#include <fmt/format.h>

#include <algorithm>

namespace tally {

void FakeProcessRunner::inject(Event event, Milliseconds after) { coming_.emplace(now_ + after, std::move(event)); }

Result<ProcessId> FakeProcessRunner::start(ProcessRequest request) {
  if (scripts_.empty()) {
    return fail(ErrorKind::internal, fmt::format("no script for process {}", started.size() + 1),
                request.argv.empty() ? "" : request.argv[0]);
  }
  ScriptedProcess script = std::move(scripts_.front());
  scripts_.pop_front();
  const std::optional<Milliseconds> deadline = request.deadline;
  started.push_back(std::move(request));
  if (script.refused) return std::unexpected(*script.refused);
  if (deadline && script.takes > *deadline) {
    script.takes = *deadline;
    script.result.outcome = TimedOut{*deadline};
  }
  script.result.wall = script.takes;
  const ProcessId id{++last_id_};
  inject(Finished{id, std::move(script.result)}, script.takes);
  return id;
}

void FakeProcessRunner::cancel(ProcessId id, CancelMode mode) {
  cancelled.emplace_back(id, mode);
  for (auto coming = coming_.begin(); coming != coming_.end(); ++coming) {
    const auto* finished = std::get_if<Finished>(&coming->second);
    if (finished == nullptr || finished->id != id) continue;
    ProcessResult result = finished->result;
    result.outcome = Cancelled{};
    coming_.erase(coming);
    inject(Finished{id, std::move(result)});
    return;
  }
}

std::optional<int> FakeProcessRunner::pid_of(ProcessId id) const {
  for (const auto& [when, event] : coming_) {
    const auto* finished = std::get_if<Finished>(&event);
    if (finished != nullptr && finished->id == id) return 100'000 + static_cast<int>(id);
  }
  return std::nullopt;
}

std::vector<Event> FakeProcessRunner::collect(std::optional<Clock::time_point> deadline, Fds fds) {
  const auto is_wanted = [&](const Event& event) {
    return fds == Fds::watched || std::holds_alternative<Finished>(event) || std::holds_alternative<Interrupted>(event);
  };
  std::vector<Event> events;
  for (auto coming = coming_.begin(); coming != coming_.end();) {
    if (deadline && coming->first > *deadline) break;
    if (!events.empty() && coming->first > now_) break;  // The next answer's.
    if (!is_wanted(coming->second)) {
      ++coming;
      continue;
    }
    now_ = std::max(now_, coming->first);
    if (const auto* interrupted = std::get_if<Interrupted>(&coming->second)) interruptions_ = interrupted->count;
    // The variant's order is the order of the contract: interruptions, descriptors, ends.
    const auto place = std::ranges::upper_bound(events, coming->second.index(), {}, &Event::index);
    events.insert(place, std::move(coming->second));
    coming = coming_.erase(coming);
  }
  if (events.empty() && deadline) now_ = std::max(now_, *deadline);
  return events;
}

}  // namespace tally
