#include "engine/job_queue.h"

#include <algorithm>
#include <set>
#include <utility>

namespace tally {

void JobQueue::add(const HostKind& kind, Job job) {
  ++queued_[job.index];
  lines_[kind].waiting.emplace(++last_, job);
}

void JobQueue::put_back(const HostKind& kind, Job job) {
  ++queued_[job.index];
  Line& line = lines_[kind];
  (job.not_before == Clock::time_point() ? line.ready : line.early).emplace(--first_, job);
}

std::optional<Clock::time_point> JobQueue::release_due(Clock::time_point now) {
  std::optional<Clock::time_point> next;
  for (auto& [kind, line] : lines_) {
    for (auto at = line.early.begin(); at != line.early.end();) {
      const auto current = at++;
      const Clock::time_point due = current->second.not_before;
      if (dropped_[current->second.index]) {
        line.early.erase(current);
      } else if (due <= now) {
        line.ready.insert(line.early.extract(current));
      } else {
        next = std::min(next.value_or(due), due);
      }
    }
  }
  return next;
}

void JobQueue::release(const std::function<bool(std::size_t)>& built) {
  for (auto& [kind, line] : lines_) {
    for (auto at = line.waiting.begin(); at != line.waiting.end();) {
      const auto current = at++;
      if (dropped_[current->second.index]) {
        line.waiting.erase(current);
      } else if (built(current->second.index)) {
        line.ready.insert(line.waiting.extract(current));
      }
    }
  }
}

int JobQueue::drop(std::size_t index) {
  dropped_[index] = true;
  return std::exchange(queued_[index], 0);
}

void JobQueue::hold(const std::function<bool(const Job&)>& which) {
  for (auto& [kind, line] : lines_) {
    for (auto at = line.ready.begin(); at != line.ready.end();) {
      const auto current = at++;
      if (which(current->second)) line.held.insert(line.ready.extract(current));
    }
  }
}

void JobQueue::release_held() {
  for (auto& [kind, line] : lines_) line.ready.merge(line.held);
}

std::vector<std::size_t> JobQueue::drop_held() {
  std::set<std::size_t> of;
  for (auto& [kind, line] : lines_) {
    for (const auto& [place, job] : std::exchange(line.held, {})) {
      if (dropped_[job.index]) continue;
      --queued_[job.index];
      of.insert(job.index);
    }
  }
  return {of.begin(), of.end()};
}

void JobQueue::clear() {
  lines_.clear();
  std::ranges::fill(queued_, 0);
}

void JobQueue::prune(Line& line) const {
  for (auto* jobs : {&line.ready, &line.waiting, &line.early, &line.held}) {
    while (!jobs->empty() && dropped_[jobs->begin()->second.index]) jobs->erase(jobs->begin());
  }
}

bool JobQueue::has_none(const Line& line) {
  return line.ready.empty() && line.waiting.empty() && line.early.empty() && line.held.empty();
}

std::vector<HostKind> JobQueue::kinds() {
  std::vector<std::pair<std::int64_t, const HostKind*>> order;
  for (auto& [kind, line] : lines_) {
    prune(line);
    if (!line.ready.empty()) order.emplace_back(line.ready.begin()->first, &kind);
  }
  std::ranges::sort(order);
  std::vector<HostKind> kinds;
  kinds.reserve(order.size());
  for (const auto& [place, kind] : order) kinds.push_back(*kind);
  return kinds;
}

Job JobQueue::take(const HostKind& kind) {
  Line& line = lines_.at(kind);
  prune(line);
  const Job job = line.ready.begin()->second;
  line.ready.erase(line.ready.begin());
  --queued_[job.index];
  return job;
}

bool JobQueue::wants(const HostKind& kind) {
  const auto line = lines_.find(kind);
  if (line == lines_.end()) return false;
  prune(line->second);
  return !has_none(line->second);
}

std::size_t JobQueue::left(const HostKind& kind) const {
  const auto line = lines_.find(kind);
  if (line == lines_.end()) return 0;
  return line->second.ready.size() + line->second.waiting.size() + line->second.early.size() + line->second.held.size();
}

bool JobQueue::empty() {
  return std::ranges::all_of(lines_, [this](auto& entry) {
    prune(entry.second);
    return has_none(entry.second);
  });
}

}  // namespace tally
