#include "report/text/command_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/text.h"
#include "record/example_record.h"

namespace tally {
namespace {

using testing::HasSubstr;

CaseRecord command(const std::string& label, const std::string& text) {
  CaseRecord one = example_case(label, 2156282673);
  one.label = {label};
  one.language = "command";
  one.params.clear();
  one.definition.stmt = text;
  return one;
}

TEST(CommandReport, CsvHasAllDigits) {
  Record record = example_record();
  record.cases = {command("a", "a")};
  record.cases[0].counts->spread = 0.123456789012;
  record.cases[0].wall->median_s = 1.23456789012345;
  EXPECT_THAT(commands_to_csv(record), HasSubstr("\na,ok,2156282673,0.123456789012,1.23456789012345,"));
}

TEST(CommandReport, HyperfinesCommandIsItsNameWhereItWasGivenOne) {
  const std::string longer = "echo " + std::string(200, 'x');
  Record record = example_record();
  record.cases = {command("a b", "'a b'"), command("short", "gzip -9 big"),
                  command(longer.substr(0, 160) + "… 12345678", longer), command("mine… too", "gzip")};
  const auto json = json::parse(to_hyperfine(record));
  ASSERT_TRUE(json);
  std::vector<std::string> commands;
  commands.reserve(record.cases.size());
  for (std::size_t i = 0; i < record.cases.size(); ++i)
    commands.push_back((*json)["results"][i]["command"].text_or(""));
  EXPECT_THAT(commands, testing::ElementsAre("'a b'", "short", longer, "mine… too"));
}

}  // namespace
}  // namespace tally
