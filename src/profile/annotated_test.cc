#include "profile/annotated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/callgrind.h"
#include "profile/export.h"

namespace tally {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

/// As the counter writes it: no files, names as the objects have them, addresses of what has none.
constexpr std::string_view kDump =
    "events: Ir\nob=/lib/a.so\nfl=\nfn=_ZN2at5emptyEl\n0 30\nfn=0x510d80\n0 20\nfn=0x510d80'2\n0 5\n"
    "fl=b.cc\nfn=_ZN1AC1Ev\n0 1\nfn=_ZN1AC2Ev\n0 2\nfn=main\n0 1\ntotals: 59\n";

TEST(Annotated, NamesAreThoseOfCallgrind) {
  const Result<Profile> profile = parse_callgrind(kDump);
  ASSERT_TRUE(profile) << describe(profile.error());
  EXPECT_THAT(annotated(*profile, 0, Inclusion::exclusive),
              ElementsAre(Pair(30, "???:at::empty(long) [/lib/a.so]"), Pair(20, "???:0x0000000000510d80 [/lib/a.so]"),
                          Pair(5, "???:0x0000000000510d80'2 [/lib/a.so]"), Pair(3, "b.cc:A::A() [/lib/a.so]"),
                          Pair(1, "b.cc:main [/lib/a.so]")));
}

TEST(Annotated, AnExportedProfileHasTheSameNames) {
  const Result<Profile> profile = parse_callgrind(kDump);
  ASSERT_TRUE(profile) << describe(profile.error());
  const std::string text = to_callgrind(*profile);
  EXPECT_THAT(text, HasSubstr(") at::empty(long)\n"));
  EXPECT_THAT(text, Not(HasSubstr("_ZN")));
  const Result<Profile> again = parse_callgrind(text);
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(annotated(*again, 0, Inclusion::exclusive), annotated(*profile, 0, Inclusion::exclusive));
}

TEST(Annotated, ANameThatIsNone) { EXPECT_EQ(callgrind_name(""), "???"); }

}  // namespace
}  // namespace tally
