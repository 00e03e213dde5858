#include "comparison/line_match.h"

#include <algorithm>
#include <unordered_map>

#include "base/text.h"

namespace tally {
namespace {

/// Lines of both texts, from a first to one before the last.
struct Stretch {
  std::size_t before_begin = 0;
  std::size_t before_end = 0;
  std::size_t after_begin = 0;
  std::size_t after_end = 0;
};

struct Pair {
  std::size_t before = 0;
  std::size_t after = 0;
};

std::vector<std::string_view> trimmed_lines(std::string_view text) {
  std::vector<std::string_view> lines = split(text, '\n');
  for (std::string_view& line : lines) line = trim(line);
  return lines;
}

/// The most pairs that are in one order on both sides; `pairs` are in the order of the earlier side.
std::vector<Pair> in_one_order(const std::vector<Pair>& pairs) {
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> ends;  // The pair that ends the best chain of each length.
  std::vector<std::size_t> previous(pairs.size(), none);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto at = std::ranges::lower_bound(ends, pairs[i].after, {}, [&](std::size_t e) { return pairs[e].after; });
    if (at != ends.begin()) previous[i] = *std::prev(at);
    if (at == ends.end()) {
      ends.push_back(i);
    } else {
      *at = i;
    }
  }
  std::vector<Pair> chain;
  for (std::size_t i = ends.empty() ? none : ends.back(); i != none; i = previous[i]) chain.push_back(pairs[i]);
  std::ranges::reverse(chain);
  return chain;
}

class Matcher {
 public:
  Matcher(std::string_view before, std::string_view after)
      : before_(trimmed_lines(before)), after_(trimmed_lines(after)), match_(before_.size() + 1, 0) {}

  LineMatch match() {
    // What is still to be matched, instead of a recursion as deep as a text is long.
    std::vector<Stretch> open = {{0, before_.size(), 0, after_.size()}};
    while (!open.empty()) {
      Stretch stretch = open.back();
      open.pop_back();
      take_ends(stretch);
      const std::vector<Pair> anchors = in_one_order(unique_in_both(stretch));
      if (anchors.empty()) {
        take_rewritten(stretch);
        continue;
      }
      for (const Pair& anchor : anchors) {
        take(anchor.before, anchor.after);
        open.push_back({stretch.before_begin, anchor.before, stretch.after_begin, anchor.after});
        stretch.before_begin = anchor.before + 1;
        stretch.after_begin = anchor.after + 1;
      }
      open.push_back(stretch);
    }
    return std::move(match_);
  }

 private:
  void take(std::size_t before, std::size_t after) { match_[before + 1] = after + 1; }

  void take_ends(Stretch& stretch) {
    auto& [b, b_end, a, a_end] = stretch;
    for (; b < b_end && a < a_end && before_[b] == after_[a]; ++b, ++a) take(b, a);
    for (; b < b_end && a < a_end && before_[b_end - 1] == after_[a_end - 1]; --b_end, --a_end)
      take(b_end - 1, a_end - 1);
  }

  void take_rewritten(const Stretch& stretch) {
    const std::size_t lines = stretch.before_end - stretch.before_begin;
    if (lines != stretch.after_end - stretch.after_begin) return;
    for (std::size_t i = 0; i < lines; ++i) take(stretch.before_begin + i, stretch.after_begin + i);
  }

  [[nodiscard]] std::vector<Pair> unique_in_both(const Stretch& stretch) const {
    struct Seen {
      std::size_t before = 0;
      std::size_t after = 0;
      Pair at;
    };
    std::unordered_map<std::string_view, Seen> seen;
    for (std::size_t i = stretch.before_begin; i < stretch.before_end; ++i) {
      Seen& line = seen[before_[i]];
      ++line.before;
      line.at.before = i;
    }
    for (std::size_t i = stretch.after_begin; i < stretch.after_end; ++i) {
      const auto line = seen.find(after_[i]);
      if (line == seen.end()) continue;
      ++line->second.after;
      line->second.at.after = i;
    }
    std::vector<Pair> pairs;
    for (const auto& [text, line] : seen) {
      if (!text.empty() && line.before == 1 && line.after == 1) pairs.push_back(line.at);
    }
    std::ranges::sort(pairs, {}, &Pair::before);
    return pairs;
  }

  std::vector<std::string_view> before_;
  std::vector<std::string_view> after_;
  LineMatch match_;
};

}  // namespace

LineMatch match_lines(std::string_view before, std::string_view after) { return Matcher(before, after).match(); }

}  // namespace tally
