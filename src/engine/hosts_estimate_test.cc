#include "engine/hosts_estimate.h"

#include <gmock/gmock.h>

namespace tally {
namespace {

using ::testing::StartsWith;

TEST(HostsEstimate, HasSecondsMinutesAndHours) {
  EXPECT_THAT(hosts_estimate(1, 2, 9.6),
              StartsWith("each of the 1 that is left starts a host of its own: 10 s each, about 10 s for all; "));
  EXPECT_THAT(hosts_estimate(5, 2, 52),
              StartsWith("each of the 5 that are left starts a host of its own: 52 s each, about 3 min for all; "));
  EXPECT_THAT(hosts_estimate(81, 1, 52),
              StartsWith("each of the 81 that are left starts a host of its own: 52 s each, about 70 min for all; "));
  EXPECT_THAT(
      hosts_estimate(180, 1, 60),
      StartsWith("each of the 180 that are left starts a host of its own: 60 s each, about 3 h 0 min for all; "));
}

}  // namespace
}  // namespace tally
