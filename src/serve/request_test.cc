#include "serve/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "json/text.h"
#include "record/example_record.h"
#include "record/json.h"

namespace tally::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

/// A measure request with these members besides what every one needs.
std::string measure(const std::string& members) {
  return fmt::format(
      R"({{"request":"measure","id":2,"suite":{{"text":"schema = 1"}},"environment":{{"B":"2","A":"1"}},)"
      R"("working_folder":"/home/me"{}}})",
      members.empty() ? "" : "," + members);
}

MeasureRequest measure_of(const std::string& members) {
  const ParsedRequest parsed = parse_request(measure(members));
  EXPECT_TRUE(parsed.request) << describe(parsed.request.error());
  return parsed.request ? std::get<MeasureRequest>(*parsed.request) : MeasureRequest{};
}

std::string error_of(const std::string& line) {
  const ParsedRequest parsed = parse_request(line);
  EXPECT_FALSE(parsed.request) << line;
  return parsed.request ? "" : describe(parsed.request.error());
}

TEST(Request, HelloSaysItsProtocol) {
  const ParsedRequest parsed = parse_request(R"({"request":"hello","id":"a","protocol":7,"client":"me"})");
  ASSERT_TRUE(parsed.request);
  EXPECT_EQ(parsed.id, json::Value("a"));
  EXPECT_EQ(std::get<HelloRequest>(*parsed.request).protocol, 7U);
  EXPECT_THAT(error_of(R"({"request":"hello","id":1})"), HasSubstr("hello.protocol: is missing"));
}

TEST(Request, AMeasureHasDefaultsForWhatItDoesNotSay) {
  const MeasureRequest request = measure_of("");
  EXPECT_EQ(request.suite.text, "schema = 1");
  EXPECT_EQ(request.settings, Settings{});
  EXPECT_EQ(request.caller.working_folder, "/home/me");
  EXPECT_THAT(request.caller.environment, ElementsAre(Pair("A", "1"), Pair("B", "2"))) << "sorted, as anybody's";
  EXPECT_FALSE(request.journal || request.profiles || request.keeps_profiles);
}

TEST(Request, AMeasureSaysHowAndWhat) {
  const MeasureRequest request = measure_of(
      R"("select":{"filter":"tag=x","exclude":["a","b"],"shard":"2/3"},)"
      R"("settings":{"wall":false,"iterations":7,"replicates":9,"number_per_run":3,"timeout_s":2.5,"kept_environment":["N"]},)"
      R"("tools":{"python":"/p","cxx":null},"cores":"0-1","command":["x"],)"
      R"("journal":{"path":"/j","resume":true},"profiles":{"folder":"/f","name":"n"})");
  EXPECT_THAT(request.selection.filters, ElementsAre("tag=x"));
  EXPECT_THAT(request.selection.excludes, ElementsAre("a", "b"));
  EXPECT_EQ(request.selection.shard->index, 2);
  EXPECT_FALSE(request.settings.wall);
  EXPECT_EQ(request.settings.iterations, 7U);
  EXPECT_EQ(request.settings.replicates, 9);
  EXPECT_EQ(request.settings.max_replicates, Settings{}.max_replicates) << "who measures derives it";
  EXPECT_EQ(request.settings.number_per_run, 3U);
  EXPECT_EQ(request.settings.timeout_s, 2.5);
  EXPECT_EQ(request.tools.python, "/p");
  EXPECT_EQ(request.cores, "0-1");
  ASSERT_TRUE(request.journal && request.profiles);
  EXPECT_TRUE(request.journal->resume);
  EXPECT_EQ(request.profiles->folder, "/f");
  EXPECT_TRUE(measure_of(R"("profiles":true)").keeps_profiles);
}

TEST(Request, EveryMistakeHasItsPlace) {
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {R"("setings":{})", "measure: unknown key 'setings'; did you mean 'settings'?"},
      {R"("settings":{"iteration":1})", "measure.settings: unknown setting 'iteration'; known are counts, wall, "},
      {R"("settings":{"iterations":1.5})", "measure.settings.iterations: must be a whole number"},
      {R"("settings":{"iterations":0})", "measure.settings.iterations: must be from 1 to 1000000000, not 0"},
      {R"("settings":{"number_per_run":0})", "measure.settings.number_per_run: must be from 1 to"},
      {R"("settings":{"isolation":"none"})", "measure.settings.isolation: 'none' is not one of fork, process"},
      {R"("settings":{"wall":false,"counts":false})", "measure.settings: nothing is to be measured"},
      {R"("select":{"shard":"3/2"})", "3/2"},
      {R"("journal":{"path":"j"})", "measure.journal.path: must be an absolute path"},
      {R"("profiles":{"folder":"/f"})", "measure.profiles.name: is missing"},
      {R"("environment":{"A":1})", "measure.environment.A: must be a text"},
      {R"("environment":{"A=B":"1"})",
       "measure.environment: has a name or a value that no environment can have; look at 'A=B'"},
      {R"("environment":{"":"1"})", "measure.environment: has a name or a value that no environment can have; look at"},
      {R"("settings":{"kept_environment":["A","B=C"]})",
       "measure.settings.kept_environment[1]: 'B=C' is not the name of a variable"},
      {R"("settings":{"memory_bytes":0})", "measure.settings.memory_bytes: must be from 1 to"},
      {R"("settings":{"precision":"1"})", "measure.settings.precision: must be a number"},
      {R"("cores":"99-5,x")", "measure.cores: '99-5' is not a CPU or a range of CPUs"},
      {R"("cores":5)", "measure.cores: must be a text"},
      {R"("working_folder":"here")", "measure.working_folder: must be an absolute path"},
      {R"("suite":{"path":"x"})", "measure.suite.text: a suite is either a text or a document"},
      {R"("suite":{"text":"","document":{}})", "measure.suite.text: a suite is either a text or a document"},
  };
  for (const auto& [members, message] : mistakes)
    EXPECT_THAT(error_of(measure(members)), HasSubstr(message)) << members;
}

TEST(Request, WhatIsNoRequestIsRefusedAndKeepsItsId) {
  EXPECT_THAT(error_of("no request"), HasSubstr("write one document to a line"));
  EXPECT_THAT(error_of("[]"), HasSubstr("request: a request is an object; there are hello, measure"));
  EXPECT_THAT(error_of(R"({"request":"hallo","id":1})"), HasSubstr("unknown request 'hallo'"));
  EXPECT_THAT(error_of(R"({"request":"status"})"), HasSubstr("status.id: a request needs an id"));
  EXPECT_THAT(error_of(R"({"request":"cancel","id":1,"of":[]})"), HasSubstr("cancel.of: must be the id"));
  EXPECT_EQ(parse_request(R"({"request":"hallo","id":77})").id, json::Value(77));
  EXPECT_TRUE(parse_request(R"({"request":"hallo","id":{}})").id.is_null());
}

TEST(Request, ADocumentBesideItsLineIsKnownByItAlone) {
  EXPECT_EQ(passed_bytes(R"({"passed": 5000000})"), 5'000'000U);
  for (const char* other : {R"({"passed":"1"})", R"({"passed":1,"id":1})", "{}", "", R"({"passed":-1})"})
    EXPECT_FALSE(passed_bytes(other)) << other;
}

std::string two_records(const std::string& request, const std::string& more) {
  const std::string record = json::to_text(*json::parse(to_json(example_record())));
  return fmt::format(R"({{"request":"{}","id":1,"base":{},"next":{}{}}})", request, record, record, more);
}

TEST(Request, TwoRecordsAreComparedOrJudged) {
  const ParsedRequest compared = parse_request(two_records("compare", ""));
  ASSERT_TRUE(compared.request) << describe(compared.request.error());
  EXPECT_EQ(std::get<CompareRequest>(*compared.request).base, example_record());
  const ParsedRequest judged =
      parse_request(two_records("check", R"(,"limits":["instructions=+1%","time=2us"],"allow_uncompared":true)"));
  ASSERT_TRUE(judged.request) << describe(judged.request.error());
  const auto& check = std::get<CheckRequest>(*judged.request);
  ASSERT_EQ(check.limits.size(), 2U);
  EXPECT_EQ(check.limits[1].text, "time=2us");
  EXPECT_TRUE(check.allow_uncompared);
  EXPECT_EQ(check.next, example_record());
}

TEST(Request, WhatIsNoRecordOrNoLimitIsRefusedByItsKey) {
  EXPECT_THAT(error_of(R"({"request":"compare","id":1,"next":{}})"), HasSubstr("compare.base: is missing"));
  EXPECT_THAT(error_of(R"({"request":"compare","id":1,"base":{"schema":2},"next":{}})"), HasSubstr("compare.base"));
  EXPECT_THAT(error_of(two_records("check", "")), HasSubstr("check.limits: is missing"));
  EXPECT_THAT(error_of(two_records("check", R"(,"limits":["instructions"])")), HasSubstr("check.limits"));
}

}  // namespace
}  // namespace tally::serve
