/// The part of the dialogue with a case child that counts: replicate after replicate until they prove the count. Pure.
#pragma once

#include "session/dialogue_rules.h"

namespace tally {

/// Whether a case's replicates do not prove its count yet.
bool wants_another_replicate(const CountSamples& counts, const CasePlan& plan);

class CountingDialogue {
 public:
  explicit CountingDialogue(const DialogueRules& rules) : rules_(rules) {}

  DialogueAnswer on(const PhaseReady& ready);
  DialogueAnswer on(RegionCounted region);
  void deliver(CaseOutcome& outcome);

 private:
  DialogueAnswer on_replicate(bool own);
  void note_processes(const std::string& dump);
  [[nodiscard]] bool is_last_replicate() const;
  [[nodiscard]] std::uint64_t iterations() const;
  void settle_baseline();

  DialogueRules rules_;
  protocol::Phase phase_ = protocol::Phase::baseline;
  std::string allocator_;
  bool on_device_ = false;  ///< Each of its processes has started the device for itself.
  int threads_ = 1;         ///< The most that it had when a phase was ready.
  bool forks_differ_ = false;
  CountSamples counts_;
  std::uint64_t pauses_ = 0;                            ///< In a region of the statement, the first one.
  std::optional<std::uint64_t> pauses_of_empty_;        ///< In the empty loop's, the first one.
  std::optional<RegionCounted> paused_otherwise_ = {};  ///< An empty loop with another number of pauses.
  std::optional<RegionCounted> lead_ = {};              ///< Subtracted instead of the empty loop.
  std::vector<ProcessCount> processes_;                 ///< Of a command's first replicate.
  std::string difference_;                              ///< What the furthest of others disagrees with it in,
  std::uint64_t distance_ = 0;                          ///< and by how many instructions.
  std::string profile_;
  std::string baseline_profile_;
};

}  // namespace tally
