#include "counted_functions.h"
#include "git/generated.h"
#include "harness.h"
#include "json/text.h"

namespace tally::cli_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

/// A repository whose measured commits execute as many instructions as they say.
struct HistoryAcceptTest : testing::Test {
  HistoryAcceptTest() {
    repository.write("suite.toml", suite_of_functions(".", {"sum"}));
    repository.git({"config", "user.name", "Ada Lovelace"});
  }

  /// With `kernels`, its record says that so many were executed on a device, in two microseconds each.
  std::string commit(const std::string& title, int sum, std::optional<double> kernels = {}) {
    repository.write("work.h", "#pragma once\n" + function_of("sum", sum));
    const std::string id = repository.commit(title);
    const std::string record = (records->path() / (title + ".json")).string();
    const Ran run = tally({"run", repository.path("suite.toml"), "--counts-only", "--quiet", "--json", record});
    EXPECT_EQ(run.code, 0) << run.err;
    if (kernels) {
      Record changed = record_from_json(read_file(record).value(), record).value();
      changed.cases[0].on_device = OnDevice{.name = "cuda"};
      changed.cases[0].on_device->work = DeviceWork{.kernels = *kernels, .kernel_time_s = *kernels * 2e-6};
      EXPECT_TRUE(write_file(record, to_json(changed)));
    }
    EXPECT_EQ(tally({"history", "add", record, "--store", store()}).code, 0);
    return id;
  }

  [[nodiscard]] Ran history(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "history");
    arguments.insert(arguments.end(), {"--store", store(), "--repository", repository.top()});
    return tally(arguments);
  }

  [[nodiscard]] Ran accept(const std::string& up_to, const std::vector<std::string>& more = {},
                           const std::string& reason = "it \"must\" be\nso") const {
    std::vector<std::string> arguments = {"accept", "sum", "--up-to", up_to, "--reason", reason};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return history(arguments);
  }

  [[nodiscard]] std::string ledger() const { return read_file(repository.path("tally-accept.toml")).value_or(""); }
  [[nodiscard]] int open() const { return history({"log", "--fail-on", "unacknowledged"}).code; }
  [[nodiscard]] std::string store() const { return (records->path() / "history").string(); }

  git_test::GeneratedRepository repository;
  Result<TemporaryFolder> records = TemporaryFolder::make();
};

TEST_F(HistoryAcceptTest, AnAgreementKnowsItsCommitAndOwnerAndCoversTheChange) {
  commit("Begin", 10000);
  const std::string slower = commit("Check each element", 12000);
  ASSERT_EQ(open(), 3);

  const Ran little = accept("+3%");
  EXPECT_EQ(little.code, 2);
  EXPECT_THAT(little.err, HasSubstr("the change is +20 %, and --up-to +3% would not cover it; say --up-to +20%"));
  EXPECT_THAT(ledger(), IsEmpty());

  const std::string before =
      "# Ours.\n[[accept]]  # an odd one\ncase='x'\nmetric='time'\nup_to='5%'\nreason='r'\n"
      "expires=2999-01-01";
  repository.write("tally-accept.toml", before);
  const Ran agreed = accept("+20%", {"--issue", "#7"});
  EXPECT_EQ(agreed.code, 0) << agreed.err;
  EXPECT_THAT(agreed.out,
              AllOf(HasSubstr("tally-accept.toml:9: sum "),
                    HasSubstr("up to +20 %, of " + slower.substr(0, 12) + ", until 2"), HasSubstr("Ada Lovelace")));
  EXPECT_THAT(ledger(),
              AllOf(StartsWith(before + "\n\n[[accept]]\n"), HasSubstr("reason = \"it \\\"must\\\" be\\nso\""),
                    HasSubstr("owner = \"Ada Lovelace\""), HasSubstr("issue = \"#7\"")));
  EXPECT_EQ(open(), 0);

  // Once is enough; an acknowledgement that exists already is reported.
  const std::string once = ledger();
  const Ran again = accept("+10%", {"--commit", "HEAD"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("(there already)"));
  EXPECT_EQ(ledger(), once);

  // Of two changes that are open neither is meant by itself.
  commit("Check twice", 13000);
  const std::string third = commit("Check thrice", 14000);
  EXPECT_THAT(accept("+9%", {"--commit", third}).out, HasSubstr("of " + third.substr(0, 12)));
  EXPECT_EQ(open(), 3);
  EXPECT_THAT(accept("+9%", {"--owner", "Grace"}).out, AllOf(HasSubstr("Grace"), HasSubstr(", of ")));
  EXPECT_EQ(open(), 0);
}

TEST_F(HistoryAcceptTest, KernelsAreFindingsOfTheirOwn) {
  commit("Begin", 10000, 7);
  const std::string more = commit("Launch twice more", 12000, 9);
  const Ran log = history({"log", "--fail-on", "unacknowledged"});
  EXPECT_EQ(log.code, 3);
  EXPECT_THAT(log.out, AllOf(HasSubstr("sum [cpp]  7 kernels → 9 kernels\n"), HasSubstr("2 changes, 2 unacknowledged"),
                             HasSubstr("judged 1 of 1 cases by 1 limits")));
  const Ran shown = history({"show", "sum"});
  EXPECT_THAT(shown.out, AllOf(HasSubstr("instructions"), HasSubstr("\n\nsum [cpp] kernels\n"), HasSubstr("9 kernels"),
                               HasSubstr("18.0 µs")));
  // An entry is about one metric.
  const Ran which = accept("+30%");
  EXPECT_EQ(which.code, 2);
  EXPECT_THAT(which.err, HasSubstr("the changes that are open are of several metrics"));
  EXPECT_THAT(accept("+30%", {"--metric", "time"}).err, HasSubstr("not a metric whose changes a history finds: time"));
  EXPECT_EQ(accept("+20%", {"--metric", "kernels"}).code, 2) << "it would not cover the change";
  EXPECT_EQ(accept("+30%", {"--metric", "kernels"}).code, 0);
  EXPECT_THAT(ledger(), AllOf(HasSubstr("metric = \"kernels\""), HasSubstr(more.substr(0, 12))));
  EXPECT_EQ(open(), 3);
  EXPECT_EQ(accept("+20%").code, 0) << "one metric is left";
  EXPECT_EQ(open(), 0);
  const fs::path page = records->path() / "site";
  EXPECT_EQ(history({"site", "-o", page.string()}).code, 0);
  EXPECT_THAT(read_file(page / "index.html").value(), HasSubstr("cpp kernels"));
}

TEST_F(HistoryAcceptTest, WhatIsNoAgreementIsRefused) {
  commit("Begin", 1000);
  const auto refused = [&](const Ran& ran, const std::string& why) {
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr(why));
    EXPECT_THAT(ledger(), IsEmpty());
  };
  refused(accept("3"), "'3' is not a change in percent; write --up-to +3%");
  refused(accept("+3%", {"--expires", "2020-01-01"}), "2020-01-01 is not in the future");
  refused(accept("+3%", {"--expires", "2999-02-30"}), "'2999-02-30' is not a date");
  refused(accept("+3%", {}, " \n"), "an acceptance needs a reason");
  refused(accept("+3%", {"--commit", "nowhere"}), "'nowhere' is not a commit of this repository");
  refused(history({"accept", "sums", "--up-to", "+3%", "--reason", "r"}), "no case 'sums'");
  refused(accept("+3%", {}, "\xff"), "cannot be appended to the file");
  repository.write("tally-accept.toml", "accept = []\n");
  EXPECT_THAT(accept("+3%").err, HasSubstr("cannot be appended to the file"));
  EXPECT_EQ(ledger(), "accept = []\n");
}

/// A drift that was acknowledged is reported again when it drifts on from there.
TEST_F(HistoryAcceptTest, EightAtOnceAreAllThere) {
  // Without a lock a round lost some in seven of ten.
  const std::string script = "for r in 1 2 3 4 5 6; do for n in 1 2 3 4 5 6 7 8; do \"$@\" case$r$n & done; wait; done";
  const Ran all = tally({"history", "accept", "--up-to", "+3%", "--reason", "r", "--repository", repository.top()},
                        {.folder = repository.top(), .started_by = {"sh", "-c", script, "sh"}});
  EXPECT_EQ(all.code, 0) << all.err;
  for (int round = 1; round <= 6; ++round) {
    for (int n = 1; n <= 8; ++n)
      EXPECT_THAT(ledger(), HasSubstr(fmt::format("case = \"case{}{}\"", round, n))) << all.err;
  }
}

TEST_F(HistoryAcceptTest, AnAgreementToADriftSettlesItWhereItStands) {
  std::string last;
  for (int i = 0; i < 4; ++i) last = commit("Grow " + std::to_string(i), 10000 + 9 * i);
  EXPECT_EQ(open(), 0);
  repository.write("tally-accept.toml", "drift = \"+0.2%\"\n");
  EXPECT_EQ(open(), 3);
  EXPECT_EQ(history({"log", "--drift", "0.5", "--fail-on", "unacknowledged"}).code, 0);
  EXPECT_THAT(accept("+0.1%").err,
              HasSubstr("the change is +0.27 %, and --up-to +0.1% would not cover it; say --up-to +0.3%"));
  const Ran agreed = accept("+0.3%");
  EXPECT_EQ(agreed.code, 0) << agreed.err;
  EXPECT_THAT(agreed.out, HasSubstr("of " + last.substr(0, 12)));
  EXPECT_EQ(open(), 0);
  EXPECT_THAT(history({"log"}).out, AllOf(HasSubstr("drift  +0.27 %  sum"), HasSubstr("accepted: it")));
  commit("Grow more", 10036);
  EXPECT_EQ(open(), 0);
  commit("Grow on", 10045);
  commit("Grow on and on", 10054);
  const Ran on = history({"log", "--fail-on", "unacknowledged"});
  EXPECT_EQ(on.code, 3);
  EXPECT_THAT(on.out, AllOf(HasSubstr("10,027 → 10,054 since " + last.substr(0, 10)), HasSubstr("1 unacknowledged")));
}

TEST_F(HistoryAcceptTest, WhatExpiredIsShownBesideWhatItOnceAcknowledged) {
  commit("Begin", 10000);
  commit("Check each element", 12000);
  repository.write("tally-accept.toml",
                   "[[accept]]\ncase = \"sum*\"\nmetric = \"instructions\"\nup_to = \"+25%\"\n"
                   "reason = \"for now\"\nexpires = 2020-01-31\n");
  const Ran log = history({"log", "--fail-on", "unacknowledged"});
  EXPECT_EQ(log.code, 3);
  EXPECT_THAT(log.out, HasSubstr("accepted until 2020-01-31: for now"));
  EXPECT_THAT(history({"log", "--json"}).out, HasSubstr("\"expired\""));
}

/// Before the history has it, and where there is no history.
TEST_F(HistoryAcceptTest, AnAgreementMayWaitForItsChange) {
  commit("Begin", 10000);
  const Ran early = accept("+25%");
  EXPECT_EQ(early.code, 0) << early.err;
  EXPECT_THAT(early.err, HasSubstr("nothing is open of sum"));
  EXPECT_THAT(ledger(), Not(HasSubstr("commit")));
  commit("Check each element", 12000);
  EXPECT_EQ(open(), 0);
  EXPECT_THAT(accept("+25%").err, HasSubstr("what made it slower is acknowledged already"));
  const std::string file = (records->path() / "accept.toml").string();
  const Ran bare = tally({"history", "accept", "a [cpp n=1]", "--up-to", "+1%", "--reason", "r", "--accept", file,
                          "--expires", "2999-01-01"},
                         {.folder = records->path().string()});
  EXPECT_EQ(bare.code, 0) << bare.err;
  EXPECT_EQ(read_file(file).value_or(""),
            "[[accept]]\ncase = \"a [cpp n=1]\"\nmetric = \"instructions\"\nup_to = \"+1%\"\nreason = \"r\"\n"
            "expires = 2999-01-01\n");
  const Ran nowhere =
      tally({"history", "accept", "a", "--up-to", "+1%", "--reason", "r"}, {.folder = records->path().string()});
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("name the file with --accept FILE"));
}

}  // namespace
}  // namespace tally::cli_test
