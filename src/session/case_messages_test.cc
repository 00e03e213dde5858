#include "session/case_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "protocol/dump_names.h"

namespace tally {
namespace {

TEST(DumpNames, AreThoseOfOneProcess) {
  EXPECT_STREQ(protocol::dump_path("/d", 7, 3), "/d/7.3");
  EXPECT_STREQ(protocol::observed_path("/d", 7, protocol::kPythonCallsEnding), "/d/7.functions");
  EXPECT_STREQ(protocol::observed_path("/d", 7, protocol::kAllocationTraceEnding), "/d/7");
  for (const char* own : {"7", "7.1", "7.12", "7.functions"}) EXPECT_TRUE(protocol::is_dump_of(own, 7)) << own;
  for (const char* other : {"77", "77.1", "1.7", "functions", "7x"})
    EXPECT_FALSE(protocol::is_dump_of(other, 7)) << other;
}

TEST(DumpFolder, KeepsNothingThatTheChildLeftHoweverManyThereAre) {
  const auto folder = TemporaryFolder::make().value();
  const std::string path = folder.path().string();
  for (const char* name : {"7", "7.1", "7.2", "7.90", "7.functions", "8.1"}) std::ofstream(path + "/" + name) << "x";
  DumpFolder{.path = path, .ending = {}, .child = 7}.clean();
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(path)) left.push_back(entry.path().filename());
  EXPECT_THAT(left, testing::ElementsAre("8.1"));
}

TEST(CaseMessages, SettingsOfADeviceFollowItsNameInLines) {
  const auto ready_with = [](std::string_view device) {
    static char buffer[512];
    protocol::Writer writer(buffer, protocol::MessageType::ready, 1);
    writer.text(protocol::Field::device, device);
    return std::get<PhaseReady>(decode(protocol::parse_frame(writer.finish()).message, {}));
  };
  using Settings = std::map<std::string, std::string>;
  EXPECT_EQ(ready_with("cuda").device, "cuda");
  EXPECT_EQ(ready_with("cuda").device_settings, Settings());
  EXPECT_EQ(ready_with("cuda\ntf32=True\n\nno setting\na=b=c\n").device, "cuda");
  EXPECT_EQ(ready_with("cuda\ntf32=True\n\nno setting\na=b=c\n").device_settings,
            (Settings{{"tf32", "True"}, {"a", "b=c"}}));
}

TEST(CaseMessages, ACounterThatIsNoNumberIsLeftOut) {
  static char buffer[512];
  protocol::Writer writer(buffer, protocol::MessageType::report, 1);
  for (const char* one : {"0\t0x1.8p+0\twhole", "0\t0x1,8p+0\tcut at its comma", "1\tinf\tbeyond", "0\t\tnothing"})
    writer.text(protocol::Field::counter, one);
  const auto report = std::get<CaseReport>(decode(protocol::parse_frame(writer.finish()).message, {}));
  ASSERT_THAT(report.counters, testing::SizeIs(2));
  EXPECT_EQ(report.counters[0].name, "whole");
  EXPECT_EQ(report.counters[0].value, 1.5);
  EXPECT_EQ(report.counters[1].name, "beyond");
  EXPECT_EQ(report.counters[1].value, HUGE_VAL);
}

}  // namespace
}  // namespace tally
