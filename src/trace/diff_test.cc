#include "trace/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tally::trace {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

DeviceFigures device(const std::string& label, Nanoseconds busy, std::vector<KernelRow> kernels = {}) {
  DeviceFigures figures;
  figures.device = label;
  figures.parts.busy = busy;
  figures.short_kernels = std::move(kernels);
  return figures;
}

KernelRow kernel(const std::string& name, std::uint64_t count, Nanoseconds total) {
  KernelRow row;
  row.name = name;
  row.count = count;
  row.total = total;
  return row;
}

TraceFigures trace(std::vector<DeviceFigures> devices) {
  TraceFigures figures;
  figures.devices = std::move(devices);
  return figures;
}

TEST(Diff, DevicesAreMatchedByLabelThenInOrder) {
  const auto changes = diff(trace({device("0", 10), device("1", 20), device("7", 30)}),
                            trace({device("1", 21), device("2", 31), device("3", 41), device("4", 51)}));
  ASSERT_THAT(changes, SizeIs(4));
  const auto expect = [&](std::size_t k, const std::string& before, const std::string& after, Nanoseconds busy_before,
                          Nanoseconds busy_after) {
    EXPECT_EQ(changes[k].before, before) << k;
    EXPECT_EQ(changes[k].after, after) << k;
    EXPECT_EQ(changes[k].parts_before.busy, busy_before) << k;
    EXPECT_EQ(changes[k].parts_after.busy, busy_after) << k;
  };
  expect(0, "1", "1", 20, 21);
  expect(1, "0", "2", 10, 31);
  expect(2, "7", "3", 30, 41);
  expect(3, "", "4", 0, 51);
}

TEST(Diff, ADeviceThatWentIsAtTheEnd) {
  const auto changes = diff(trace({device("0", 10, {kernel("k", 1, 5)}), device("1", 20)}), trace({device("1", 20)}));
  ASSERT_THAT(changes, SizeIs(2));
  EXPECT_THAT(changes[0].kernels, IsEmpty());
  EXPECT_EQ(changes[1].before, "0");
  EXPECT_EQ(changes[1].after, "");
  ASSERT_THAT(changes[1].kernels, SizeIs(1));
  EXPECT_EQ(changes[1].kernels[0].count_after, 0U);
}

TEST(Diff, KernelsComeByTheSizeOfTheirChangeAndUnchangedOnesAreLeftOut) {
  const auto changes = diff(
      trace({device("0", 1, {kernel("same", 3, 30), kernel("gone", 1, 7), kernel("b", 1, 10), kernel("often", 2, 8)})}),
      trace(
          {device("0", 1, {kernel("same", 3, 30), kernel("new", 2, 100), kernel("b", 1, 3), kernel("often", 4, 8)})}));
  ASSERT_THAT(changes, SizeIs(1));
  std::vector<std::string> names;
  for (const KernelChange& change : changes[0].kernels) names.push_back(change.name);
  EXPECT_THAT(names, testing::ElementsAre("new", "b", "gone", "often"));
  EXPECT_EQ(changes[0].kernels[1].after - changes[0].kernels[1].before, -7);
}

}  // namespace
}  // namespace tally::trace
