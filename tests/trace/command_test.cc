// `tally trace` as a user meets it: exit codes, damage reports, several ranks, the page, the difference.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/files.h"
#include "base/golden.h"
#include "base/text.h"
#include "cli/trace_command.h"
#include "cli/usage.h"
#include "generate.h"

namespace tally {
namespace {

struct Ran {
  int code;
  std::string out, err;
};

Ran run(std::vector<std::string> arguments) {
  cli::OptionSet program{.name = "tally"};
  cli::TraceOptions options;
  cli::add_trace_options(program.add_command("trace", ""), options);
  arguments.insert(arguments.begin(), "trace");
  const auto asked = cli::read_command_line(program, std::move(arguments));
  if (!asked) return {2, "", describe(asked.error())};
  std::ostringstream out, err;
  const int code = cli::run_trace({}, options, out, err);
  return {code, out.str(), err.str()};
}

class TraceCommand : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const auto path = folder_->path() / name;
    EXPECT_TRUE(write_file(path, text).has_value());
    return path.string();
  }
  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

std::string rank_trace(int rank, int compute) {
  return R"({"distributedInfo": {"rank": )" + std::to_string(rank) + R"(}, "traceEvents": [
{"ph": "X", "cat": "kernel", "name": "sgemm<script>", "pid": 0, "tid": 7, "ts": 0, "dur": )" +
         std::to_string(compute) +
         R"(, "args": {"device": 0}},
{"ph": "X", "cat": "kernel", "name": "ncclAllReduce", "pid": 0, "tid": 8, "ts": )" +
         std::to_string(compute) + R"(, "dur": )" + std::to_string(100 - compute) + R"(, "args": {"device": 0}}]})";
}

TEST_F(TraceCommand, ExitCodes) {
  const std::string good = write("good.json", rank_trace(0, 60));
  EXPECT_EQ(run({good}).code, 0);
  EXPECT_EQ(run({good, "--json", "--threads", "1"}).code, 0);
  EXPECT_EQ(run({write("text.json", "no trace at all")}).code, 1);
  EXPECT_EQ(run({write("empty.json", "")}).code, 1);
  const auto host = run({write("host.json", R"([{"ph":"M","name":"process_name","pid":1,"args":{"name":"x"}}])")});
  EXPECT_EQ(host.code, 1);
  EXPECT_NE(host.err.find("host.json: no event in it is work of a device"), std::string::npos) << host.err;
  EXPECT_EQ(run({(folder_->path() / "missing.json").string()}).code, 2);
  EXPECT_EQ(run({}).code, 2);
  EXPECT_EQ(run({good, "--threads", "9"}).code, 2);
  EXPECT_EQ(run({good, "--html", "/proc/nothing/here.html"}).code, 1);
}

/// What `tally` prints, with the folder's name taken out.
std::string without(std::string text, const std::string& folder) { return replace_all(std::move(text), folder, ""); }

TEST_F(TraceCommand, IsGolden) {
  const std::string folder = folder_->path().string() + "/";
  // Tests run in the repository's root; a longer path would be cut.
  expect_golden("cli/trace.txt", run({"tests/trace/corpus/packed.json.gz", "--kernels", "5"}).out);
  const std::string a = write("a.json", rank_trace(0, 60)), b = write("b.json", rank_trace(1, 90));
  expect_golden("cli/trace_ranks.txt", without(run({a, b}).out, folder));
  expect_golden("cli/trace_diff.txt", without(run({"diff", a, b}).out, folder));
}

TEST_F(TraceCommand, SaysWhichProcessesTheOldHelperTakesForGpus) {
  const auto label = [](const std::string& pid, const std::string& labels) {
    return R"({"ph": "M", "name": "process_labels", "pid": )" + pid + R"(, "args": {"labels": ")" + labels + "\"}},";
  };
  const std::string events = label("9", "GPU 9") + label("4711", "CPU") + label(R"("ranks")", "GPU 0") +
                             label("9", "GPU 9") + R"({"ph": "X", "name": "gemm", "pid": 9, "ts": 1, "dur": 2})";
  const std::string trace = write("labels.json", R"({"traceEvents": [)" + events + "]}");
  const auto legacy = nlohmann::json::parse(run({trace, "--json", "--legacy"}).out).at("legacy");
  EXPECT_EQ(legacy.at("seed_pids"), nlohmann::json::parse(R"([9, "ranks"])"));
  EXPECT_EQ(legacy.at("seed_matmul_ns"), 2000);
}

TEST_F(TraceCommand, SaysWhatWasDropped) {
  std::string text = rank_trace(0, 60);
  text.insert(text.find("sgemm") + 2, "\"");
  const Ran ran = run({write("damaged.json", text)});
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.out.find("1 events dropped"), std::string::npos) << ran.out;
  const auto json = nlohmann::json::parse(run({write("damaged.json", text), "--json"}).out);
  EXPECT_EQ(json.at("traces")[0].at("dropped"), 1);
  EXPECT_EQ(json.at("devices")[0].at("kernels"), 1);
  EXPECT_FALSE(json.at("traces")[0].at("truncated"));
  const auto cut = nlohmann::json::parse(run({write("cut.json", text.substr(0, text.size() - 9)), "--json"}).out);
  EXPECT_TRUE(cut.at("traces")[0].at("truncated"));
}

TEST_F(TraceCommand, ComparesRanks) {
  const auto json = nlohmann::json::parse(
      run({write("a.json", rank_trace(1, 80)), write("b.json", rank_trace(0, 40)), "--json"}).out);
  const auto& ranks = json.at("ranks");
  EXPECT_EQ(ranks.at("rows")[0].at("rank"), 0);
  EXPECT_EQ(ranks.at("straggler"), 1);
  EXPECT_DOUBLE_EQ(ranks.at("compute_imbalance"), (80.0 - 60.0) / 60.0);
  EXPECT_EQ(ranks.at("comm_beyond_least_ns"), 40'000);
}

TEST_F(TraceCommand, UtilizationOverADuration) {
  const auto json =
      nlohmann::json::parse(run({write("a.json", rank_trace(1, 80)), "--json", "--duration", "0.0002"}).out);
  EXPECT_DOUBLE_EQ(json.at("devices")[0].at("utilization_of_duration"), 0.5);
  EXPECT_DOUBLE_EQ(json.at("devices")[0].at("utilization"), 1.0);
}

TEST_F(TraceCommand, DiffNamesTheKernelThatChanged) {
  const std::string a = write("a.json", rank_trace(0, 60)), b = write("b.json", rank_trace(0, 90));
  const Ran text = run({"diff", a, b});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("+50 %"), std::string::npos) << text.out;
  const auto json = nlohmann::json::parse(run({"diff", a, b, "--json"}).out);
  EXPECT_EQ(json.at("devices")[0].at("compute_ns").at("difference"), 30'000);
  EXPECT_EQ(json.at("devices")[0].at("kernels")[0].at("name"), "ncclAllReduce");
  EXPECT_EQ(json.at("devices")[0].at("kernels")[0].at("difference_ns"), -30'000);
  EXPECT_EQ(run({"diff", a}).code, 2);
}

TEST_F(TraceCommand, ThePageEscapesNamesAndNeverEchoesOtherKeys) {
  std::string text = rank_trace(0, 60);
  text.insert(1, R"("metadata": {"ENV": "secret-token"}, "username": "nobodys-name", )");
  const std::string page = (folder_->path() / "page.html").string();
  const Ran ran = run({write("a.json", text), "--html", page, "--full-names"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto html = read_file(page);
  ASSERT_TRUE(html.has_value());
  EXPECT_NE(html->find("sgemm\\u003cscript"), std::string::npos) << "a name is data, and cannot end its element";
  EXPECT_EQ(html->find("sgemm<script"), std::string::npos);
  for (const std::string& out : {*html, ran.out, run({write("a.json", text), "--json"}).out}) {
    EXPECT_EQ(out.find("secret-token"), std::string::npos);
    EXPECT_EQ(out.find("nobodys-name"), std::string::npos);
  }
}

TEST_F(TraceCommand, PrintsNamesThatAreNoUtf8) {
  std::string text = rank_trace(0, 60);
  text.replace(text.find("sgemm"), 2, "\xFF\xC0");
  const std::string path = write("bad.json", text);
  EXPECT_EQ(run({path}).code, 0);
  EXPECT_TRUE(nlohmann::json::accept(run({path, "--json"}).out));
}

}  // namespace
}  // namespace tally
