#include "comparison/accept.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

std::string message(const std::string& text) {
  const auto parsed = parse_accept_file(text, "accept.toml");
  return parsed ? std::string("accepted") : describe(parsed.error());
}

TEST(Accept, MistakesAreNamedWithTheirPlace) {
  EXPECT_EQ(message("[[accept]]\ncase = \"a\"\nreasn = \"x\"\n"),
            "accept.toml:1: unknown key 'reasn'; did you mean 'reason'?");
  EXPECT_THAT(message("[[accept]]\ncase = \"a\"\n"), HasSubstr("'metric' is missing or empty"));
  EXPECT_THAT(message("[[accept]\n"), HasSubstr("accept.toml:1:"));
  EXPECT_THAT(message("x = 1\n"), HasSubstr("write [[accept]] tables"));
  EXPECT_THAT(message("accept = 1\n"), HasSubstr("write [[accept]] tables"));
  EXPECT_THAT(message("[[accept]]\ncase='a'\nmetric='time'\nup_to='5us'\nreason='r'\nexpires=2026-01-01\n"),
              HasSubstr("up_to must be a percentage"));
  for (const std::string day : {"soon", "2026-02-30"})
    EXPECT_THAT(message("[[accept]]\ncase='a'\nmetric='time'\nup_to='5%'\nreason='r'\nexpires='" + day + "'\n"),
                HasSubstr("'" + day + "' is not a date"));
  EXPECT_THAT(message("drift = 2\n"), HasSubstr("accept.toml:1: 'drift' is not known here; write drift = \"+2%\""));
  EXPECT_THAT(message("drift = \"2\"\n"), HasSubstr("'2' is not a budget for drift"));
  EXPECT_THAT(message("[[drift]]\ncase = \"a\"\n"), HasSubstr("not a budget"));
  EXPECT_THAT(message("[[drift]]\nbudgt = \"+1%\"\n"), HasSubstr("did you mean 'budget'?"));
}

TEST(Accept, DriftHasOneBudgetOrOneForEachGlob) {
  const auto one = parse_accept_file(
      "drift = \"+2.5%\"\n[[accept]]\ncase='a'\nmetric='time'\nup_to='5%'\nreason='r'\nexpires=2026-01-01\n", "f");
  ASSERT_TRUE(one) << describe(one.error());
  ASSERT_THAT(one->drift, SizeIs(1));
  EXPECT_EQ(one->drift[0].cases, "*");
  EXPECT_DOUBLE_EQ(one->drift[0].budget, 0.025);
  EXPECT_THAT(one->accepted, SizeIs(1));
  const auto some = parse_accept_file("[[drift]]\nbudget='+2%'\n[[drift]]\ncase='a *'\nbudget='+1%'\n", "f");
  ASSERT_TRUE(some) << describe(some.error());
  ASSERT_THAT(some->drift, SizeIs(2));
  EXPECT_EQ(some->drift[1].cases, "a *");
  EXPECT_DOUBLE_EQ(some->drift[1].budget, 0.01);
}

TEST(Accept, AnIdIsItsOwnNameAndAGlobIsAGlob) {
  const std::string id = "words/count [cpp length=1000]";
  EXPECT_TRUE((Acceptance{.cases = id}.is_about(id)));
  EXPECT_TRUE((Acceptance{.cases = "words/*"}.is_about(id)));
  EXPECT_FALSE((Acceptance{.cases = "words/count [cpp length=10]"}.is_about(id)));
}

Acceptance entry(const std::string& reason) {
  return {.cases = "words/count [cpp length=1000]",
          .up_to = 0.03,
          .reason = reason,
          .expires = "2027-02-22",
          .commit = "5ba38da4a1",
          .owner = "Ada",
          .issue = "#12",
          .where = {}};
}

TEST(Accept, WhatIsAppendedReadsAsItWasMeantWhateverItsTextsHold) {
  const std::string before =
      "# ours\r\ndrift = \"+2%\"  # a budget\n\n[[accept]] # odd\ncase='a'\nmetric='time'\n"
      "up_to='5%'\nreason='r'\nexpires=2026-01-01";
  for (const std::string reason : {"plain", "\"\"\"", "\"\n[[accept]]\ncase = \"*\"", "back\\slash \\u0041",
                                   "tab\tand\r\nlines", "\x01\x1b[31m\x7f", "ends in \\", "'''", "# no comment",
                                   "żółć → 語 \U0001F600", "\xe2\x80\xae turned", "{}%{0}"}) {
    const auto after = with_acceptance(before, entry(reason), "accept.toml");
    ASSERT_TRUE(after) << reason << describe(after.error());
    EXPECT_TRUE(after->starts_with(before + "\n\n[[accept]]\n")) << *after;
    const auto file = parse_accept_file(*after, "accept.toml");
    ASSERT_TRUE(file) << describe(file.error());
    ASSERT_THAT(file->accepted, SizeIs(2));
    const Acceptance& one = file->accepted.back();
    EXPECT_EQ(one.reason, reason);
    EXPECT_EQ(one.cases, "words/count [cpp length=1000]");
    EXPECT_NEAR(one.up_to, 0.03, 1e-12);
    EXPECT_EQ(one.where, "accept.toml:11");
  }
  EXPECT_EQ(with_acceptance("", entry("r"), "f").value(),
            "[[accept]]\ncase = \"words/count [cpp length=1000]\"\nmetric = \"instructions\"\nup_to = \"+3%\"\n"
            "reason = \"r\"\nexpires = 2027-02-22\ncommit = \"5ba38da4a1\"\nowner = \"Ada\"\nissue = \"#12\"\n");
}

TEST(Accept, WhatCannotBeAppendedIsReported) {
  EXPECT_FALSE(with_acceptance("", entry("\xff\xfe"), "f"));
  EXPECT_FALSE(with_acceptance("", entry("  "), "f"));
  const auto array = with_acceptance("accept = []\n", entry("r"), "f");
  ASSERT_FALSE(array);
  EXPECT_THAT(array.error().message, HasSubstr("cannot be appended to the file"));
  EXPECT_THAT(with_acceptance("[[accept]\n", entry("r"), "f").error().where, HasSubstr("f:1"));
}

TEST(Accept, WhatIsAcknowledgedAlreadyIsFound) {
  const AcceptFile file = parse_accept_file(with_acceptance("", entry("r"), "f").value(), "f").value();
  EXPECT_EQ(covering(file, entry("another")), file.accepted.data());
  const auto changed = [](auto change) {
    Acceptance one = entry("r");
    change(one);
    return one;
  };
  EXPECT_NE(covering(file, changed([](Acceptance& one) { one.up_to = 0.02; })), nullptr);
  EXPECT_NE(covering(file, changed([](Acceptance& one) { one.commit = "5ba38da4a1b2"; })), nullptr);
  EXPECT_EQ(covering(file, changed([](Acceptance& one) { one.up_to = 0.031; })), nullptr);
  EXPECT_EQ(covering(file, changed([](Acceptance& one) { one.commit = ""; })), nullptr);
  EXPECT_EQ(covering(file, changed([](Acceptance& one) { one.expires = "2027-02-23"; })), nullptr);
  EXPECT_EQ(covering(file, changed([](Acceptance& one) { one.cases = "words/*"; })), nullptr);
}

}  // namespace
}  // namespace tally
