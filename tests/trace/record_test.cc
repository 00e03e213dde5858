// `tally trace record` for real: the built command, a real interpreter with torch, files left behind.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"

namespace tally {
namespace {

struct Ran {
  int code;
  std::string out;
};

Ran tally_record(const std::string& arguments) {
  const std::string command = std::string(TALLY_BUILD_DIR) + "/tally trace record " + arguments + " 2>&1";
  FILE* const pipe = ::popen(command.c_str(), "r");  // NOLINT: a test may use a shell
  EXPECT_NE(pipe, nullptr);
  std::string out;
  char block[4096];
  for (std::size_t got = 0; (got = std::fread(block, 1, sizeof block, pipe)) > 0;) out.append(block, got);
  const int status = ::pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out};
}

bool has_torch() { return std::system("/usr/bin/python3 -c 'import torch' 2>/dev/null") == 0; }  // NOLINT

TEST(TraceRecord, KeepsTraceAndFigures) {
  if (!has_torch()) GTEST_SKIP() << "no torch here";
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.has_value());
  const std::string output = " --python /usr/bin/python3 --output " + shell_quote((folder->path() / "out").string());
  const Ran good = tally_record(
      "--stmt 'print(1); y = x @ x' --setup 'x = torch.ones(8, 8)' --runs 3 --context 'torch.no_grad()' "
      "--profiler record_shapes=true --json" +
      output);
  ASSERT_EQ(good.code, 0) << good.out;
  const auto json = nlohmann::json::parse(good.out);
  const auto& recording = json.at("recordings")[0];
  EXPECT_GT(recording.at("unprofiled_s"), 0.0);
  EXPECT_GT(recording.at("figures").at("events"), 3);
  EXPECT_TRUE(std::filesystem::exists(recording.at("trace").get<std::string>()));
  EXPECT_TRUE(std::filesystem::exists(folder->path() / "out" / "statement.figures.json"));
  if (recording.at("gpu").is_null()) EXPECT_EQ(recording.at("notes")[0], "no GPU: recorded the CPU only");

  const Ran bad = tally_record("--stmt 'raise ValueError(7)' --runs 1" + output);
  EXPECT_EQ(bad.code, 1) << bad.out;
  EXPECT_NE(bad.out.find("warm-up failed: ValueError: 7"), std::string::npos) << bad.out;
}

TEST(TraceRecord, WantsASuiteOrAStatement) {
  EXPECT_EQ(tally_record("").code, 2);
  EXPECT_EQ(tally_record("--stmt x --profiler oops").code, 2);
  EXPECT_EQ(tally_record("/nonexistent/suite.toml").code, 2);
}

}  // namespace
}  // namespace tally
