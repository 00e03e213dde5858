#include "harness.h"
#include "json/text.h"

namespace tally::cli_test {
namespace {

/// The fit of one row of `tally table --json`, and its order.
struct Fitted {
  std::string order;
  double constant = 0;
  double coefficient = 0;
  double residual = 1;
};

Fitted fitted(const json::Value& row) {
  const json::Value& complexity = row["complexity"];
  const std::string order = complexity["order"].text_or("");
  for (std::size_t i = 0; i < complexity["fits"].size(); ++i) {
    const json::Value& fit = complexity["fits"][i];
    if (fit["order"].text_or("") != order) continue;
    return {.order = order,
            .constant = fit["constant"].number().value_or(-1),
            .coefficient = fit["coefficient"].number().value_or(-1),
            .residual = fit["residual"].number().value_or(1)};
  }
  return {};
}

TEST(Growth, OfKnownWorkIsReadExactly) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const std::string path = (folder->path() / "record.json").string();
  const Ran ran = tally({"run", suite("growing"), "--counts-only", "--json", path});
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  const Ran table = tally({"table", path, "--json"});
  ASSERT_EQ(table.code, 0) << table.err;
  const Result<json::Value> parsed = json::parse(table.out);
  ASSERT_TRUE(parsed);
  const json::Value& rows = (*parsed)["sections"][0]["rows"];
  ASSERT_EQ(rows.size(), 2U);
  const Fitted number = fitted(rows[0]);
  EXPECT_EQ(number.order, "O(n)");
  EXPECT_NEAR(number.constant, 0, 1);
  EXPECT_NEAR(number.coefficient, 1, 0.01);
  EXPECT_LE(number.residual, 0.005);
  const Fitted square = fitted(rows[1]);
  EXPECT_EQ(square.order, "O(n²)");
  EXPECT_NEAR(square.constant, 300, 2);
  EXPECT_NEAR(square.coefficient, 1, 0.01);
  EXPECT_LE(square.residual, 0.005);
  const Ran wrong = tally({"table", path, "--columns", "m"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.out, "");
}

}  // namespace
}  // namespace tally::cli_test
