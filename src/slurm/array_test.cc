#include "slurm/array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally::slurm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Slurm, ScriptsQuoteWhatIsNotTheirs) {
  const PartsJob job{.tally = "/opt/it's/tally",
                     .run_arguments = {"my suite.toml", "-f", "a b"},
                     .parts = 16,
                     .folder = "/data/all.json.parts",
                     .working_folder = "/home/some one"};
  const std::string script = part_script(job);
  EXPECT_THAT(script, HasSubstr(R"(cd '/home/some one' || exit 2)"));
  EXPECT_THAT(script, HasSubstr(R"('my suite.toml' -f 'a b' --shard "$SLURM_ARRAY_TASK_ID/16")"));
  EXPECT_THAT(script, HasSubstr("tally' run"));
  EXPECT_THAT(merge_script(job, "/data/all.json", true), HasSubstr("-o /data/all.json --per-environment && : >merged"));
  EXPECT_EQ(part_path(job.folder, 3), "/data/all.json.parts/part-3.json");
}

TEST(Slurm, ArraysAreWrittenInRanges) {
  EXPECT_EQ(array_text({1, 2, 3, 7, 9, 10}), "1-3,7,9-10");
  EXPECT_EQ(array_text({5}), "5");
}

TEST(Slurm, WhatItPrintsIsRead) {
  EXPECT_EQ(job_of("17\n").value(), "17");
  EXPECT_EQ(job_of("17;main\n").value(), "17");
  EXPECT_FALSE(job_of("sbatch: error\n"));
  const auto tasks =
      read_queue("17|3|RUNNING|None\n17|4|PENDING|launch failed requeued held\n18|N/A|PENDING|Dependency\n");
  ASSERT_TRUE(tasks);
  ASSERT_EQ(tasks->size(), 3U);
  EXPECT_EQ((*tasks)[0].id, "17_3");
  EXPECT_EQ((*tasks)[0].part, 3);
  EXPECT_FALSE(is_held((*tasks)[0]));
  EXPECT_TRUE(is_held((*tasks)[1]));
  EXPECT_EQ((*tasks)[2].id, "18");
  EXPECT_FALSE(is_held((*tasks)[2]));
  EXPECT_FALSE(is_delayed((*tasks)[2]));
  EXPECT_TRUE(is_delayed(read_queue("17|3|PENDING|BeginTime")->front()));
  EXPECT_FALSE(read_queue("slurm_load_jobs error\n"));
  EXPECT_TRUE(read_queue("")->empty());
}

TEST(Slurm, OnlyWhatRunTakesIsPassedOn) {
  EXPECT_THAT(run_arguments({"--slurm", "s.toml", "--parts", "4", "-n", "10", "--parts=5", "--detach", "--", "-p", "x"},
                            {"--parts", "--json"}, {"--slurm", "--detach"}),
              ElementsAre("s.toml", "-n", "10"));
}

}  // namespace
}  // namespace tally::slurm
