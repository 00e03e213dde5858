#include "report/text/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "record/example_record.h"
#include "report/text/format.h"
#include "report/text/run_table.h"

namespace tally {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Table, FiguresStandRightAndNoLineEndsInASpace) {
  const Table table{.columns = {{.title = "name"}, {.title = "n", .right = true}, {.title = "note"}},
                    .rows = {{{"µ"}, {"5"}, {""}}, {{"long"}, {"1,000"}, {"x"}}, {{"none"}, {""}, {"y"}}}};
  EXPECT_EQ(render_table(table, {.width = 0}),
            "name      n  note\n"
            "µ         5\n"
            "long  1,000  x\n"
            "none         y\n");
}

TEST(Table, FitsItsWidthByCuttingThenDropping) {
  const Record record = example_record();
  for (const int width : {120, 80, 60, 45}) {
    const std::string text = render_run_table(record, {.width = width});
    const std::string table = text.substr(0, text.find("\n\n"));
    for (const std::string_view line : split(table, '\n')) EXPECT_LE(display_width(line), width) << line;
    EXPECT_THAT(table, HasSubstr("1,000"));
  }
}

TEST(Table, NamesThatWouldLookAlikeStandInLinesOfTheirOwn) {
  const Table table{.columns = {{.title = "label", .least = 6, .names_row = true},
                                {.title = "variant", .least = 6, .names_row = true},
                                {.title = "n", .right = true},
                                {.title = "status"}},
                    .rows = {{{"slices"}, {"py shards=None store=local"}, {"12"}, {"ok"}},
                             {{"slices"}, {"py shards=None store=memory"}, {"1,007"}, {"failed"}}}};
  EXPECT_EQ(render_table(table, {.width = 60}),
            "label   variant                          n  status\n"
            "slices  py shards=None store=local      12  ok\n"
            "slices  py shards=None store=memory  1,007  failed\n");
  EXPECT_EQ(render_table(table, {.width = 40}),
            "      n  status\n"
            "slices  py shards=None store=local\n"
            "     12  ok\n"
            "slices  py shards=None store=memory\n"
            "  1,007  failed\n");
  // For programs, a line is a row and a name can be found.
  EXPECT_EQ(render_table(table, {.width = 40, .whole_names = true}),
            "label   variant                          n  status\n"
            "slices  py shards=None store=local      12  ok\n"
            "slices  py shards=None store=memory  1,007  failed\n");
}

TEST(Table, RunTable) {
  EXPECT_EQ(render_run_table(example_record(), {.width = 100}),
            "label            variant       instr/iter  spread   median    IQR  status\n"
            "Pointwise / add  cpp n=64 k=4       1,000       0  1.01 µs  1.0 %  ok: bimodal\n"
            "Pointwise / add  py n=64 k=4                                       crashed\n"
            "\n"
            "Pointwise/add [python n=64 k=4]\n"
            "  count: killed by SIGSEGV\n"
            "  reproduce: tally run suite.toml --filter 'x'\n"
            "\n"
            "warning: the region reads a clock (clock_gettime)\n"
            "  in Pointwise/add [cpp n=64 k=4]\n"
            "\n"
            "2 cases: 1 ok, 1 failed; 9.5 s\n");
}

TEST(Table, ADevicesTimeOfAWarmCacheIsMarkedBesideTimesOfAColdOne) {
  Record record = example_record();
  record.cases[0].on_device = OnDevice{.name = "cuda"};
  record.cases[0].on_device->work =
      DeviceWork{.kernels = 2, .kernel_time_s = 33e-6, .kernel_time_interval_s = {.low = 32.9e-6, .high = 33.1e-6}};
  EXPECT_THAT(render_run_table(record, {.width = 0}), AllOf(HasSubstr(" 33.0 µs  "), Not(HasSubstr("warm"))));
  record.cases[0].on_device->flush = "l2";
  EXPECT_THAT(render_run_table(record, {.width = 0}), HasSubstr(" 33.0 µs warm  "));
}

TEST(Table, ACountOfAnEarlierRunIsMarked) {
  Record record = example_record();
  record.cases[0].reused = record.source->commit;
  const std::string text = render_run_table(record, {.width = 100});
  EXPECT_THAT(text, HasSubstr("ok, reused: bimodal"));
  EXPECT_THAT(text, HasSubstr("2 cases: 1 ok, 1 failed, 1 with counts of an earlier run; 9.5 s"));
}

TEST(Table, DenoisedCountsStandBesideTheWholeOnesOnRequest) {
  Record record = example_record();
  record.cases[0].counts->denoised = 987.5;
  const std::string text = render_run_table(record, {.width = 100}, {.denoised = true});
  EXPECT_THAT(text, HasSubstr("instr/iter  denoised  spread"));
  EXPECT_THAT(text, HasSubstr("1,000    987.50       0"));
  EXPECT_THAT(render_run_table(record, {.width = 100}), Not(HasSubstr("denoised")));
}

TEST(Table, ColumnsAndTheirOrderAreChosen) {
  Record record = example_record();
  record.cases.push_back(record.cases[0]);
  record.cases.back().label = {"Pointwise", "sub"};
  record.cases.back().counts->per_iteration = 10;
  const RunTableView view{.columns = {"instructions", "label"}, .sort = "-instructions"};
  EXPECT_THAT(render_run_table(record, {.width = 100}, view), StartsWith("instr/iter  label\n"
                                                                         "     1,000  Pointwise / add\n"
                                                                         "        10  Pointwise / sub\n"
                                                                         "            Pointwise / add\n"));
  EXPECT_THAT(render_run_table(record, {.width = 100}, {.columns = {"instructions", "label"}, .sort = "instructions"}),
              StartsWith("instr/iter  label\n        10  Pointwise / sub\n"));
  EXPECT_EQ(run_table_markdown(record, view),
            "| instr/iter | label |\n|---:|---|\n| 1,000 | Pointwise / add |\n| 10 | Pointwise / sub |\n"
            "|  | Pointwise / add |\n");
  EXPECT_THAT(render_run_table(record, {.width = 100}, {.sort = "-label"}), HasSubstr("\nPointwise / sub  cpp"));
  EXPECT_TRUE(check_view(view));
  const Status unknown = check_view({.columns = {"label", "memory"}});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(describe(unknown.error()), AllOf(HasSubstr("'memory'"), HasSubstr("instructions, denoised")));
  EXPECT_FALSE(check_view({.sort = "--time"}));
}

TEST(Table, AFloodOfOutputIsCutToAScreen) {
  Record record = example_record();
  record.cases[1].failure->message = std::string(100'000, 'x') + "\n";
  for (int i = 0; i < 1000; ++i) record.cases[1].failure->message += "line\n";
  const std::string text = render_run_table(record, {.width = 100});
  EXPECT_LT(text.size(), 2000U);
  EXPECT_THAT(text, HasSubstr("x …\n  line\n"));
  EXPECT_THAT(text, HasSubstr("… 961 more lines are in the record"));
}

TEST(Table, ColourOnlyWhenAsked) {
  EXPECT_THAT(render_run_table(example_record(), {.color = false}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(render_run_table(example_record(), {.color = true}), HasSubstr("\x1b[31mcrashed\x1b[0m"));
}

}  // namespace
}  // namespace tally
