/// `tally run --reuse RECORD|STORE`: what has changed is counted, and nothing else, but for the proofs.
#include "git/generated.h"
#include "harness.h"

namespace tally::cli_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

constexpr const char* kSuite = R"toml(
schema = 1
[toolchain.mill]
flags = ["-O2"]
include = ["FOLDER"]
[[timer]]
label = "nop"
language = "cpp"
stmt = 'asm volatile("nop")'
[[timer]]
label = "two nops"
language = "cpp"
stmt = 'asm volatile("nop\nnop")'
[[timer]]
label = "header"
language = "cpp"
toolchain = "mill"
global_setup = '#include "mill.h"'
stmt = "grind()"
[[timer]]
label = "beside it"
language = "cpp"
toolchain = "mill"
stmt = 'asm volatile("nop")'
[[timer]]
label = "plain"
language = "python"
stmt = "x = 1"
[[timer]]
label = "of a module"
language = "python"
setup = "from ledger import total"
stmt = "total()"
[[timer]]
label = "of the library"
language = "python"
setup = "import json"
stmt = "json.dumps(1)"
)toml";

class ReuseTest : public ::testing::Test {
 protected:
  ReuseTest() {
    write("mill.h", "inline void grind() { asm volatile(\"nop\"); }\n");
    write("ledger.py", "def total():\n    return 1\n");
    suite(std::string(kSuite));
    how_.folder = folder_->path();
    // As a user's modules are compiled long before: a run that writes their bytecode counts otherwise than the next.
    how_.more = {{"PYTHONDONTWRITEBYTECODE", "1"}};
  }

  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_file(folder_->path() / name, text));
  }
  void suite(std::string text) {
    text.replace(text.find("FOLDER"), 6, folder_->path().string());
    write("suite.toml", text);
  }

  /// The labels that were counted, in order.
  std::vector<std::string> counted(std::vector<std::string> more, const std::string& into, int code = 0) {
    std::vector<std::string> arguments = {"run", "suite.toml", "--counts-only", "--json", into};
    arguments.insert(arguments.end(), more.begin(), more.end());
    ran_ = tally(arguments, how_);
    EXPECT_EQ(ran_.code, code) << ran_.err << ran_.out;
    record_ = *record_from_json(read_file(folder_->path() / into).value(), into);
    std::vector<std::string> labels;
    for (const CaseRecord& one : record_.cases) {
      EXPECT_TRUE(one.counts) << one.id;
      if (!one.reused) labels.push_back(one.label.front());
    }
    return labels;
  }

  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
  How how_;
  Ran ran_;
  Record record_;
};

TEST_F(ReuseTest, WhatHasChangedIsCountedAndNothingElse) {
  EXPECT_EQ(counted({}, "first.json").size(), 7U);
  const Record first = record_;
  // One in each language proves the others.
  EXPECT_EQ(counted({"--reuse", "first.json"}, "same.json").size(), 2U);
  EXPECT_THAT(ran_.err, HasSubstr("5 counts are reused; 2 counted again as proof, and equal\n"));
  EXPECT_THAT(ran_.out, HasSubstr("ok, reused"));
  for (std::size_t i = 0; i < first.cases.size(); ++i) EXPECT_EQ(record_.cases[i].counts, first.cases[i].counts);
  // What was taken over can be taken over again.
  EXPECT_EQ(counted({"--reuse", "same.json"}, "again.json").size(), 2U);
  EXPECT_EQ(counted({"--reuse", "first.json", "--iterations", "50"}, "other.json").size(), 7U);
  EXPECT_THAT(ran_.err, HasSubstr("no count could be reused; of 7 its settings is another\n"));
}

/// As the README has it: profiles want Callgrind, and a run without them has the counter, which counts the same.
TEST_F(ReuseTest, ARecordWithProfilesIsTakenOver) {
  EXPECT_EQ(counted({"--profiles"}, "first.json").size(), 7U);
  EXPECT_EQ(counted({"--reuse", "first.json"}, "same.json").size(), 2U) << ran_.err;
  EXPECT_THAT(ran_.err, HasSubstr("5 counts are reused; 2 counted again as proof, and equal\n"));
}

TEST_F(ReuseTest, AStatementAModuleAFlagAndAHeaderEachTouchTheirOwnCases) {
  EXPECT_EQ(counted({}, "first.json").size(), 7U);
  std::string edited(kSuite);
  edited.replace(edited.find("x = 1"), 5, "x = 2");
  suite(edited);
  EXPECT_THAT(counted({"--reuse", "first.json"}, "edited.json"), Contains("plain"));
  EXPECT_THAT(ran_.err,
              HasSubstr("4 counts are reused; 2 counted again as proof, and equal; of 1 its definition is another\n"));

  suite(std::string(kSuite));
  write("ledger.py", "def total():\n    return 1 + len([])\n");
  EXPECT_THAT(counted({"--reuse", "first.json"}, "module.json"), Contains("of a module"));
  EXPECT_THAT(ran_.err,
              HasSubstr("4 counts are reused; 2 counted again as proof, and equal; of 1 its imports is another\n"));
  write("ledger.py", "def total():\n    return 1\n");

  std::string flag(kSuite);
  flag.replace(flag.find("-O2"), 3, "-O1");
  suite(flag);
  EXPECT_THAT(counted({"--reuse", "first.json"}, "flag.json"),
              IsSupersetOf({"nop", "two nops", "header", "beside it"}));
  EXPECT_THAT(ran_.err,
              HasSubstr("2 counts are reused; 1 counted again as proof, and equal; of 4 its definition is another\n"));

  suite(std::string(kSuite));
  write("mill.h", "inline void grind() { asm volatile(\"nop\\nnop\"); }\n");
  EXPECT_THAT(counted({"--reuse", "first.json"}, "header.json"), Contains("header"));
  EXPECT_THAT(ran_.err,
              HasSubstr("4 counts are reused; 2 counted again as proof, and equal; of 1 its library is another\n"));
}

TEST_F(ReuseTest, ACountThatIsNotWhatTheRecordSaysIsAnErrorAndAllAreCounted) {
  EXPECT_EQ(counted({}, "first.json").size(), 7U);
  Record wrong = record_;
  for (CaseRecord& one : wrong.cases) {
    if (one.language != "python") continue;
    for (auto& replicate : one.counts->replicates) replicate += 100;
    one.counts->per_iteration += 1;
  }
  write("wrong.json", to_json(wrong));
  EXPECT_EQ(counted({"--reuse", "wrong.json"}, "second.json", 1).size(), 7U);
  EXPECT_THAT(ran_.err, HasSubstr("was counted again as proof for --reuse, and differs"));
  EXPECT_THAT(ran_.out, HasSubstr("reuse refuted"));
}

TEST_F(ReuseTest, TimesAreTakenAnyway) {
  EXPECT_EQ(counted({}, "first.json").size(), 7U);
  const Ran ran = tally({"run", "suite.toml", "--max-run-time", "0.01", "--reuse", "first.json", "--filter", "nop",
                         "--json", "timed.json"},
                        how_);
  EXPECT_EQ(ran.code, 0) << ran.err;
  const Record record = *record_from_json(read_file(folder_->path() / "timed.json").value(), "timed.json");
  for (const CaseRecord& one : record.cases) EXPECT_TRUE(one.counts && one.wall) << one.id;
  EXPECT_EQ(std::ranges::count_if(record.cases, [](const CaseRecord& one) { return one.reused.has_value(); }), 1);
}

constexpr const char* kOneCommand = R"toml(
schema = 1
[[command]]
label = "script"
run = ["/bin/sh", "FOLDER/work.sh"]
)toml";

/// Its program is the same; the script that it reads is not.
TEST_F(ReuseTest, ACommandIsCountedAnew) {
  suite(kOneCommand);
  write("work.sh", ":\n");
  EXPECT_EQ(counted({}, "first.json").size(), 1U);
  EXPECT_FALSE(record_.cases.front().inputs);
  const double before = record_.cases.front().counts->per_iteration;
  write("work.sh", "i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done\n");
  EXPECT_EQ(counted({"--reuse", "first.json"}, "second.json").size(), 1U);
  EXPECT_THAT(ran_.err, HasSubstr("no count could be reused; of 1 it is a command\n"));
  EXPECT_GT(record_.cases.front().counts->per_iteration, before + 1000);
}

constexpr const char* kTwoInC = R"toml(
schema = 1
[[timer]]
label = "one"
language = "cpp"
stmt = 'asm volatile("nop")'
[[timer]]
label = "two"
language = "cpp"
stmt = 'asm volatile("nop\nnop")'
)toml";

/// What was taken back is taken from the run before it, not from the newest.
TEST(ReuseOfAStoreTest, TakesEachCaseFromTheNewestRunThatFits) {
  const git_test::GeneratedRepository repository;
  How how;
  how.folder = repository.top();
  const auto run = [&](const std::vector<std::string>& more, int code = 0) {
    std::vector<std::string> arguments = {"run", "suite.toml", "--counts-only", "--json", "run.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ran ran = tally(arguments, how);
    EXPECT_EQ(ran.code, code) << ran.err << ran.out;
    return ran.err;
  };
  const auto keep = [&](const std::string& store) {
    const Ran ran = tally({"history", "add", "run.json", "--store", store}, how);
    EXPECT_EQ(ran.code, 0) << ran.err;
  };
  repository.write(".gitignore", "*.json\nkept\n");
  repository.write("suite.toml", kTwoInC);
  const std::string first = repository.commit("Add them");
  EXPECT_THAT(run({"--reuse", "git:runs"}),
              HasSubstr("tally: git:runs has no run of suite.toml: every case is counted\n"));
  keep("kept");
  keep("git:runs");

  std::string edited(kTwoInC);
  edited.replace(edited.find("nop"), 3, "nop\\nnop\\nnop");
  repository.write("suite.toml", edited);
  ASSERT_NE(repository.commit("Change one"), first);
  EXPECT_THAT(run({"--reuse", "kept"}), HasSubstr("; of 1 its definition is another\n"));
  keep("kept");

  repository.write("suite.toml", kTwoInC);
  ASSERT_NE(repository.commit("Take it back"), first);
  for (const std::string store : {"kept", "git:runs"}) {
    EXPECT_THAT(run({"--reuse", store}), HasSubstr("1 counts are reused; 1 counted again as proof, and equal\n"));
  }
  EXPECT_THAT(run({"--reuse", "nowhere"}, 2), HasSubstr("nowhere: there is no such record, and no such history"));
  fs::create_directory(repository.path("another"));
  EXPECT_THAT(run({"--reuse", "another"}, 2), HasSubstr("another: there is no history; --reuse needs"));
  EXPECT_TRUE(fs::is_empty(repository.path("another")));
  // The branch is of the suite's repository, wherever the user stands; counts also follow from where that is.
  how.folder = "/";
  const Ran ran = tally({"run", repository.path("suite.toml"), "--counts-only", "--reuse", "git:runs"}, how);
  EXPECT_THAT(ran.err, HasSubstr("; of 2 its environment is another\n"));
}

TEST_F(ReuseTest, WhatCannotBeReusedIsRefusedBeforeAnythingRuns) {
  write("broken.json", "{");
  const Ran broken = tally({"run", "suite.toml", "--reuse", "broken.json"}, how_);
  EXPECT_EQ(broken.code, 2);
  const Ran profiles = tally({"run", "suite.toml", "--reuse", "a.json", "--profiles", "--json", "b.json"}, how_);
  EXPECT_EQ(profiles.code, 2);
  EXPECT_THAT(profiles.err, HasSubstr("a reused count has no profile"));
}

}  // namespace
}  // namespace tally::cli_test
