#include "cli/shell_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ShellTexts : public testing::Test {
 protected:
  ShellTexts() {
    program_.description = "Measures";
    OptionSet& run = program_.add_command("run", "Run it: don't wait");
    run.add("suite", &text_, "The file").required();
    run.add("-f,--filter", &list_, "Which ones").value_name("PATTERN");
    run.add("--color", &color_, "When").shows_default().one_of({"auto", "never"});
    run.add("--fast", &flag_, "Do not wait").excludes("--color");
    OptionSet& history = program_.add_command("history", "Keep records");
    history.add_command("add", "Add one").add("--store", &text_, "Where");
  }

  OptionSet program_{.name = "tally", .description = "", .footer = ""};
  std::string text_;
  std::string color_ = "auto";
  std::vector<std::string> list_;
  bool flag_ = false;
};

TEST_F(ShellTexts, BashKnowsWhatFollowsACommand) {
  const std::string script = completion_script(program_, "bash");
  EXPECT_THAT(script, HasSubstr("\" run\") command=\"run\" ;;"));
  EXPECT_THAT(script, HasSubstr("\"history add\") command=\"history add\" ;;"));
  EXPECT_THAT(script, HasSubstr("\"run\") words=\"-f --filter --color --fast --help\" ;;"));
  EXPECT_THAT(script, HasSubstr("\"\") words=\"run history --help --version\" ;;"));
  EXPECT_THAT(script, HasSubstr("\"run --color\") COMPREPLY=($(compgen -W \"auto never\""));
  EXPECT_THAT(script, HasSubstr("complete -o default -F _tally tally"));
}

TEST_F(ShellTexts, ZshAndFishSayWhatWordsMean) {
  const std::string zsh = completion_script(program_, "zsh");
  EXPECT_THAT(zsh, HasSubstr("'run:Run it: don'\\''t wait'"));
  EXPECT_THAT(zsh, HasSubstr("'--fast:Do not wait'"));
  const std::string fish = completion_script(program_, "fish");
  EXPECT_THAT(fish, HasSubstr("-f -a run -d 'Run it: don'\\''t wait'"));
  EXPECT_THAT(fish, HasSubstr("-l color -r -f -a 'auto never' -d 'When'"));
  EXPECT_THAT(fish, HasSubstr("-s f -l filter -r -d"));
  EXPECT_THAT(fish, Not(HasSubstr("-l fast -r")));
}

TEST_F(ShellTexts, EachCommandHasAPage) {
  std::vector<std::string> names;
  for (const auto& path : man_pages(program_)) names.push_back(man_page_name(program_, path));
  EXPECT_THAT(names, ElementsAre("tally", "tally-run", "tally-history", "tally-history-add"));
  const std::string run = man_page(program_, {"run"}, "tally 1");
  EXPECT_THAT(run, HasSubstr(".TH TALLY\\-RUN 1 \"\" \"tally 1\" \"\""));
  EXPECT_THAT(run, HasSubstr("\\fBtally run\\fR [\\fIOPTIONS\\fR] \\fIsuite\\fR\n"));
  EXPECT_THAT(run, HasSubstr("\\fB\\-f\\fR, \\fB\\-\\-filter\\fR \\fIPATTERN\\fR\nWhich ones\n"));
  EXPECT_THAT(run, HasSubstr("\\fIauto|never\\fR\nWhen (default: auto)\n"));
  EXPECT_THAT(run, HasSubstr("Do not wait; not with \\-\\-color\n"));
  EXPECT_THAT(man_page(program_, {}, ""), HasSubstr("\\fBtally\\-history\\fR(1)"));
}

}  // namespace
}  // namespace tally::cli
