#include "profile/lint.h"

#include <gtest/gtest.h>

#include "profile/callgrind.h"

namespace tally {
namespace {

constexpr const char* kHead = "version: 1\nevents: Ir\n";

TEST(Lint, NamesWhatLooksOutside) {
  const auto profile =
      parse_callgrind(std::string(kHead) +
                      "ob=/bin/x\nfl=x.c\nfn=main\ncob=/lib/x86_64-linux-gnu/libc.so.6\ncfi=???\n"
                      "cfn=clock_gettime@@GLIBC_2.17\ncalls=7 0\n1 70\n1 5\n"
                      "ob=/lib/x86_64-linux-gnu/libc.so.6\nfl=???\nfn=clock_gettime@@GLIBC_2.17\n0 70\n"
                      "fn=__write\n0 9\ntotals: 84\n");
  ASSERT_TRUE(profile);
  const auto findings = lint_region(*profile);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].function, "clock_gettime");
  EXPECT_EQ(findings[0].why, "reads a clock");
  EXPECT_EQ(findings[0].calls, 7U);
  EXPECT_EQ(findings[1].function, "write");
}

TEST(Lint, AMemberOfTheUsersIsNoCallOfTheLibrarys) {
  const auto profile =
      parse_callgrind(std::string(kHead) + "ob=/bin/x\nfl=x.c\nfn=read\n1 5\nfn=time\n1 5\ntotals: 10\n");
  ASSERT_TRUE(profile);
  EXPECT_TRUE(lint_region(*profile).empty());
}

}  // namespace
}  // namespace tally
