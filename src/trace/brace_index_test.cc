#include "trace/brace_index.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace tally::trace {
namespace {

/// Byte by byte, as one would explain it.
std::vector<std::uint32_t> explained(const std::string& text) {
  std::vector<std::uint32_t> out;
  bool in_string = false, escaped = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool active = !escaped;
    escaped = active && c == '\\';
    if (c == '"' && active) {
      in_string = !in_string;
      continue;
    }
    if (c == '{' && in_string && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) <= '"')
      out.push_back(static_cast<std::uint32_t>(i) | kBraceInString);
    if ((c == '{' || c == '}') && !in_string) out.push_back(static_cast<std::uint32_t>(i));
  }
  return out;
}

std::vector<std::uint32_t> run(IndexBraces index, const std::string& text, std::size_t chunk, BraceState& state) {
  std::vector<std::uint32_t> all, some(chunk + 8);
  for (std::size_t at = 0; at < text.size(); at += chunk) {
    const std::size_t count = index(text.data(), at, std::min(text.size(), at + chunk), state, some.data());
    all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return all;
}

/// A backslash outside strings escapes here and never does in JSON; the test texts have none where it matters.
TEST(BraceIndex, EveryImplementationSaysWhatIsExplained) {
  std::mt19937 random(7);
  const std::string alphabet = R"({}{}""\\ab :,)"
                               "\n\x01\xFF";
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    const std::size_t length = random() % 400;
    while (text.size() < length) text += alphabet[random() % alphabet.size()];
    const auto expected = explained(text);
    BraceState whole{};
    ASSERT_EQ(run(usable_index_braces().back(), text, 1000, whole), expected) << text;
    for (const std::size_t chunk :
         {std::size_t{1}, std::size_t{7}, std::size_t{63}, std::size_t{64}, std::size_t{65}, std::size_t{200}}) {
      for (const IndexBraces index : usable_index_braces()) {
        BraceState state{};
        ASSERT_EQ(run(index, text, chunk, state), expected) << chunk << ' ' << text;
        ASSERT_EQ(state, whole);
      }
    }
  }
}

TEST(BraceIndex, MarksABraceInAStringBeforeABlankOrAQuote) {
  const std::string text = R"("{lambda" "{ x" "{")";
  BraceState state{};
  EXPECT_EQ(run(usable_index_braces().front(), text, 64, state),
            (std::vector<std::uint32_t>{11 | kBraceInString, 17 | kBraceInString}));
}

}  // namespace
}  // namespace tally::trace
