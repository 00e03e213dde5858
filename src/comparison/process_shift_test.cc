#include "comparison/process_shift.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts(const std::vector<ProcessShift>& shifts) {
  std::vector<std::string> texts;
  texts.reserve(shifts.size());
  for (const ProcessShift& one : shifts) {
    texts.push_back(one.place + " " + one.program + " " + std::to_string(static_cast<long>(one.instructions.before)) +
                    " " + std::to_string(static_cast<long>(one.instructions.after)));
  }
  return texts;
}

TEST(ProcessShifts, ThoseThatChangedComeWithTheMostFirst) {
  const std::vector<ProcessCount> before = {{.place = "1", .program = "sh", .instructions = 10},
                                            {.place = "1.1", .program = "cc1", .instructions = 100},
                                            {.place = "1.2", .program = "as", .instructions = 50}};
  std::vector<ProcessCount> after = before;
  EXPECT_THAT(process_shifts(before, after), IsEmpty());
  after[1].instructions = 103;
  after[2].instructions = 20;
  EXPECT_THAT(texts(process_shifts(before, after)), ElementsAre("1.2 as 50 20", "1.1 cc1 100 103"));
}

TEST(ProcessShifts, AProcessIsFoundAgainWhereAnotherIsStartedBeforeIt) {
  const std::vector<ProcessCount> before = {{.place = "1.1", .program = "cat", .instructions = 10},
                                            {.place = "1.2", .program = "sort", .instructions = 100}};
  const std::vector<ProcessCount> after = {{.place = "1.1", .program = "tee", .instructions = 7},
                                           {.place = "1.2", .program = "cat", .instructions = 10},
                                           {.place = "1.3", .program = "sort", .instructions = 100}};
  EXPECT_THAT(texts(process_shifts(before, after)), ElementsAre("1.1 tee 0 7"));
  EXPECT_THAT(texts(process_shifts(after, before)), ElementsAre("1.1 tee 7 0"));
}

TEST(ProcessShifts, WhatWasStartedMayBeCalledOtherwise) {
  EXPECT_THAT(texts(process_shifts({{.place = "1", .program = "old/app", .instructions = 5}},
                                   {{.place = "1", .program = "new/app", .instructions = 6}})),
              ElementsAre("1 new/app 5 6"));
  EXPECT_THAT(texts(process_shifts({{.place = "1", .program = "a1", .instructions = 5}},
                                   {{.place = "1", .program = "a2", .instructions = 6}})),
              ElementsAre("1 a2 5 6"));
}

TEST(ProcessShifts, ProgramsWithOtherFilesAreNamedOnce) {
  const std::vector<ProcessCount> before = {{.place = "1.1", .program = "/bin/cc1", .digest = "a"},
                                            {.place = "1.2", .program = "/bin/cc1", .digest = "a"},
                                            {.place = "1.3", .program = "/bin/as"}};
  std::vector<ProcessCount> after = before;
  EXPECT_THAT(changed_programs(before, after), IsEmpty());
  after[0].digest = after[1].digest = "b";
  after[2].digest = "c";  // before, it could not be read
  EXPECT_THAT(changed_programs(before, after), ElementsAre("cc1: a → b"));
}

TEST(ProcessShifts, StartsAddUp) {
  EXPECT_EQ(instructions_of_starts({{.place = "1", .start = 5}, {.place = "1.1", .start = 7}}), 12);
}

}  // namespace
}  // namespace tally
