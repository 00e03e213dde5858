#include "record/merge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "record/example_record.h"
#include "record/json.h"

namespace tally {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A record that was read from a file.
struct MergeInput {
  std::string name;
  Record record;
};

/// By way of its text, as the command does.
Result<Record> joined(const std::vector<MergeInput>& inputs, const MergeOptions& options = {},
                      std::vector<int>* unready = nullptr) {
  std::vector<std::string> texts;
  std::vector<PartText> parts;
  for (const MergeInput& input : inputs) {
    texts.push_back(to_json(input.record));
    auto part = read_part(texts.back(), input.name);
    if (!part) return std::unexpected(part.error());
    parts.push_back(*std::move(part));
  }
  const auto text_of = [&](std::size_t input, std::size_t index) -> Result<std::string> {
    const CaseText& one = parts[input].cases[index];
    return texts[input].substr(one.offset, one.bytes);
  };
  const auto merged = merge(parts, options, text_of);
  if (!merged) return std::unexpected(merged.error());
  if (unready != nullptr) *unready = merged->unready;
  std::string text;
  const auto written = write_json(
      merged->head, merged->cases.size(),
      [&](std::size_t i) -> Result<std::string> {
        const MergedCase& one = merged->cases[i];
        return placed(*text_of(one.input, one.index), parts[one.input].cases[one.index], one.place);
      },
      [&](std::string_view piece) {
        text += piece;
        return Status{};
      });
  EXPECT_TRUE(written);
  auto record = record_from_json(text, "merged.json");
  EXPECT_TRUE(record) << describe(record.error());
  if (record) EXPECT_EQ(to_json(*record), text) << "it is written as any other record";
  return record;
}

Environment environment(std::map<std::string, std::string> facts) {
  facts["mapped.libc.so.6"] = "c1";
  return {.facts = std::move(facts), .subject = {{"libtorch_cpu.so", "t1"}}, .fingerprint = {}};
}

/// A run of `count` cases in two environments, not in parts.
Record whole_run(std::size_t count) {
  Record record = example_record();
  record.environments = {{"torch [cpp]", environment({{"compiler", "clang 19"}})},
                         {"torch [python]", environment({{"python", "3.11"}})}};
  record.cases.clear();
  for (std::size_t i = 0; i < count; ++i) {
    CaseRecord one =
        example_case(fmt::format("case {} [{}]", i, i % 3 == 0 ? "python" : "cpp"), 1000 + static_cast<double>(i));
    if (i % 3 == 0) one.language = "python";
    if (i % 7 == 0) {
      one.status = CaseStatus::failed;
      one.counts.reset();
      one.failure = Failure{.stage = "setup", .message = "no such thing", .reproduce = ""};
    }
    record.cases.push_back(std::move(one));
  }
  set_fingerprints(record);
  return record;
}

/// The parts of a run, dealt by `random`. Each names only the environments that its cases need, as real ones do.
std::vector<MergeInput> split(const Record& whole, int count, std::mt19937& random) {
  std::vector<MergeInput> parts;
  for (int i = 1; i <= count; ++i) {
    MergeInput& input = parts.emplace_back(MergeInput{fmt::format("p{}.json", i), whole});
    Record& part = input.record;
    part.cases.clear();
    part.environments.clear();
    part.part = Part{.index = i,
                     .count = count,
                     .digest = "the whole plan's",
                     .cases = whole.cases.size(),
                     .places = std::vector<std::size_t>(),
                     .missing = {}};
    part.started = fmt::format("2026-01-31T12:00:{:02}Z", i % 60);
    part.seconds = i;
    part.command.push_back(fmt::format("--shard {}/{}", i, count));
    part.machines.front().name = fmt::format("node{}", i % 3);
  }
  for (std::size_t place = 0; place < whole.cases.size(); ++place) {
    Record& part = parts[random() % parts.size()].record;
    part.part->places->push_back(place);
    part.cases.push_back(whole.cases[place]);
    const std::string name = environment_name("torch", whole.cases[place].language);
    part.environments[name] = whole.environments.at(name);
  }
  for (MergeInput& one : parts) set_fingerprints(one.record);
  return parts;
}

Record merged(const std::vector<MergeInput>& inputs) {
  auto result = joined(inputs);
  EXPECT_TRUE(result) << describe(result.error());
  return result ? *std::move(result) : Record{};
}

Error refusal(const std::vector<MergeInput>& inputs, bool per_environment = false) {
  const auto result = joined(inputs, {.per_environment = per_environment});
  EXPECT_FALSE(result);
  return result ? Error{} : result.error();
}

/// What must be as in a run that was not split.
void expect_whole(const Record& record, const Record& whole) {
  ASSERT_EQ(record.cases.size(), whole.cases.size());
  for (std::size_t i = 0; i < whole.cases.size(); ++i) {
    CaseRecord one = record.cases[i];
    EXPECT_LT(one.machine, record.machines.size());
    one.machine = 0;
    EXPECT_EQ(one, whole.cases[i]);
  }
  EXPECT_EQ(record.environments, whole.environments);
  EXPECT_EQ(record.fingerprint, whole.fingerprint);
  EXPECT_EQ(record.settings, whole.settings);
  ASSERT_TRUE(record.part);
  EXPECT_FALSE(record.part->missing || record.part->places || record.part->index);
}

/// A part that was measured once more: other times, the same counts.
MergeInput again(MergeInput part, std::mt19937& random) {
  part.name += " again";
  for (CaseRecord& one : part.record.cases) {
    for (Attempt& attempt : one.attempts) attempt.seconds += static_cast<double>(random() % 100);
  }
  part.record.machines.front().name = "another";
  return part;
}

TEST(Merge, AnySplitInAnyOrderIsTheWholeAgain) {
  std::mt19937 random(18);
  for (int round = 0; round < 60; ++round) {
    const Record whole = whole_run(2 + random() % 40);
    const std::vector<MergeInput> parts = split(whole, 1 + static_cast<int>(random() % 9), random);
    const Record once = merged(parts);
    expect_whole(once, whole);
    for (std::size_t i = 0; i < once.cases.size(); ++i) {
      const auto from = std::ranges::find_if(
          parts, [&](const MergeInput& part) { return find_case(part.record, once.cases[i].id) != nullptr; });
      EXPECT_EQ(once.machines.at(once.cases[i].machine), from->record.machines.front());
    }
    std::vector<MergeInput> shuffled = parts;
    shuffled.push_back(shuffled[random() % shuffled.size()]);
    std::ranges::shuffle(shuffled, random);
    EXPECT_EQ(to_json(merged(shuffled)), to_json(once)) << "neither order nor number changes anything";
    shuffled.push_back({"merged.json", once});
    std::ranges::shuffle(shuffled, random);
    EXPECT_EQ(to_json(merged(shuffled)), to_json(once)) << "nor does what was merged before";
    EXPECT_EQ(to_json(merged({{"merged.json", once}})), to_json(once));
  }
}

TEST(Merge, StepByStepIsTheSame) {
  std::mt19937 random(4);
  for (int round = 0; round < 30; ++round) {
    const Record whole = whole_run(20);
    std::vector<MergeInput> parts = split(whole, 4, random);
    parts.push_back(again(parts[1], random));
    const std::string at_once = to_json(merged(parts));
    std::ranges::shuffle(parts, random);
    Record so_far = merged({parts[0]});
    for (std::size_t i = 1; i < parts.size(); ++i) so_far = merged({{"so far.json", so_far}, parts[i]});
    EXPECT_EQ(to_json(so_far), at_once);
  }
}

TEST(Merge, WhatIsMissingIsNamed) {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    const Record whole = whole_run(30);
    std::vector<MergeInput> parts = split(whole, 6, random);
    std::vector<int> gone;
    std::vector<MergeInput> given;
    bool has_cases = false;
    for (MergeInput& part : parts) {
      if (random() % 3 == 0) {
        gone.push_back(*part.record.part->index);
        has_cases = has_cases || !part.record.cases.empty();
      } else {
        given.push_back(part);
      }
    }
    if (given.empty() || !has_cases) continue;
    const Record record = merged(given);
    EXPECT_EQ(record.part->missing, gone);
    std::size_t there = 0;
    for (const MergeInput& part : given) there += part.record.cases.size();
    EXPECT_EQ(record.cases.size(), there);
    std::vector<MergeInput> rest = {{"partial.json", record}};
    for (const MergeInput& part : parts) {
      if (std::ranges::find(gone, *part.record.part->index) != gone.end()) rest.push_back(part);
    }
    expect_whole(merged(rest), whole);
  }
}

TEST(Merge, AnInterruptedPartIsMissingUntilItIsWhole) {
  std::mt19937 random(6);
  const Record whole = whole_run(12);
  const std::vector<MergeInput> parts = split(whole, 2, random);
  MergeInput interrupted = parts[1];
  ASSERT_GT(interrupted.record.cases.size(), 1U);
  for (CaseRecord& one : interrupted.record.cases) {
    one.status = CaseStatus::skipped;
    one.attempts.clear();
    one.counts.reset();
    one.wall.reset();
    one.failure.reset();
  }
  // No host was started: what it would have mapped is not known.
  for (auto& [name, one] : interrupted.record.environments) one.facts.erase("mapped.libc.so.6");
  std::vector<int> unready;
  const auto result = joined({parts[0], interrupted}, {}, &unready);
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_THAT(*result->part->missing, ElementsAre(2));
  EXPECT_THAT(unready, ElementsAre(2));
  expect_whole(merged({interrupted, parts[0], parts[1]}), whole);
}

TEST(Merge, OfTwoMeasurementsTheBetterOneStays) {
  std::mt19937 random(7);
  const Record whole = whole_run(9);
  const std::vector<MergeInput> parts = split(whole, 1, random);
  MergeInput failed = parts[0];
  failed.record.cases[1].status = CaseStatus::timeout;
  failed.record.cases[1].counts.reset();
  EXPECT_EQ(merged({failed, parts[0]}).cases, merged({parts[0]}).cases);
  EXPECT_EQ(merged({parts[0], failed}).cases, merged({parts[0]}).cases);
}

TEST(Merge, CountsThatConflictAreReported) {
  std::mt19937 random(8);
  const std::vector<MergeInput> parts = split(whole_run(9), 1, random);
  MergeInput other = parts[0];
  other.name = "other.json";
  CaseRecord& one = other.record.cases[1];
  const auto raw = static_cast<std::uint64_t>(1002 * 100 + 700);
  one.counts =
      summarize_counts({.iterations = 100, .events = {"Ir"}, .replicates = {{raw}, {raw}}, .baseline = {{700}, {700}}});
  const Error error = refusal({parts[0], other});
  EXPECT_EQ(error.kind, ErrorKind::failed);
  EXPECT_THAT(error.message, HasSubstr("case 1 [cpp]: 1001.00 instructions in p1.json, 1002.00 in other.json"));
  one.flags = {"counts_vary"};
  EXPECT_TRUE(joined({parts[0], other})) << "it was seen to vary, and says so";
}

TEST(Merge, WhatDoesNotBelongTogetherIsRefused) {
  std::mt19937 random(9);
  const std::vector<MergeInput> parts = split(whole_run(20), 3, random);
  const auto with = [&](const std::function<void(Record&)>& change) {
    std::vector<MergeInput> changed = parts;
    change(changed[2].record);
    const Error error = refusal(changed);
    EXPECT_EQ(error.kind, ErrorKind::input);
    EXPECT_EQ(error.where, "p3.json");
    EXPECT_NE(error.hint, "");
    return error.message;
  };
  EXPECT_THAT(with([](Record& one) { one.part.reset(); }), HasSubstr("not of a part"));
  EXPECT_THAT(with([](Record& one) { one.part->digest = "another"; }), HasSubstr("different plans"));
  EXPECT_THAT(with([](Record& one) { one.part->count = 4; }), HasSubstr("one is of 3 parts, the other of 4"));
  EXPECT_THAT(with([](Record& one) { one.tool.commit = "def"; }), HasSubstr("by tally 0.1.0 (abc1234)"));
  EXPECT_THAT(with([](Record& one) { one.settings.iterations = 7; }), HasSubstr("iterations: 100 and 7"));
  EXPECT_THAT(with([](Record& one) { one.environments.begin()->second.subject["libtorch_cpu.so"] = "t2"; }),
              HasSubstr("another subject"));
  EXPECT_THAT(with([](Record& one) { one.environments.begin()->second.facts["cpu"] = "z"; }),
              HasSubstr("cpu: none in p1.json, z in p3.json"));
  EXPECT_THAT(with([](Record& one) { one.cases.front() = example_case("case 0 [python]"); }), HasSubstr("two places"));
  EXPECT_EQ(refusal({}).kind, ErrorKind::input);
}

/// Laid out by somebody's formatter, it is still the same part.
TEST(Merge, LayoutIsNothing) {
  std::mt19937 random(12);
  const std::vector<MergeInput> parts = split(whole_run(5), 1, random);
  const std::string text = nlohmann::ordered_json::parse(to_json(parts[0].record)).dump(2);
  const auto part = read_part(text, "p.json");
  ASSERT_TRUE(part) << describe(part.error());
  for (std::size_t i = 0; i < part->cases.size(); ++i) {
    const CaseText& one = part->cases[i];
    EXPECT_EQ(
        placed(text.substr(one.offset, one.bytes), one, {.machine = 0, .environment = {}, .profile = one.profile}),
        case_to_json(parts[0].record.cases[i]));
  }
}

TEST(Merge, APartThatIsDamagedIsRefused) {
  std::mt19937 random(13);
  const std::string text = to_json(split(whole_run(3), 1, random)[0].record);
  const auto error = [](const std::string& damaged) {
    const auto part = read_part(damaged, "p.json");
    return part ? std::string("taken") : describe(part.error());
  };
  ASSERT_EQ(error(text), "taken");
  for (std::size_t cut = 0; cut + 1 < text.size(); cut += 97)
    EXPECT_THAT(error(text.substr(0, cut)), HasSubstr("p.json: not JSON")) << cut;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return error(changed);
  };
  EXPECT_THAT(with("\"id\":\"case 0", "\"id\":1,\"x\":\"case 0"), HasSubstr("cases[0].id: must be a string"));
  EXPECT_THAT(with("\"machine\":0", "\"machine\":7"), HasSubstr("cases[0].machine: there is no machine 7"));
  EXPECT_THAT(with("\"machine\":0", "\"machine\":0.5"), HasSubstr("cases[0].machine: must be a whole number"));
  EXPECT_THAT(with("\"status\":\"failed\"", "\"status\":\"fine\""), HasSubstr("cases[0].status: must be one of"));
  EXPECT_THAT(with("\"machine\":0", "\"machine\":0,\"machine\":0"), HasSubstr("twice"));
  EXPECT_THAT(with("\"cases\":3", "\"cases\":2"), HasSubstr("part.places"));
  std::string no_object = text;
  constexpr std::string_view kWall = "\"wall\":";
  no_object.replace(text.find(kWall, text.find("\"cases\": [")), kWall.size(), "\"wall\":\"replicates_s\",\"other\":");
  EXPECT_THAT(error(no_object), HasSubstr("cases[0].wall: must be an object"));
  EXPECT_THAT(error(R"({"schema":2})"), HasSubstr("missing"));
}

TEST(Merge, LimitsMayDifferAndAreThenLeftOut) {
  std::mt19937 random(10);
  std::vector<MergeInput> parts = split(whole_run(9), 2, random);
  parts[1].record.settings.timeout_s = 5;
  parts[0].record.settings.retries = parts[1].record.settings.retries = 3;
  const Record record = merged(parts);
  EXPECT_FALSE(record.settings.timeout_s);
  EXPECT_EQ(record.settings.retries, 3);
}

TEST(Merge, HostsOfPartsMayHaveStartedDifferently) {
  std::mt19937 random(13);
  std::vector<MergeInput> parts = split(whole_run(9), 3, random);
  parts[0].record.settings.host_start =
      std::map<std::string, std::string>{{"torch [cpp]", "image"}, {"torch [python]", "image"}};
  parts[1].record.settings.host_start = std::map<std::string, std::string>{{"torch [cpp]", "ordinary"}};
  parts[2].record.settings.host_start.reset();
  EXPECT_EQ(merged(parts).settings.host_start,
            (std::map<std::string, std::string>{{"torch [cpp]", "ordinary"}, {"torch [python]", "image"}}));
}

TEST(Merge, EachCaseKnowsItsOwnOfSeveralEnvironments) {
  std::mt19937 random(11);
  const Record whole = whole_run(24);
  std::vector<MergeInput> parts = split(whole, 3, random);
  parts[2].record.environments.at("torch [cpp]").facts["cpu"] = "another CPU";
  EXPECT_THAT(refusal(parts).hint, HasSubstr("--per-environment"));
  const auto result = joined(parts, {.per_environment = true});
  ASSERT_TRUE(result) << describe(result.error());
  const Record& record = *result;
  EXPECT_EQ(record.environments.size(), 3U);
  for (const CaseRecord& one : record.cases) {
    const Environment* const own = environment_of(record, one);
    ASSERT_NE(own, nullptr) << one.id;
    const bool is_of_third = find_case(parts[2].record, one.id) != nullptr;
    EXPECT_EQ(own->machine.has_value(), is_of_third && one.language == "cpp") << one.id;
  }
  const auto read = record_from_json(to_json(record), "r.json");
  ASSERT_TRUE(read) << describe(read.error());
  EXPECT_EQ(*read, record);
  EXPECT_EQ(to_json(merged({{"merged.json", record}, parts[2], parts[0]})), to_json(record)) << "it was accepted";
  parts[2].record.environments.at("torch [cpp]").subject["libtorch_cpu.so"] = "t2";
  EXPECT_THAT(refusal(parts, true).message, HasSubstr("another subject")) << "that is never accepted";
}

}  // namespace
}  // namespace tally
