// `tally trace record` for real: the built command, a real interpreter with torch, files left behind.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"

namespace tally {
namespace {

struct Ran {
  int code;
  std::string out;
};

Ran tally_record(const std::string& arguments, const std::string& environment = {}) {
  const std::string command =
      environment + " " + std::string(TALLY_BUILD_DIR) + "/tally trace record " + arguments + " 2>&1";
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

  const Ran bad = tally_record("--stmt 'print(\"said\"); raise ValueError(7)' --runs 1" + output);
  EXPECT_EQ(bad.code, 1) << bad.out;
  for (const char* reported :
       {"warm-up failed: ValueError: 7 (stmt, line 1)", "  stmt, line 1\n    print(", "output:\nsaid"})
    EXPECT_NE(bad.out.find(reported), std::string::npos) << bad.out;
}

TEST(TraceRecord, KnowsWhatAStarImportBrings) {
  if (!has_torch()) GTEST_SKIP() << "no torch here";
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.has_value());
  const std::string output =
      " --runs 1 --python /usr/bin/python3 --output " + shell_quote((folder->path() / "out").string());
  const Ran good =
      tally_record("--setup 'import os\nfrom math import *\nx = sqrt(4)' --stmt 'assert floor(x) == 2'" + output);
  EXPECT_EQ(good.code, 0) << good.out;
  const Ran late = tally_record("--setup 'x = 1\nfrom math import *' --stmt 'sqrt(x)'" + output);
  EXPECT_EQ(late.code, 1) << late.out;
  EXPECT_NE(late.out.find("'from math import *' can only begin the setup: move it there"), std::string::npos)
      << late.out;
}

/// A suite's toolchain, its threads, what it requires and its names hold as they do in `tally run`.
TEST(TraceRecord, HonoursTheSuite) {
  if (!has_torch()) GTEST_SKIP() << "no torch here";
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.has_value());
  const std::string suite = (folder->path() / "suite.toml").string();
  ASSERT_TRUE(write_file(suite, R"(schema = 1
[defaults]
toolchain = "mine"
[toolchain.mine]
extends = "torch"
requires = ["json", "os.path"]
environment = { MY_MODE = "quick" }
seed = { py = 'torch.default_generator.manual_seed(7)' }
[[benchmark]]
label = "threads"
threads = [1, 2]
setup = { py = """
torch.default_generator.manual_seed(7)
first = float(torch.rand(1))
runs = []
""" }
py = '''
runs.append(float(torch.rand(1)))
assert json.loads("[1]") == [1] and os.path.isabs("/") and os.environ["MY_MODE"] == "quick"
assert runs[0] == first and (len(runs) <= 5 or runs[5] == first) and (len(runs) <= 8 or runs[8] == first)
'''
)"));
  const Ran ran = tally_record(shell_quote(suite) + " --runs 3 --json --python /usr/bin/python3 --output " +
                               shell_quote((folder->path() / "out").string()));
  ASSERT_EQ(ran.code, 0) << ran.out;
  const auto recordings = nlohmann::json::parse(ran.out).at("recordings");
  ASSERT_EQ(recordings.size(), 2);
  EXPECT_EQ(recordings[0].at("threads"), 1);
  EXPECT_EQ(recordings[1].at("threads"), 2);
}

/// A torch that has a GPU, as far as the recorder can see, and exports a trace that we know.
class TraceRecordOnGpu : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(folder_.has_value()); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_->path() / name).string(); }

  nlohmann::json record(const std::string& trace, const std::string& arguments) {
    std::filesystem::remove(path("log"));
    const Ran ran =
        tally_record(arguments + " --json --python /usr/bin/python3 --output " + shell_quote(path("out")),
                     "PYTHONPATH=" + shell_quote(std::string(TALLY_SOURCE_DIR) + "/tests/trace/fake_torch") +
                         " FAKE_TORCH_LOG=" + shell_quote(path("log")) + " FAKE_TORCH_TRACE=" + shell_quote(trace));
    EXPECT_EQ(ran.code, 0) << ran.out;
    return ran.code == 0 ? nlohmann::json::parse(ran.out).at("recordings")[0] : nlohmann::json();
  }

  /// What the recorder asked of torch, in order.
  std::string log() { return read_file(path("log")).value_or(""); }

  /// A run of 100 µs: 40 of work, 20 of them a convolution and a product that overlap, one by its operator only.
  std::string known_trace() {
    EXPECT_TRUE(write_file(path("known.json"), R"({"traceEvents": [
{"ph": "M", "name": "process_labels", "pid": 0, "args": {"labels": "GPU 0"}},
{"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#0", "pid": 0, "tid": 7, "ts": 0, "dur": 90},
{"ph": "X", "cat": "cpu_op", "name": "aten::convolution", "pid": 9, "tid": 9, "ts": 0, "dur": 5},
{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 9, "tid": 9, "ts": 6, "dur": 9},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": 2, "dur": 1, "args": {"correlation": 1}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": 7, "dur": 1, "args": {"correlation": 2}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": 9, "dur": 1, "args": {"correlation": 3}},
{"ph": "X", "cat": "kernel", "name": "indescribable", "pid": 0, "tid": 7, "ts": 10, "dur": 15, "args": {"device": 0, "correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "sgemm_128", "pid": 0, "tid": 8, "ts": 20, "dur": 10, "args": {"device": 0, "correlation": 2}},
{"ph": "X", "cat": "kernel", "name": "add_two", "pid": 0, "tid": 7, "ts": 40, "dur": 20, "args": {"device": 0, "correlation": 3}}]})"));
    return path("known.json");
  }

  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

TEST_F(TraceRecordOnGpu, GivesBothFiguresOverTheUnprofiledLength) {
  const auto got = record(known_trace(), "--stmt 'import time; time.sleep(0.001)' --runs 2 --legacy");
  EXPECT_TRUE(got.at("unprofiled_ns").is_number_unsigned() && got.at("profiled_ns").is_number_unsigned()) << got;
  const double length_ns = got.at("unprofiled_ns");
  EXPECT_GE(length_ns, 2e6);
  EXPECT_EQ(got.at("unprofiled_s"), length_ns / 1e9);
  EXPECT_EQ(got.at("gpu"), "Fake GPU");
  EXPECT_NEAR(got.at("utilization"), 40'000 / length_ns, 1e-9);
  EXPECT_NEAR(got.at("matmul_convolution"), 20'000 / length_ns, 1e-9);
  const auto& figures = got.at("figures");
  EXPECT_EQ(figures.at("devices")[0].at("matmul_convolution_ns"), 20'000);
  EXPECT_NEAR(figures.at("devices")[0].at("matmul_convolution_of_duration"), 20'000 / length_ns, 1e-9);
  // The old helper counts the annotation as work, and sees no convolution in a name that does not say so.
  EXPECT_NEAR(figures.at("legacy").at("seed_utilization"), 90'000 / length_ns, 1e-9);
  EXPECT_NEAR(figures.at("legacy").at("seed_matmul_share"), 10'000 / length_ns, 1e-9);
}

TEST_F(TraceRecordOnGpu, DoesInOrderWhatTheOldHelperDoes) {
  record(known_trace(),
         "--stmt 'torch.log(\"run\")' --runs 2 --context 'torch.no_grad()' --profiler record_shapes=true "
         "--activities cuda --no-steps");
  const std::string run = "run\nwait\n";
  EXPECT_EQ(log(), "seed 0\nenter\nseed 0\n" + run + run + run + run + run + "seed 0\n" + run + run +
                       "profile CUDA record_shapes=True\nstart\nwait\nseed 0\n" + run + run + "stop\nleave\n");
}

TEST_F(TraceRecordOnGpu, MarksRunsUnlessSwitchedOff) {
  record(known_trace(), "--stmt 'torch.log(\"run\")' --runs 1");
  EXPECT_TRUE(log().contains("mark ProfilerStep#0\nrun\nwait\nstop\n")) << log();
  record(known_trace(), "--stmt pass --runs 1 --legacy");
  EXPECT_FALSE(log().contains("mark")) << log();
}

TEST_F(TraceRecordOnGpu, WaitsForNothingWhenSwitchedOff) {
  const auto got = record(known_trace(), "--stmt pass --runs 1 --devices cpu --threads 3");
  EXPECT_FALSE(log().contains("wait")) << log();
  EXPECT_EQ(got.at("synchronised"), nullptr);
  EXPECT_EQ(got.at("threads"), 3);
}

/// Of real traces, against the reference file: what the oracle says, over the length that was measured.
TEST_F(TraceRecordOnGpu, RealTracesGiveTheReferenceFigures) {
  const auto traces = std::filesystem::path(TALLY_SOURCE_DIR) / ".." / "shared" / "traces";
  std::ifstream expected(traces / "expected.jsonl");
  if (!expected) GTEST_SKIP() << "no real traces here";
  for (std::string line; std::getline(expected, line);) {
    const auto want = nlohmann::json::parse(line);
    SCOPED_TRACE(want.at("trace").get<std::string>());
    const auto got = record((traces / want.at("trace").get<std::string>()).string(), "--stmt pass --runs 1 --legacy");
    const double length_ns = got.at("unprofiled_ns");
    const auto& devices = want.at("devices");
    if (devices.empty()) {
      EXPECT_EQ(got.at("utilization"), nullptr);
      continue;
    }
    double busy = 0;
    for (const auto& device : devices) busy += device.at("busy").get<double>();
    const double share = busy / static_cast<double>(devices.size()) / length_ns;
    EXPECT_NEAR(got.at("utilization"), share, 1e-6 * share);
    const auto& legacy = got.at("figures").at("legacy");
    EXPECT_NEAR(legacy.at("seed_utilization").get<double>() * length_ns, want.at("seed_busy").get<double>(), 1000);
    EXPECT_NEAR(legacy.at("seed_matmul_share").get<double>() * length_ns, want.at("seed_matmul").get<double>(), 1000);
  }
}

TEST(TraceRecord, WantsASuiteOrAStatement) {
  EXPECT_EQ(tally_record("").code, 2);
  EXPECT_EQ(tally_record("--stmt x --profiler oops").code, 2);
  EXPECT_EQ(tally_record("/nonexistent/suite.toml").code, 2);
}

}  // namespace
}  // namespace tally
