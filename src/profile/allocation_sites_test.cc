#include "profile/allocation_sites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/allocation_delta.h"
#include "profile/allocation_trace.h"

namespace tally {
namespace {

using testing::HasSubstr;

AllocationSite site(const std::string& function, const std::string& caller, std::uint64_t count, std::uint64_t bytes) {
  return {.frames = {{"lib.so", function}, {"program", caller}}, .python = {}, .count = count, .bytes = bytes};
}

TEST(AllocationTrace, IsReadWhole) {
  const auto trace = parse_allocation_trace(
      "allocations 1\nsite c 200 6400\nframe 1f /lib/a b.so\nframe 2e /bin/x\n"
      "site python 100 5700\npython 12\ttotal\t/home/u/ledger.py\nlost 3\nend\n");
  ASSERT_TRUE(trace) << describe(trace.error());
  ASSERT_EQ(trace->sites.size(), 2);
  EXPECT_EQ(trace->sites[0].count, 200);
  EXPECT_EQ(trace->sites[0].bytes, 6400);
  ASSERT_EQ(trace->sites[0].frames.size(), 2);
  EXPECT_EQ(trace->sites[0].frames[0].address, 0x1f);
  EXPECT_EQ(trace->sites[0].frames[0].object, "/lib/a b.so");
  EXPECT_EQ(trace->sites[1].source, AllocationSource::python);
  EXPECT_EQ(trace->sites[1].python, (PythonPlace{"/home/u/ledger.py", "total", 12}));
  EXPECT_EQ(trace->lost, 3);
}

TEST(AllocationTrace, CutOffOrForeignIsRefused) {
  for (const char* text : {"", "allocations 1\nsite c 1 2\n", "allocations 2\nend\n", "allocations 1\nframe 1 a\nend\n",
                           "allocations 1\nsite c x 2\nend\n", "allocations 1\nend\nsite c 1 2\n"}) {
    EXPECT_FALSE(parse_allocation_trace(text)) << text;
  }
}

TEST(AllocationSites, AreMergedByNameAndOrderedByBytes) {
  const auto all = merged({site("f", "main", 1, 10), site("g", "main", 1, 50), site("f", "main", 2, 20)});
  ASSERT_EQ(all.size(), 2);
  EXPECT_EQ(all[0].frames[0].function, "g");
  EXPECT_EQ(all[1].count, 3);
  EXPECT_EQ(all[1].bytes, 30);
}

TEST(AllocationSites, ComeBackFromJson) {
  AllocationSites kept{.iterations = 100, .sites = {site("f", "main", 100, 800), site("g", "main", 3, 9)}, .lost = 2};
  kept.sites[1].source = AllocationSource::python;
  kept.sites[1].python = {"ledger.py", "total", 12};
  const auto again = allocation_sites_from_json(to_json(kept), "x.json");
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(*again, kept);
}

TEST(AllocationSites, WhatDoesNotFitIsOneErrorWithItsPlace) {
  for (const char* text :
       {"{}", "[", R"({"allocations":2})",
        R"({"allocations":1,"iterations":0,"lost":0,"strings":[],"frames":[],"python":[],"sites":[]})",
        R"({"allocations":1,"iterations":1,"lost":0,"strings":[],"frames":[],"python":[],)"
        R"("sites":[[0,1,1,0,7]]})",
        R"({"allocations":1,"iterations":1,"lost":0,"strings":["a"],"frames":[[0,1]],"python":[],)"
        R"("sites":[]})",
        R"({"allocations":1,"iterations":1,"lost":0,"strings":["a",""],"frames":[],"python":[[0,1,13]],)"
        R"("sites":[[1,3,96,1]]})"}) {
    const auto read = allocation_sites_from_json(text, "x.json");
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(describe(read.error()), HasSubstr("x.json"));
  }
}

TEST(AllocationDelta, NamesTheOneThatWasAddedAndNothingElse) {
  const AllocationSites before{.iterations = 100, .sites = {site("keep", "main", 100, 800)}};
  const AllocationSites after{.iterations = 50,
                              .sites = {site("keep", "main", 50, 400), site("extra", "grow", 50, 3200)}};
  const auto deltas = allocation_deltas(before, after);
  ASSERT_EQ(deltas.size(), 1);
  EXPECT_EQ(describe(deltas[0]), "+1 allocation of 64 B in extra from grow");
  EXPECT_EQ(describe(allocation_deltas(after, before).at(0)), "-1 allocation of 64 B in extra from grow");
  EXPECT_TRUE(allocation_deltas(before, before).empty());
}

TEST(AllocationDelta, MoreBytesInAsManyAllocations) {
  const auto deltas = allocation_deltas({.iterations = 10, .sites = {site("f", "main", 20, 160)}},
                                        {.iterations = 10, .sites = {site("f", "main", 20, 320)}});
  ASSERT_EQ(deltas.size(), 1);
  EXPECT_EQ(describe(deltas[0]), "+16 B in allocations in f from main");
}

TEST(AllocationDelta, ALineMoreAboveIsNoChange) {
  AllocationSites before{.iterations = 1, .sites = {site("list_new", "eval", 1, 56)}};
  before.sites[0].python = {"ledger.py", "total", 12};
  AllocationSites after = before;
  after.sites[0].python.line = 13;
  EXPECT_TRUE(allocation_deltas(before, after).empty());
}

}  // namespace
}  // namespace tally
