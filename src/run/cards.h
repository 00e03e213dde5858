/// Reads the cards of this machine by nvidia-smi, which is started for it and changes nothing.
///
/// Owns: which cards a run may use (CUDA_VISIBLE_DEVICES; nvidia-smi's numbers), and which notes there are of them,
/// each once. Other devices than "cuda" have no state, and a lock of their kind's name.
#pragma once

#include <map>

#include "engine/cards.h"
#include "process/process.h"

namespace tally {

class NvidiaCards : public Cards {
 public:
  /// `environment` has the PATH and the variables of devices; the runner outlives it.
  NvidiaCards(ProcessRunner& runner, EnvironmentVariables environment)
      : runner_(runner), environment_(std::move(environment)) {}

  std::vector<std::string> locks(std::string_view kind) override;
  std::optional<Card> read(std::string_view kind) override;
  std::vector<std::string> notes(std::string_view kind) override;
  /// Those that the run may use, as they are now.
  std::vector<Card> query();

 private:
  [[nodiscard]] std::string output_of(const std::vector<std::string>& arguments);
  void note_other_users(const std::vector<Card>& cards);

  ProcessRunner& runner_;
  EnvironmentVariables environment_;
  std::optional<std::string> program_;  ///< Once it was looked for; empty: it is not there.
  std::size_t known_ = 0;               ///< Of card_queries(), the first that the driver knows.
  std::map<std::string, std::vector<std::string>, std::less<>> locks_;  ///< By kind.
  std::vector<std::string> notes_;
};

/// A line for each card that nvidia-smi lists; none where it is not there.
std::vector<std::string> describe_cards(ProcessRunner& runner, const EnvironmentVariables& environment);

}  // namespace tally
