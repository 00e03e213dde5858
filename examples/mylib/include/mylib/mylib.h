/// Words and sums: just enough of a library to have something to measure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mylib {

/// How many threads parallel_sum uses; one to begin with.
void set_threads(int count);

double parallel_sum(const std::vector<double>& values);

std::vector<std::string> split_words(std::string_view text);

/// Letters that must change to make one word of the other (Levenshtein).
std::size_t distance(std::string_view a, std::string_view b);

}  // namespace mylib
