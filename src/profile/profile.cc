#include "profile/profile.h"

#include <algorithm>

namespace tally {

std::size_t event_index(const Profile& profile, std::string_view event) {
  return static_cast<std::size_t>(std::ranges::find(profile.events, event) - profile.events.begin());
}

}  // namespace tally
