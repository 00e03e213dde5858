#include <nlohmann/json.hpp>

#include "harness.h"

namespace tally::cli_test {
namespace {

using testing::HasSubstr;

/// Parts of a plan in a folder of their own.
class Parts : public testing::Test {
 protected:
  Parts() : folder_(TemporaryFolder::make().value()) {}
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  [[nodiscard]] Record record(const std::string& name) const {
    auto record = record_from_json(read_file(path(name)).value_or(""), name);
    EXPECT_TRUE(record) << describe(record.error());
    return record ? *std::move(record) : Record{};
  }
  void measure(const std::vector<std::string>& more, const std::string& name) const {
    std::vector<std::string> arguments = {"run",       suite("known_work"), "--counts-only", "--quiet",
                                          "--exclude", "four threads",      "--json",        path(name)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ran ran = tally(arguments);
    EXPECT_EQ(ran.code, 0) << ran.err;
  }
  TemporaryFolder folder_;
};

/// What counting says of a case, and nothing of when and where.
std::map<std::string, Counts> counts_of(const Record& record) {
  std::map<std::string, Counts> counts;
  for (const CaseRecord& one : record.cases) counts[one.id] = one.counts.value_or(Counts{});
  return counts;
}

TEST_F(Parts, AreTheWholeAgainToTheInstruction) {
  measure({}, "whole.json");
  for (const std::string part : {"3", "1", "2"}) measure({"--shard", part + "/3", "--profiles"}, "p" + part + ".json");
  EXPECT_EQ(record("p2.json").part->index, 2);

  const Ran partial = tally({"merge", path("p1.json"), path("p3.json"), "-o", path("all.json")});
  EXPECT_EQ(partial.code, 1);
  EXPECT_THAT(partial.err, HasSubstr("of the 3 parts of this plan, one is missing: 2; measure with --shard 2/3"));
  EXPECT_FALSE(fs::exists(path("all.json")));
  const Ran marked = tally({"merge", path("p1.json"), path("p3.json"), "-o", path("some.json"), "--partial"});
  EXPECT_EQ(marked.code, 0) << marked.err;
  EXPECT_EQ(*record("some.json").part->missing, std::vector<int>{2});

  fs::create_directories(path("elsewhere"));
  const std::string all = path("elsewhere/all.json");
  const Ran merged = tally({"merge", path("p2.json"), path("some.json"), path("p1.json"), "-o", all});
  ASSERT_EQ(merged.code, 0) << merged.err;
  EXPECT_EQ(merged.out, all + ": 3 cases of 3 parts, measured on 1 machine\n");
  const Record joined = record("elsewhere/all.json");
  const Record whole = record("whole.json");
  EXPECT_EQ(counts_of(joined), counts_of(whole));
  EXPECT_EQ(joined.environments, whole.environments);
  EXPECT_EQ(joined.fingerprint, whole.fingerprint);
  ASSERT_EQ(joined.cases.size(), whole.cases.size());
  for (std::size_t i = 0; i < whole.cases.size(); ++i) EXPECT_EQ(joined.cases[i].id, whole.cases[i].id);
  const Ran compared = tally({"compare", path("whole.json"), all});
  EXPECT_EQ(compared.code, 0);
  EXPECT_THAT(compared.out, HasSubstr("3 same"));
  // Profiles are beside it.
  const Ran profile = tally({"profile", all + "#thousand nops [cpp]"});
  EXPECT_EQ(profile.code, 0) << profile.err;
  const Ran sites = tally({"profile", "--memory", all + "#thousand nops [cpp]"});
  EXPECT_EQ(sites.code, 0) << sites.err;
  EXPECT_EQ(tally({"merge", path("whole.json"), "-o", "-"}).code, 2) << "a whole run is no part";
  // A record may be anybody's, and is no way to other files.
  std::string text = read_file(path("p2.json")).value();
  const std::string inside = "\"p2.json.profiles/";
  ASSERT_TRUE(text.contains(inside));
  text.replace(text.find(inside), inside.size(), "\"../p2.json.profiles/");
  ASSERT_TRUE(write_file(path("p2.json"), text));
  const Ran outside = tally({"merge", path("p1.json"), path("p2.json"), path("p3.json"), "-o", all});
  EXPECT_EQ(outside.code, 2);
  EXPECT_THAT(outside.err, HasSubstr("would lie outside of the record's folder"));
}

TEST_F(Parts, AreDealtByLastTimesAndOnlyThoseBelongTogether) {
  measure({}, "whole.json");
  const auto list = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"list", suite("known_work"), "--exclude", "four threads"});
    return tally(more).out;
  };
  std::string both;
  for (const std::string part : {"1", "2"}) {
    const std::string dealt = list({"--shard", part + "/2", "--balance", path("whole.json")});
    EXPECT_NE(dealt, "") << "of three cases no part is empty";
    both += dealt;
  }
  EXPECT_EQ(both.size(), list({}).size());
  measure({"--shard", "1/2", "--balance", path("whole.json")}, "p1.json");
  measure({"--shard", "2/2"}, "p2.json");
  const Ran merged = tally({"merge", path("p1.json"), path("p2.json"), "-o", path("all.json")});
  EXPECT_EQ(merged.code, 2);
  EXPECT_THAT(merged.err, HasSubstr("they are parts of different plans"));
}

}  // namespace
}  // namespace tally::cli_test
