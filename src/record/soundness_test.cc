#include "record/soundness.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "base/text.h"
#include "record/example_record.h"
#include "record/json.h"
#include "record/part_text.h"

namespace tally {
namespace {

using testing::HasSubstr;

/// One way in which a record contradicts itself.
struct Damage {
  const char* name;
  std::function<void(CaseRecord&)> make;
  const char* message;  ///< Where, and what.
};

const std::vector<Damage>& damages() {
  static const std::vector<Damage> all = {
      {"another figure", [](CaseRecord& one) { one.counts->per_iteration = 1; },
       "cases[0].counts.per_iteration: 1, where its replicates, baseline and iterations give 1000"},
      {"huge", [](CaseRecord& one) { one.counts->per_iteration = 1e300; },
       "cases[0].counts.per_iteration: 1e+300 is not a count"},
      {"no replicates", [](CaseRecord& one) { one.counts->replicates.clear(); },
       "cases[0].counts.replicates: there are none"},
      {"no iterations", [](CaseRecord& one) { one.counts->iterations = 0; },
       "cases[0].counts.iterations: must be 1 or more"},
      {"other iterations", [](CaseRecord& one) { one.counts->iterations = 50; },
       "cases[0].counts.per_iteration: 1000, where"},
      {"a replicate apart", [](CaseRecord& one) { one.counts->replicates.back() *= 50; },
       "cases[0].counts.per_iteration"},
      {"another baseline", [](CaseRecord& one) { one.counts->baseline = 0; },
       "cases[0].counts.baseline: 0, where the median of baseline_replicates is 700"},
      {"another spread", [](CaseRecord& one) { one.counts->spread = 0.5; }, "cases[0].counts.spread: 0.5 is not that"},
      {"a huge event", [](CaseRecord& one) { one.counts->allocations = 1e300; },
       "cases[0].counts.allocations: 1e+300 is not a count"},
      {"a reversed floor", [](CaseRecord& one) { one.counts->floor = NoiseFloor{.low = 1010, .high = 990}; },
       "cases[0].counts.floor: it is reversed: low is 1010, high is 990"},
      {"a floor of nothing", [](CaseRecord& one) { one.counts->floor = NoiseFloor{.low = 0, .high = 1e12}; },
       "cases[0].counts.floor: it is from 0 to 1e+12, and its samples and replicates lie from 1000 to 1000"},
      {"no threads", [](CaseRecord& one) { one.threads = 0; }, "cases[0].threads: must be 1 or more"},
      {"a time apart", [](CaseRecord& one) { one.wall->median_s = 1; }, "cases[0].wall.median_s: 1, where its samples"},
      {"a huge time", [](CaseRecord& one) { one.wall->replicates_s[0] = 1e300; },
       "cases[0].wall.replicates_s: 1e+300 is not a time"},
      {"no samples",
       [](CaseRecord& one) {
         one.wall->replicates_s.clear();
         one.wall->samples_per_child.clear();
       },
       "cases[0].wall.replicates_s: there are none"},
      {"samples of nobody", [](CaseRecord& one) { one.wall->samples_per_child.pop_back(); },
       "cases[0].wall.samples_per_child: does not add up to the number of replicates_s"},
      {"a reversed interval", [](CaseRecord& one) { std::swap(one.wall->interval_s.low, one.wall->interval_s.high); },
       "cases[0].wall.interval_s: it is reversed"},
      {"no number", [](CaseRecord& one) { one.wall->number_per_run = 0; }, "cases[0].wall.number_per_run"},
      {"no id", [](CaseRecord& one) { one.id.clear(); }, "cases[0].id: is empty"},
      {"another's id", [](CaseRecord& one) { one.id = "Pointwise/mul [cpp]"; },
       "cases[0].id: 'Pointwise/mul [cpp]', where the facts of the case make it 'Pointwise/add [cpp n=64 k=4]'"},
  };
  return all;
}

Record sound_record() {
  Record record = example_record();
  record.cases = {example_case("Pointwise/add [cpp n=64 k=4]"), example_case("b", 2000)};
  record.part = Part{.index = 1, .count = 1, .digest = "d", .cases = 2, .places = {}, .missing = {}};
  return record;
}

TEST(Soundness, WhatContradictsItselfIsRefusedWithThePlace) {
  for (const Damage& damage : damages()) {
    Record record = sound_record();
    damage.make(record.cases[0]);
    const auto read = record_from_json(to_json(record), "r.json");
    ASSERT_FALSE(read) << damage.name;
    EXPECT_THAT(describe(read.error()), HasSubstr(std::string("r.json: ") + damage.message)) << damage.name;
    EXPECT_EQ(read.error().kind, ErrorKind::input);
  }
}

/// A merge passes the text of cases on: it would spread the damage.
TEST(Soundness, APartIsHeldToTheSame) {
  const std::string good = to_json(sound_record());
  const auto part = read_part(good, "part.json");
  ASSERT_TRUE(part) << describe(part.error());
  EXPECT_EQ(part->cases.size(), 2U);
  for (const Damage& damage : damages()) {
    Record record = sound_record();
    damage.make(record.cases[0]);
    const auto read = read_part(to_json(record), "part.json");
    ASSERT_FALSE(read) << damage.name;
    EXPECT_THAT(describe(read.error()), HasSubstr(std::string("part.json: ") + damage.message)) << damage.name;
  }
}

TEST(Soundness, WhatTheReadersOfTextRefuse) {
  const std::string good = to_json(sound_record());
  struct Edit {
    const char* from;
    const char* to;
    const char* message;
  };
  const std::vector<Edit> edits = {
      {"\"per_iteration\":1000.0", "\"per_iteration\":1e999", "not JSON: number overflow"},
      {"\"per_iteration\":1000.0", "\"per_iteration\":NaN", "not JSON: parse error"},
      {"\"per_iteration\":1000.0", "\"per_iteration\":1000.0,\"per_iteration\":1.0",
       "the key 'per_iteration' stands there twice"},
      {"\"status\":\"ok\"", "\"status\":\"splendid\"", "must be one of ok, failed"},
      {"\"started\": \"2026-01-31T12:00:00Z\"", "\"started\": \"yesterday\"", "started: must be a moment"},
      {"\"threads\":1,", "\"threads\":1000000000000000000,", "threads: must be a whole number"},
      {"\"seconds\": 9.5", "\"seconds\": -1", "seconds: must be 0 or more"},
      {"\"cases\":2", "\"cases\":9223372036854775807", "part.cases: "},
      {"\"cases\": [", "\"cases\": [], \"cases\": [", "stands there twice"},
  };
  for (const Edit& edit : edits) {
    const std::string text = replace_all(good, edit.from, edit.to);
    ASSERT_NE(text, good) << edit.from;
    const auto record = record_from_json(text, "r.json");
    ASSERT_FALSE(record) << edit.to;
    EXPECT_THAT(record.error().message, HasSubstr(edit.message));
    EXPECT_FALSE(read_part(text, "r.json")) << edit.to;
  }
}

TEST(Soundness, WhatATallyWritesIsSound) {
  // Two rounds, pooled: the floor is of both, and the count may lie anywhere between.
  CaseRecord one = example_case("a", 1000);
  one.counts = summarize_counts(
      {.iterations = 100, .events = {"Ir"}, .replicates = {{100700}, {100900}, {101100}}, .baseline = {{700}, {701}}});
  one.counts->floor = noise_floor(1000, {{"hash_seed=1", 1010}, {"hash_seed=2", 998}});
  EXPECT_FALSE(fault_of(one)) << fault_of(one)->message;
  // A statement of nothing, and one from which more was taken off than it has.
  one.counts = summarize_counts({.iterations = 100, .events = {"Ir"}, .replicates = {{700}}, .baseline = {{1500}}});
  EXPECT_EQ(one.counts->per_iteration, -8);
  EXPECT_FALSE(fault_of(one)) << fault_of(one)->message;
  // As a history keeps it: each child's median, to five digits.
  one.wall->replicates_s = {1.0049e-6, 1.0101e-6};
  one.wall->samples_per_child = {1, 1};
  one.wall->median_s = 1.00490001e-6;
  EXPECT_FALSE(fault_of(one)) << fault_of(one)->message;
}

TEST(Soundness, ATextCutOrBentAnywhereIsNoCrash) {
  const std::string good = to_json(sound_record());
  std::size_t refused = 0;
  for (std::size_t at = 0; at < good.size(); at += 29) {
    refused += !record_from_json(std::string_view(good).substr(0, at), "r.json");
    std::ignore = read_part(std::string_view(good).substr(0, at), "r.json");
    std::string bent = good;
    bent[at] = static_cast<char>(bent[at] ^ (1 << (at % 8)));
    const auto record = record_from_json(bent, "r.json");
    const auto part = read_part(bent, "r.json");
    EXPECT_EQ(record.has_value(), part.has_value())
        << at << (record ? describe(part.error()) : describe(record.error()));
  }
  EXPECT_EQ(refused, (good.size() + 28) / 29) << "half a record is none";
}

}  // namespace
}  // namespace tally
