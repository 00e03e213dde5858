#include "serve/host_keeping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally::serve {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kGibi = std::uint64_t{1} << 30;
constexpr MemoryState kPlenty{.total = 64 * kGibi, .available = 40 * kGibi};

KeptHost host(unsigned id, std::uint64_t bytes, int used_s, bool busy = false) {
  return {{HostId{id}, "host", 1, Clock::time_point(std::chrono::seconds(used_s)), busy}, bytes};
}

TEST(HostKeeping, AllStayWhileThereIsRoom) {
  EXPECT_THAT(hosts_to_end({host(1, kGibi, 5), host(2, kGibi, 4)}, 2 * kGibi, kPlenty), IsEmpty());
}

TEST(HostKeeping, TheLeastRecentlyUsedGoFirst) {
  const std::vector<KeptHost> hosts = {host(1, kGibi, 5), host(2, kGibi, 4), host(3, kGibi, 6)};
  EXPECT_THAT(hosts_to_end(hosts, 2 * kGibi, kPlenty), ElementsAre(HostId{2}));
  EXPECT_THAT(hosts_to_end(hosts, kGibi, kPlenty), ElementsAre(HostId{2}, HostId{1}));
  EXPECT_THAT(hosts_to_end(hosts, 0, kPlenty), ElementsAre(HostId{2}, HostId{1}, HostId{3}));
}

TEST(HostKeeping, BusyOnesCountAndStay) {
  EXPECT_THAT(hosts_to_end({host(1, 3 * kGibi, 1, true), host(2, kGibi, 4)}, 2 * kGibi, kPlenty),
              ElementsAre(HostId{2}));
}

TEST(HostKeeping, AMachineThatIsShortOfMemoryGetsSomeBack) {
  const MemoryState tight{.total = 8 * kGibi, .available = kGibi / 10};
  const std::vector<KeptHost> hosts = {host(1, kGibi / 4, 5), host(2, kGibi / 4, 4), host(3, kGibi / 4, 6)};
  EXPECT_THAT(hosts_to_end(hosts, 8 * kGibi, tight), ElementsAre(HostId{2}, HostId{1}));
  // Where the kernel does not report it, only the limit counts.
  EXPECT_THAT(hosts_to_end(hosts, 8 * kGibi, {}), IsEmpty());
}

}  // namespace
}  // namespace tally::serve
