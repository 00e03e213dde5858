/// Which line of one text is which line of another. Pure.
///
/// Lines that are the same but for blanks around them are matched by what is unique in both texts (a patience diff: B.
/// Cohen, 2007), then by what stands beside matched lines. Between two matches, as many lines on both sides are taken
/// to be the same lines, written otherwise.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tally {

/// For each line of the earlier text from 1 on (0 is unused), its number in the later one; 0: it is gone.
using LineMatch = std::vector<std::size_t>;

LineMatch match_lines(std::string_view before, std::string_view after);

}  // namespace tally
