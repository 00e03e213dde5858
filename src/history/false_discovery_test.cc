#include "history/false_discovery.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

// The example of Benjamini and Hochberg (1995, section 3.2): four of fifteen at 5 %.
const std::vector<double> kPaper = {0.0298, 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0344,
                                    0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};

TEST(FalseDiscovery, IsThePapersExample) { EXPECT_EQ(discovery_limit(kPaper, kPaper.size(), 0.05), 0.0095); }

TEST(FalseDiscovery, TestsThatFoundNothingCountToo) {
  EXPECT_EQ(discovery_limit({0.01, 0.02}, 2, 0.05), 0.02);
  EXPECT_EQ(discovery_limit({0.01, 0.02}, 4, 0.05), 0.02);
  EXPECT_EQ(discovery_limit({0.01, 0.03}, 4, 0.05), 0.01);
  EXPECT_LT(discovery_limit({0.01, 0.03}, 185, 0.05), 0);
}

TEST(FalseDiscovery, ManyTogetherMayBeWeakerThanOneAlone) {
  EXPECT_LT(discovery_limit({0.004}, 100, 0.05), 0);
  EXPECT_EQ(discovery_limit(std::vector<double>(10, 0.004), 100, 0.05), 0.004);
}

TEST(FalseDiscovery, NothingIsNoDiscovery) { EXPECT_LT(discovery_limit({}, 10, 0.05), 0); }

}  // namespace
}  // namespace tally
