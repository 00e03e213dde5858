#include "profile/callgrind.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/call_tree.h"
#include "profile/export.h"
#include "profile/function_counts.h"

namespace tally {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Profile read(std::string_view text) {
  Result<Profile> profile = parse_callgrind(text);
  EXPECT_TRUE(profile) << describe(profile.error());
  return profile ? *profile : Profile{};
}

double exclusive(const Profile& profile, const FunctionKey& key, std::size_t event = 0) {
  return function_counts(profile, event, Inclusion::exclusive).of(key);
}
double inclusive(const Profile& profile, const FunctionKey& key) {
  return function_counts(profile, 0, Inclusion::inclusive).of(key);
}

constexpr std::string_view kManualExample = R"(# callgrind format
version: 1
events: Ir
fl=(1) file1.c
fn=(1) main
16 20
cfn=(2) func1
calls=1 50
16 400
cfi=(2) file2.c
cfn=(3) func2
calls=3 20
16 400

fn=(2)
51 100
cfi=(2)
cfn=(3)
calls=2 20
51 300

fl=(2)
fn=(3)
20 700
totals: 820
)";

TEST(Callgrind, NamesCallsAndCosts) {
  const Profile profile = read(kManualExample);
  EXPECT_THAT(profile.notes, IsEmpty());
  EXPECT_EQ(exclusive(profile, {"", "file1.c", "main"}), 20);
  EXPECT_EQ(inclusive(profile, {"", "file1.c", "main"}), 820);
  EXPECT_EQ(inclusive(profile, {"", "file1.c", "func1"}), 400);
  EXPECT_EQ(exclusive(profile, {"", "file2.c", "func2"}), 700);
  EXPECT_EQ(inclusive(profile, {"", "file2.c", "func2"}), 700);
  EXPECT_EQ(profile.calls[1].count, 3U);
}

TEST(Callgrind, PositionsOfEveryKindAreSkipped) {
  const Profile profile = read(
      "positions: instr line\nevents: Ir Dr\nob=(1) /lib/a.so\nfl=(1) a.c\nfn=(1) f\n"
      "0x4010 90 1 10\n+3 * 5\n+1 +1 6 2\n* -4 7 1\n"
      "jump=4 +12 *\n+2 *\njcnd=3 4 0x4020 +2\n+2 +1\ntotals: 19 13\n");
  EXPECT_THAT(profile.notes, IsEmpty());
  EXPECT_EQ(exclusive(profile, {"/lib/a.so", "a.c", "f"}), 19);
  EXPECT_EQ(exclusive(profile, {"/lib/a.so", "a.c", "f"}, 1), 13);
}

TEST(Callgrind, HexadecimalCostsCount) {
  EXPECT_EQ(exclusive(read("events: Ir\nfn=f\n1 0x10\ntotals: 16\n"), {"", "", "f"}), 16);
}

TEST(Callgrind, CostLinesOfEveryLengthCount) {
  // Positions and costs of all lengths, between calls, so that short and long lines take turns; blanks of other kinds.
  std::string text = "positions: instr line\nevents: Ir\nfn=f\n";
  std::uint64_t own = 0, called = 0;
  std::uint64_t cost = 0;
  for (std::size_t digits = 1; digits <= 12; ++digits) {
    cost = cost * 10 + digits % 10;
    for (const std::string_view position : {"*", "+3", "-12", "0x1f3a2b8c90"}) {
      text += fmt::format("{0} * {1}\n{0} +{1} {1}\n{0}\t* {1}\n{0} * {1} \r\n{0} *  {1}\n", position, cost);
      own += 5 * cost;
      text += fmt::format("cfn=g\ncalls=1 0\n{} * {}\n", position, cost);
      called += cost;
    }
  }
  text += fmt::format("+1 *\n+1\n* * 0x1F\n+1 +1 7x\ntotals: {}\n", own + 31 + 7);
  const Profile profile = read(text);
  EXPECT_THAT(profile.notes, IsEmpty());
  EXPECT_EQ(profile.row_costs.at(0), own + 31 + 7);
  EXPECT_EQ(profile.call_costs.at(0), called);
  EXPECT_EQ(profile.calls.at(0).count, 48U);
}

TEST(Callgrind, InlinedCodeKeepsItsFile) {
  const Profile profile = read(
      "events: Ir\nfl=(1) main.cc\nfn=(1) main\n1 10\nfi=(2) vector.h\n7 5\ncfn=(2) push\ncalls=1 0\n7 4\nfe=(1)\n2 1\n"
      "fl=(2)\nfn=(2)\n3 4\ntotals: 20\n");
  EXPECT_EQ(exclusive(profile, {"", "main.cc", "main"}), 11);
  EXPECT_EQ(exclusive(profile, {"", "vector.h", "main"}), 5);
  EXPECT_EQ(inclusive(profile, {"", "main.cc", "main"}), 20);
  // Without cfi= a callee is in the file that is current, here the inlined one.
  EXPECT_EQ(inclusive(profile, {"", "vector.h", "push"}), 4);
}

TEST(Callgrind, CalleesObjectHoldsForOneCall) {
  const Profile profile = read(
      "events: Ir\nob=a\nfl=x\nfn=f\n1 1\ncob=b\ncfl=y\ncfn=g\ncalls=1 0\n1 2\ncfn=h\ncalls=1 0\n1 3\ntotals: 1\n");
  EXPECT_EQ(inclusive(profile, {"b", "y", "g"}), 2);
  EXPECT_EQ(inclusive(profile, {"a", "x", "h"}), 3);
}

TEST(Callgrind, PartsAreAddedByEventName) {
  const Profile profile = read(
      "events: Ir Dr\nfn=(1) f\n1 10 3\ntotals: 10 3\n"
      "part: 2\nevents: Dr Ir Bc\nfn=(1)\n1 4 20 6\ntotals: 4 20 6\n");
  EXPECT_THAT(profile.events, ElementsAre("Ir", "Dr", "Bc"));
  EXPECT_THAT(profile.totals, ElementsAre(30, 7, 6));
  EXPECT_EQ(exclusive(profile, {"", "", "f"}), 30);
  EXPECT_EQ(exclusive(profile, {"", "", "f"}, 2), 6);
  EXPECT_THAT(profile.notes, IsEmpty());
}

TEST(Callgrind, CutFileGivesWhatItHoldsAndSaysSo) {
  const Profile profile = read(kManualExample.substr(0, kManualExample.find("20 700") + 4));
  EXPECT_TRUE(profile.truncated);
  EXPECT_THAT(profile.notes, ElementsAre(HasSubstr("cut off")));
  EXPECT_EQ(exclusive(profile, {"", "file2.c", "func2"}), 0);  // "20 7" may be half a number
  EXPECT_THAT(profile.totals, ElementsAre(120));
  EXPECT_FALSE(callgrind_totals(kManualExample.substr(0, 200)));
}

TEST(Callgrind, TotalsThatDisagreeAreNoted) {
  EXPECT_THAT(read("events: Ir\nfn=f\n1 5\ntotals: 6\n").notes,
              ElementsAre("totals: says 6, the functions add up to 5"));
}

TEST(Callgrind, UnknownLinesAreCountedNotObeyed) {
  EXPECT_THAT(read("events: Ir\nfn=f\nwhatever\n1 5\nelse?\ntotals: 5\n").notes,
              ElementsAre("2 unknown lines were ignored, the first is line 3"));
}

TEST(Callgrind, OtherTextIsRefused) {
  EXPECT_THAT(parse_callgrind("hello\n").error().message, HasSubstr("no events: line"));
  EXPECT_THAT(parse_callgrind("").error().message, HasSubstr("no events: line"));
  EXPECT_THAT(parse_callgrind("version: 2\nevents: Ir\n").error().message, HasSubstr("version 2"));
}

TEST(Callgrind, ChunksOfAnySizeGiveTheSame) {
  const Profile whole = read(kManualExample);
  for (const std::size_t size : {1U, 2U, 7U, 100U}) {
    CallgrindReader reader;
    for (std::size_t at = 0; at < kManualExample.size(); at += size) reader.feed(kManualExample.substr(at, size));
    const Result<Profile> pieces = reader.finish();
    ASSERT_TRUE(pieces);
    EXPECT_EQ(*pieces, whole) << size;
  }
}

TEST(Callgrind, TotalsAloneAddTheParts) {
  const Result<Totals> totals = callgrind_totals(
      "desc: events: no\nevents: Ir Dr\n1 5 5\nsummary: 99 99\ntotals: 10 3\nevents: Dr Ir\ntotals: 4 20\n");
  ASSERT_TRUE(totals);
  EXPECT_THAT(totals->events, ElementsAre("Ir", "Dr"));
  EXPECT_THAT(totals->values, ElementsAre(30, 7));
}

TEST(Callgrind, RepetitionsOfStringInstructionsAreAColumnOfTheirOwn) {
  const std::string dump = "events: Ir\nfn=f\n0 30\n\ntotals: 30\n# string repetitions: 12\n";
  const Result<Totals> totals = callgrind_totals(dump);
  ASSERT_TRUE(totals);
  EXPECT_THAT(totals->events, ElementsAre("Ir", "string_repetitions"));
  EXPECT_THAT(totals->values, ElementsAre(30, 12));
  const Profile profile = read(dump);
  EXPECT_THAT(profile.events, ElementsAre("Ir")) << "an instruction that repeats is one of its function's";
  EXPECT_THAT(profile.notes, IsEmpty());
}

TEST(Callgrind, ExportReadsBackTheSame) {
  const Profile profile = read(kManualExample);
  const Profile again = read(to_callgrind(profile));
  EXPECT_THAT(again.notes, IsEmpty());
  for (const Inclusion inclusion : {Inclusion::exclusive, Inclusion::inclusive}) {
    FunctionCounts expected = function_counts(profile, 0, inclusion);
    EXPECT_EQ(function_counts(again, 0, inclusion).renamed([](FunctionKey key) {
      if (key.object == "???") key.object.clear();
      return key;
    }),
              expected);
  }
}

TEST(CallTree, SharesACalleeByProportion) {
  const Profile profile = read(kManualExample);
  const CallTree tree = call_tree(profile, 0, {});
  EXPECT_TRUE(tree.approximate);  // func2 has two callers
  EXPECT_EQ(tree.nodes[0].total, 820);
  double self = tree.nodes[0].self;
  for (std::size_t n = 1; n < tree.nodes.size(); ++n) self += tree.nodes[n].self;
  EXPECT_DOUBLE_EQ(self, 820);
  EXPECT_EQ(to_collapsed(profile, 0),
            "approximate (made from call edges);main 20\n"
            "approximate (made from call edges);main;func1 100\n"
            "approximate (made from call edges);main;func1;func2 300\n"
            "approximate (made from call edges);main;func2 400\n");
}

TEST(CallTree, RecursionEnds) {
  const Profile profile =
      read("events: Ir\nfn=f\n1 5\ncfn=g\ncalls=1 0\n1 5\nfn=g\n1 5\ncfn=f\ncalls=1 0\n1 3\ntotals: 10\n");
  EXPECT_EQ(call_tree(profile, 0, {}).nodes.size(), 5U);  // f > g and g > f, no deeper
}

TEST(Export, SpeedscopeWeightsAddUp) {
  const std::string text = to_speedscope(read(kManualExample), 0, "case");
  EXPECT_THAT(text, HasSubstr("\"weights\":[20.0,100.0,300.0,400.0]"));
  EXPECT_THAT(text, HasSubstr("case (approximate"));
}

}  // namespace
}  // namespace tally
