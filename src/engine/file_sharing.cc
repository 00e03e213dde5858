#include "engine/file_sharing.h"

#include <algorithm>

namespace tally {

bool FileSharing::may_begin(const std::string& group) const {
  if (!one_at_a_time_.contains(group)) return true;
  return std::ranges::none_of(sessions_,
                              [&](const auto& entry) { return entry.second.running && entry.second.group == group; });
}

void FileSharing::begin(Session session, const std::string& group) {
  State& state = sessions_[session];
  state.group = group;
  for (auto& [other, its] : sessions_) {
    if (other == session || !its.running || its.group != group) continue;
    its.beside.insert(session);
    state.beside.insert(other);
  }
}

bool FileSharing::changes(Session session) {
  State& state = sessions_.at(session);
  state.spoilt = state.spoilt || !state.beside.empty();
  for (const Session other : state.beside) {
    if (const auto met = sessions_.find(other); met != sessions_.end()) met->second.spoilt = true;
  }
  return one_at_a_time_.insert(state.group).second;
}

void FileSharing::executed(Session session) { sessions_.at(session).executed = true; }

void FileSharing::end(Session session) { sessions_.at(session).running = false; }

FileSharing::Verdict FileSharing::verdict(Session session) const {
  const State& state = sessions_.at(session);
  if (state.spoilt) return Verdict::measure_again;
  const bool open = std::ranges::any_of(state.beside, [&](Session other) {
    const auto met = sessions_.find(other);
    return met != sessions_.end() && met->second.running && !met->second.executed;
  });
  return open ? Verdict::not_known_yet : Verdict::stands;
}

void FileSharing::forget(Session session) { sessions_.erase(session); }

}  // namespace tally
