#include "trace/layout.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace tally::trace {
namespace {

constexpr Wanted kWanted{.operations = true};

const std::vector<std::string> kEvents = {
    R"({"ph": "X", "cat": "kernel", "name": "gemm \"a\"", "pid": 0, "tid": 7,
    "ts": 1712345678901234.567, "dur": 12.5,
    "args": {
      "External id": 12, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": 99,
      "blocks per SM": 1.5, "grid": [64, 1, 1], "block": [256, 1, 1], "est. achieved occupancy %": 40
    }
  })",
    R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":5,"dur":3,"args":{"cbid":211,"correlation":99}})",
    R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 9, "tid": 9, "ts": 1.5, "dur": 2, "args": {"a": [1, "]"]}})",
    R"({"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "ts": 3, "pid": 0, "tid": 7, "dur": 1, "id": 3, "args": {"device": [0], "stream": 7, "bytes": 4096, "kind": {"a": 1}}, "x": 1})",
    R"({"ph": "X", "cat": "gpu_memset", "name": "Memset", "ts": 3, "pid": 0, "tid": 7, "dur": 1, "device": {}, "args": {"device": 0}})",
};

void expect_same(const Raw& a, const Raw& b, std::string_view text) {
  EXPECT_EQ(a.text.data(), b.text.data()) << text;
  EXPECT_EQ(a.text, b.text) << text;
  EXPECT_EQ(a.string, b.string) << text;
  EXPECT_EQ(a.escaped, b.escaped) << text;
}

struct Seen {
  Heads heads;
  Layouts layouts;
};

/// What layouts say of an event is what is found by reading it; what they do not know is learnt. Whether they knew it.
bool check(Seen& seen, const std::string& event) {
  const std::string with_slack = event + std::string(kSlack, '"');
  const std::string_view text = std::string_view(with_slack).substr(0, event.size());
  const Slice slice{text, nullptr, 0};
  const Head head = seen.heads.head(text, kWanted);
  const Head alone = read_head(text, kWanted);
  EXPECT_EQ(head.irrelevant, alone.irrelevant) << text;
  EXPECT_EQ(head.after_category, alone.after_category) << text;
  EXPECT_EQ(head.category, alone.category) << text;
  if (head.irrelevant) return false;
  Fields known;
  Fields found;
  const Layouts::Answer answer = seen.layouts.read(slice, head, known);
  const Reading reading = read_fields(slice, head, kWanted, found);
  if (answer == Layouts::Answer::unknown) {
    if (reading == Reading::relevant) seen.layouts.learn(slice, head, found);
    return false;
  }
  EXPECT_EQ(answer == Layouts::Answer::relevant, reading == Reading::relevant) << text;
  EXPECT_EQ(answer == Layouts::Answer::irrelevant, reading == Reading::irrelevant) << text;
  if (answer == Layouts::Answer::irrelevant) return true;
  EXPECT_EQ(known.phase, found.phase) << text;
  EXPECT_EQ(known.category, found.category) << text;
  for (Raw Fields::* const field :
       {&Fields::name, &Fields::ts, &Fields::dur, &Fields::pid, &Fields::tid, &Fields::device, &Fields::stream,
        &Fields::correlation, &Fields::external_id, &Fields::bytes, &Fields::occupancy, &Fields::blocks_per_sm,
        &Fields::labels, &Fields::kind})
    expect_same(known.*field, found.*field, text);
  return true;
}

std::string replaced(std::string text, const std::string& from, const std::string& by) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), by);
}

TEST(Layout, AnEventLikeOneBeforeIsKnownWhateverItsValues) {
  Seen seen;
  EXPECT_FALSE(check(seen, kEvents[0]));
  EXPECT_TRUE(check(seen, kEvents[0]));
  EXPECT_TRUE(check(seen, replaced(kEvents[0], "\"gemm \\\"a\\\"\"", "\"other\"")));
  EXPECT_TRUE(check(seen, replaced(kEvents[0], "[64, 1, 1]", "[1, 1, \"]\"]")));
  EXPECT_FALSE(check(seen, replaced(kEvents[0], "\"queued\"", "\"stream\""))) << "another key";
  EXPECT_FALSE(check(seen, replaced(kEvents[0], "\"device\": 0", "\"device\": [0]"))) << "not a value of its kind";
  EXPECT_FALSE(check(seen, kEvents[1]));
  EXPECT_TRUE(check(seen, kEvents[1]));
  EXPECT_TRUE(check(seen, kEvents[0])) << "each category has its own";
  EXPECT_FALSE(check(seen, kEvents[2]));
  EXPECT_TRUE(check(seen, replaced(kEvents[2], "{\"a\": [1, \"]\"]}", "whatever"))) << "not read so far";
}

TEST(Layout, ACallThatLaunchesNothingIsLeft) {
  Seen seen;
  EXPECT_FALSE(check(seen, kEvents[1]));
  EXPECT_TRUE(check(seen, replaced(kEvents[1], "cudaLaunchKernel", "cudaGetDevice")));
}

/// Pieces of one event put into another, bytes changed, left out and said twice.
TEST(Layout, NeverSaysWhatReadingWouldNot) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::size_t known = 0;
  for (int round = 0; round < 300; ++round) {
    Seen seen;
    for (int i = 0; i < 300; ++i) {
      std::string text = kEvents[below(kEvents.size())];
      for (std::size_t changes = below(4); changes > 0; --changes) {
        const std::size_t at = 1 + below(text.size() - 2);
        const std::size_t length = below(12);
        const std::string& other = kEvents[below(kEvents.size())];
        constexpr std::string_view signs = "{}[],:\"\\ \n0123456789ae.";
        switch (below(4)) {
          case 0:
            text[at] = signs[below(signs.size())];
            break;
          case 1:
            text.erase(at, std::min(length, text.size() - 1 - at));
            break;
          case 2:
            text.insert(at, other.substr(below(other.size()), length));
            break;
          default:
            text.insert(at, text.substr(at, length));
        }
      }
      known += check(seen, text) ? 1 : 0;
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(known, 10'000U);
}

}  // namespace
}  // namespace tally::trace
