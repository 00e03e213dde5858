/// Reads the cards of this machine by nvidia-smi, which is started for it and changes nothing.
///
/// Owns: which cards a run may use (CUDA_VISIBLE_DEVICES; nvidia-smi's numbers), which fields their driver knows, and
/// which notes there are of them, each once. An nvidia-smi that has not ended after 10 s is not started again. Other
/// devices than "cuda" have no state, and a lock of their kind's name.
#pragma once

#include "engine/cards.h"
#include "process/process.h"

namespace tally {

class NvidiaCards : public Cards {
 public:
  /// `environment` has the PATH and the variables of devices; the runner outlives it.
  NvidiaCards(ProcessRunner& runner, EnvironmentVariables environment)
      : runner_(runner), environment_(std::move(environment)) {}
  NvidiaCards(const NvidiaCards&) = delete;
  NvidiaCards& operator=(const NvidiaCards&) = delete;
  ~NvidiaCards() override { give_up(); }

  std::optional<std::vector<std::string>> locks(std::string_view kind) override;
  void read(std::string_view kind) override;
  std::optional<std::vector<Card>> take() override;
  bool on_finished(const Finished& finished) override;
  void give_up() override;
  std::vector<std::string> notes() override;

 private:
  /// What nvidia-smi was started for.
  enum class Question { cards, users, state };
  struct Asked {
    ProcessId id{};
    Question question{};
  };

  void ask_for_cards(Question question);
  void ask(Question question, std::vector<std::string> arguments);
  void answer(Question question, std::string_view text);
  void set_locks(const std::vector<Card>& cards);
  void note_other_users(std::string_view text);

  ProcessRunner& runner_;
  EnvironmentVariables environment_;
  std::optional<std::string> program_;  ///< Once it was looked for; empty: it is not there, or does not answer.
  std::optional<Asked> asked_;
  std::size_t fields_ = 0;  ///< Of card_queries(), the first that the driver knows; past the last one: none.
  bool fields_are_known_ = false;
  std::vector<Card> cards_;                        ///< Whose locks are taken.
  std::optional<std::vector<std::string>> locks_;  ///< Of NVIDIA's, once they are known.
  std::optional<std::vector<Card>> read_;
  std::vector<std::string> notes_;
};

/// A line for each card that nvidia-smi lists; none where it is not there. Waits for it.
std::vector<std::string> describe_cards(ProcessRunner& runner, const EnvironmentVariables& environment);

}  // namespace tally
