// Every figure of the reference file for real traces, where that folder is there.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/trace_command.h"

namespace tally {
namespace {

const std::filesystem::path kTraces = std::filesystem::path(TALLY_SOURCE_DIR) / ".." / "shared" / "traces";

TEST(RealTraces, EveryFigureToTheNanosecond) {
  std::ifstream expected(kTraces / "expected.jsonl");
  if (!expected) GTEST_SKIP() << "no real traces here";
  int count = 0;
  for (std::string line; std::getline(expected, line); ++count) {
    const auto want = nlohmann::json::parse(line);
    for (const int threads : {1, 2}) {
      cli::TraceOptions options;
      options.files = {(kTraces / want.at("trace").get<std::string>()).string()};
      options.json = options.legacy = true;
      options.threads = threads;
      std::ostringstream out, err;
      const int without_work = want.at("devices").empty() ? 1 : 0;
      ASSERT_EQ(cli::run_trace({}, options, out, err), without_work) << err.str();
      const auto got = nlohmann::json::parse(out.str());
      SCOPED_TRACE(options.files[0]);
      EXPECT_EQ(got.at("events"), want.at("events"));
      EXPECT_EQ(got.at("traces")[0].at("dropped"), 0);
      ASSERT_EQ(got.at("devices").size(), want.at("devices").size());
      for (const auto& device : got.at("devices")) {
        const auto& figures = want.at("devices").at(device.at("device").get<std::string>());
        for (const auto& [key, value] : figures.items())
          EXPECT_EQ(device.at(key == "kernels" || key == "memory_events" ? key : key + "_ns"), value) << key;
      }
      EXPECT_EQ(got.at("legacy").at("seed_busy_ns"), want.at("seed_busy"));
      EXPECT_EQ(got.at("legacy").at("seed_matmul_ns"), want.at("seed_matmul"));
    }
  }
  EXPECT_GE(count, 12);
}

}  // namespace
}  // namespace tally
