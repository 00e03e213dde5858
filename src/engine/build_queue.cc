#include "engine/build_queue.h"

#include <utility>

namespace tally {

Result<bool> BuildQueue::collect() {
  if (!std::exchange(changed_, false)) return false;
  auto tasks = builder_.take_ready();
  if (!tasks) return std::unexpected(tasks.error());
  for (BuildTask& task : *tasks) ready_.push_back(std::move(task));
  return true;
}

std::size_t BuildQueue::leased_cpus() const {
  std::size_t count = 0;
  for (const auto& [id, running] : running_) count += running.lease.cpus().size();
  return count;
}

Status BuildQueue::start_next(CpuLease lease, std::string scratch) {
  BuildTask task = std::move(ready_.front());
  ready_.pop_front();
  task.request.cpus = lease.cpus();
  task.request.scratch = std::move(scratch);
  auto started = runner_.start(std::move(task.request));
  if (started) {
    running_.emplace(*started, Running{task.id, std::move(lease)});
    return {};
  }
  changed_ = true;
  ProcessResult refused;
  refused.outcome = SpawnFailed{started.error()};
  return builder_.finished(task.id, refused);
}

Status BuildQueue::on_finished(const Finished& finished) {
  changed_ = true;
  const auto ended = running_.extract(finished.id);
  return builder_.finished(ended.mapped().task, finished.result);
}

void BuildQueue::stop() {
  for (const auto& [id, running] : running_) runner_.cancel(id, CancelMode::at_once);
  running_.clear();
  ready_.clear();
}

}  // namespace tally
