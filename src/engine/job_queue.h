/// The jobs that are still to be run, in order, for each kind of host.
///
/// Owns: the jobs that are not running. Never starts anything. Jobs wait until their case is built; a job that is put
/// back goes before all others, once its time has come. All steps cost the logarithm of the number of jobs, or less on
/// average: with 5,000 cases, looking through one list at every event cost more than measuring.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "hosts/host_spec.h"
#include "process/process.h"
#include "session/outcome.h"
#include "session/perturbation.h"

namespace tally {

struct Job {
  std::size_t index = 0;  ///< Into the cases.
  Mode mode;
  const Perturbation* perturbation = nullptr;  ///< Null: undisturbed.
  bool anew = false;                           ///< One more replicate, of a host that no other job is given,
  bool of_same_host = false;                   ///< or of the case's usual one: a clock says something else each time.
  bool on_device = false;                      ///< Of a case that names no device and has requested one.
  int timeouts = 0;
  int hosts_lost = 0;
  Clock::time_point not_before = {};  ///< Of one that is put back: when it may be taken at the earliest.

  /// It is one of those that a case's count is made of.
  [[nodiscard]] bool counts_undisturbed() const { return mode == Mode::counts && perturbation == nullptr; }
};

class JobQueue {
 public:
  explicit JobQueue(std::size_t cases) : queued_(cases), dropped_(cases) {}

  /// At the end of the order, not to be taken before it is built.
  void add(const HostKind& kind, Job job);
  /// Before all others, to be taken at once, or once it is due (Job::not_before) and released.
  void put_back(const HostKind& kind, Job job);
  /// Lets every job be taken that is due; when the next one is.
  std::optional<Clock::time_point> release_due(Clock::time_point now);

  /// Lets every job be taken whose case is built by now.
  void release(const std::function<bool(std::size_t)>& built);

  /// Forgets the jobs of a case for good; how many there were.
  int drop(std::size_t index);
  /// Holds back the jobs that may be taken and for which `which` is true, until release_held().
  void hold(const std::function<bool(const Job&)>& which);
  /// They may be taken after all.
  void release_held();
  /// Forgets them; the cases that they were of, each once.
  std::vector<std::size_t> drop_held();
  void clear();

  /// The kinds that have a job to take, in the order of their first jobs.
  std::vector<HostKind> kinds();
  /// The first job of a kind, which must be one of kinds().
  [[nodiscard]] const Job& first(const HostKind& kind) const { return lines_.at(kind).ready.begin()->second; }
  Job take(const HostKind& kind);

  /// Whether any job of this kind is left, built or not.
  [[nodiscard]] bool wants(const HostKind& kind);
  /// How many of this kind are left at most: a dropped one may be among them.
  [[nodiscard]] std::size_t left(const HostKind& kind) const;
  [[nodiscard]] bool empty();
  [[nodiscard]] bool dropped(std::size_t index) const { return dropped_[index]; }
  /// How many are queued of a case.
  [[nodiscard]] int queued(std::size_t index) const { return queued_[index]; }

 private:
  struct Line {
    std::map<std::int64_t, Job> ready;    ///< By place in the order.
    std::map<std::int64_t, Job> waiting;  ///< For their build.
    std::map<std::int64_t, Job> early;    ///< Built, and not due yet.
    std::map<std::int64_t, Job> held;     ///< Built, and not to be taken now.
  };
  /// Takes dropped jobs from the front, where they would be seen.
  void prune(Line& line) const;
  [[nodiscard]] static bool has_none(const Line& line);

  std::map<HostKind, Line> lines_;
  std::vector<int> queued_;
  std::vector<bool> dropped_;  ///< Their jobs still lie in the lines, and are skipped.
  std::int64_t last_ = 0;
  std::int64_t first_ = 0;
};

}  // namespace tally
