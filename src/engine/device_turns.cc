#include "engine/device_turns.h"

#include <utility>

namespace tally {

bool DeviceTurns::knows_cards(const std::string& kind) {
  if (cards_ == nullptr) return true;
  const bool known = cards_->locks(kind).has_value();
  note();
  return known;
}

std::vector<std::string> DeviceTurns::locks(const std::string& kind) const {
  if (cards_ == nullptr) return {};
  return cards_->locks(kind).value_or(std::vector<std::string>());
}

void DeviceTurns::begin(DeviceTurn turn, const std::string& kind) {
  turn_ = std::move(turn);
  cards_->read(kind);
  on_read();
}

std::optional<DeviceTurn> DeviceTurns::take() {
  if (!turn_ || !turn_->cards) return std::nullopt;
  return std::exchange(turn_, std::nullopt);
}

void DeviceTurns::end(RunningSession& session, const std::string& kind) {
  session.reads_cards = !session.cards_before.empty() && session.session->ending() == Ending::ok;
  if (!session.reads_cards) {
    session.lease = {};
    return;
  }
  ended_ = &session;
  cards_->read(kind);
  on_read();
}

bool DeviceTurns::on_finished(const Finished& finished) {
  if (cards_ == nullptr || !cards_->on_finished(finished)) return false;
  on_read();
  return true;
}

void DeviceTurns::give_up() {
  turn_.reset();
  if (cards_ == nullptr) return;
  cards_->give_up();
  on_read();
}

void DeviceTurns::leave() {
  if (turn_) give_up();
}

void DeviceTurns::note() {
  for (const std::string& note : cards_->notes()) observer_.on_warning(note);
}

/// Who waits for the state of the cards has it, if it has been read.
void DeviceTurns::on_read() {
  auto cards = cards_->take();
  note();
  if (!cards) return;
  if (turn_) {
    turn_->cards = *std::move(cards);
  } else if (ended_ != nullptr) {
    RunningSession& session = *std::exchange(ended_, nullptr);
    session.reads_cards = false;
    session.lease = {};
    session.cards = watched(session.cards_before, *cards);
  }
}

}  // namespace tally
