#include "plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace tally {
namespace {

using testing::ElementsAre;

Suite suite() {
  Suite suite;
  EXPECT_TRUE(
      suite.add(Benchmark{.label = {"alpha", "x[0] = 1"}, .py = {"x"}, .cpp = {"x;"}, .options = {.tags = {"slow"}}}));
  EXPECT_TRUE(suite.add(Benchmark{.label = {"beta"}, .cpp = {"y(${n});"}, .params = {{"n", {"4", "64"}, {}}}}));
  EXPECT_TRUE(suite.add(Benchmark{.label = {"gamma"}, .cpp = {"z;"}, .options = {.threads = {1, 2}}}));
  return suite;
}

std::vector<std::string> ids(const Selection& selection) {
  const auto plan = make_plan(suite(), {.selection = selection});
  EXPECT_TRUE(plan) << describe(plan.error());
  std::vector<std::string> result;
  if (!plan) return result;
  for (const Case& one : plan->cases) result.push_back(one.id);
  return result;
}

TEST(Select, AnIdMatchesItselfThoughItHoldsBrackets) {
  EXPECT_THAT(ids({.filters = {"alpha/x[0] = 1 [cpp]"}}), ElementsAre("alpha/x[0] = 1 [cpp]"));
}

TEST(Select, GlobsMatchTheWholeIdAndPlainTextAPart) {
  EXPECT_THAT(ids({.filters = {"beta*"}}), testing::SizeIs(2));
  EXPECT_THAT(ids({.filters = {"*threads=2*"}}), ElementsAre("gamma [cpp threads=2]"));
  EXPECT_THAT(ids({.filters = {"amm"}}), testing::SizeIs(2));
  EXPECT_THAT(ids({.filters = {"alpha*python*", "gamma"}}), testing::SizeIs(3)) << "filters are alternatives";
}

TEST(Select, KeysMatchTheirValue) {
  EXPECT_THAT(ids({.filters = {"language=python"}}), ElementsAre("alpha/x[0] = 1 [python]"));
  EXPECT_THAT(ids({.filters = {"tag=slow"}, .excludes = {"language=cpp"}}), testing::SizeIs(1));
  EXPECT_THAT(ids({.filters = {"n=6*"}}), ElementsAre("beta [cpp n=64]"));
  EXPECT_THAT(ids({.filters = {"threads=2"}}), ElementsAre("gamma [cpp threads=2]"));
  EXPECT_THAT(ids({.excludes = {"runtime=eager"}}), testing::IsEmpty());
  EXPECT_THAT(ids({.filters = {"autograd=forward"}}), testing::SizeIs(6));
}

TEST(Select, AFilterThatMatchesNothingIsAnError) {
  const auto plan = make_plan(suite(), {.selection = {.filters = {"gamma [cpp threads=3]"}}});
  ASSERT_FALSE(plan);
  EXPECT_EQ(describe(plan.error()),
            "--filter: no case matches 'gamma [cpp threads=3]'; did you mean 'gamma [cpp threads=2]'?");
}

TEST(Plan, PartsAreDisjointAndCompleteAndKnowTheirPlaces) {
  const auto whole = make_plan(suite(), {});
  ASSERT_TRUE(whole);
  EXPECT_FALSE(whole->part);
  for (const std::optional<LastTimes>& last : {std::optional<LastTimes>(), std::optional(LastTimes{{"x", 1}})}) {
    std::map<std::size_t, std::string> places;
    std::set<std::string> digests;
    for (int i = 1; i <= 4; ++i) {
      const auto plan = make_plan(suite(), {.selection = {.shard = Shard{i, 4}, .last_times = last}});
      ASSERT_TRUE(plan && plan->part && plan->part->places);
      EXPECT_EQ(plan->part->index, i);
      EXPECT_EQ(plan->part->count, 4);
      EXPECT_EQ(plan->part->cases, 6U);
      digests.insert(plan->part->digest);
      ASSERT_EQ(plan->part->places->size(), plan->cases.size());
      for (std::size_t j = 0; j < plan->cases.size(); ++j)
        EXPECT_TRUE(places.emplace((*plan->part->places)[j], plan->cases[j].id).second);
    }
    EXPECT_EQ(digests.size(), 1U) << "of the whole plan, whichever part it is";
    ASSERT_EQ(places.size(), 6U);
    for (const auto& [place, id] : places) EXPECT_EQ(id, whole->cases[place].id);
  }
}

TEST(Plan, ThePartsDigestIsOfWhatWouldMakeAnotherPlan) {
  const auto digest = [](const Suite& suite, const Selection& selection) {
    return make_plan(suite, {.selection = selection})->part->digest;
  };
  Suite changed = suite();
  ASSERT_TRUE(changed.add(Benchmark{.label = {"delta"}, .cpp = {"d;"}}));
  const std::string own = digest(suite(), {.shard = Shard{1, 2}});
  EXPECT_NE(own, digest(changed, {.shard = Shard{1, 2}}));
  EXPECT_NE(own, digest(suite(), {.shard = Shard{1, 3}}));
  EXPECT_NE(own, digest(suite(), {.excludes = {"gamma"}, .shard = Shard{1, 2}}));
  EXPECT_NE(own, digest(suite(), {.shard = Shard{1, 2}, .last_times = LastTimes()})) << "dealt in another way";
}

TEST(Plan, EqualSnippetsAreBuiltOnce) {
  const auto plan = make_plan(suite(), {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->cases.size(), 6U);
  ASSERT_EQ(plan->builds.size(), 4U);  // gamma's two thread counts share one
  EXPECT_THAT(plan->builds[3].cases, ElementsAre(4U, 5U));
  EXPECT_TRUE(plan->artifacts.empty());
  ASSERT_EQ(plan->toolchains.size(), 2U);
  EXPECT_EQ(plan->toolchains[0].name, "cpp");
}

TEST(Plan, ArtifactsAreMadeOnceForBothLanguages) {
  Suite torch;
  ASSERT_TRUE(torch.add(Benchmark{.label = {"a"},
                                  .py = {"y = x + 1"},
                                  .cpp = {"auto y = x + 1;"},
                                  .signature = {"f(x) -> y"},
                                  .runtimes = {{"torchscript", {}}},
                                  .options = {.toolchain = "torch"}}));
  const auto plan = make_plan(torch, {});
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->artifacts.size(), 1U);
  EXPECT_THAT(plan->artifacts[0].cases, ElementsAre(1U, 3U));
}

/// "file" with these benchmarks, as one of a suite's programs.
Suite with_program(std::vector<std::string> names, const Program& program) {
  Suite listed;
  Toolchain toolchain;
  toolchain.name = "program";
  toolchain.own_host.executable = "/build/file";
  EXPECT_TRUE(listed.add_toolchain(std::move(toolchain)));
  for (std::string& name : names) {
    EXPECT_TRUE(listed.add(Benchmark{.label = {"file", name},
                                     .cpp = {name + "/${n}"},
                                     .params = {{.name = "n", .values = {"8", "64"}}},
                                     .options = {.toolchain = "program"}}));
  }
  Suite suite;
  EXPECT_TRUE(suite.add(Benchmark{.label = {"sort"}, .cpp = {"f();"}}));
  EXPECT_TRUE(suite.add(program, listed));
  return suite;
}

std::vector<std::string> ids_of(const Plan& plan) {
  std::vector<std::string> ids;
  ids.reserve(plan.cases.size());
  for (const Case& one : plan.cases) ids.push_back(one.id);
  return ids;
}

TEST(Plan, AProgramsFilterIsForItsOwnCases) {
  const Suite suite = with_program(
      {"sort", "map"}, {.path = "file", .filters = {"file/sort*", "n=8"}, .excludes = {"file/sort [cpp n=8]"}});
  const auto plan = make_plan(suite, {});
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_THAT(ids_of(*plan), ElementsAre("sort [cpp]", "file/sort [cpp n=64]", "file/map [cpp n=8]"));
  EXPECT_EQ(plan->builds.size(), 1U) << "programs are built already";
  EXPECT_THAT(plan_json(*plan), testing::HasSubstr("\"path\": \"/build/file\""));
  Program wrong{.path = "file", .filters = {"file/srt [cpp n=8]"}};
  wrong.filter_at = {"suite.toml", 7, 10};
  const auto none = make_plan(with_program({"sort"}, wrong), {});
  ASSERT_FALSE(none);
  EXPECT_EQ(describe(none.error()),
            "suite.toml:7:10: no case matches 'file/srt [cpp n=8]'; did you mean 'file/sort [cpp n=8]'?");
}

TEST(Plan, ArgumentsOfAProgramArePartOfTheDefinition) {
  const auto digest = [](const Program& program) {
    return make_plan(with_program({"sort"}, program), {})->cases.back().digest;
  };
  EXPECT_EQ(digest({.path = "a/file"}), digest({.path = "b/file"}));
  EXPECT_NE(digest({.path = "file", .args = {"--large"}}), digest({.path = "file"}));
}

TEST(Plans, OfTwoSidesAreSelectedTogether) {
  const Suite a = with_program({"sort", "old"}, {.path = "file"});
  const Suite b = with_program({"new", "sort"}, {.path = "file"});
  const auto plans = [&](const Selection& selection) { return make_plans(a, b, {.selection = selection}); };
  const auto some = plans({.filters = {"file/old", "file/sort"}, .excludes = {"n=8"}});
  ASSERT_TRUE(some) << describe(some.error());
  EXPECT_THAT(ids_of((*some)[0]), ElementsAre("file/sort [cpp n=64]", "file/old [cpp n=64]"));
  EXPECT_THAT(ids_of((*some)[1]), ElementsAre("file/sort [cpp n=64]"));
  std::vector<std::string> common;
  for (int i = 1; i <= 2; ++i) {
    const auto part = plans({.shard = Shard{i, 2}});
    ASSERT_TRUE(part);
    for (const std::string& id : ids_of((*part)[0]))
      if (!id.contains("old")) EXPECT_THAT(ids_of((*part)[1]), testing::Contains(id));
  }
  EXPECT_FALSE(plans({.filters = {"nowhere"}}));
  const auto apart = plans({.filters = {"file/old", "file/new"}});
  ASSERT_FALSE(apart);
  EXPECT_THAT(describe(apart.error()), testing::HasSubstr("no case in common"));
}

TEST(Plan, RepeatIsPositive) { EXPECT_FALSE(make_plan(suite(), {.repeat = 0})); }

}  // namespace
}  // namespace tally
