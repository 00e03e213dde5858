/// The summary of a comparison of many cases: a mean for each language, and the case that became worst. Pure.
///
/// The mean is geometric, of all cases that were compared by their counts, those that have not moved among them: a case
/// that doubled and one that halved leave it at 0. Where nothing was counted it is that of the times.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "comparison/comparison.h"

namespace tally {

struct LanguageMean {
  std::string language;  ///< "python"
  std::size_t cases = 0;
  double change = 0;  ///< 0.12 is 12 % more.
};

struct Means {
  std::vector<LanguageMean> languages;  ///< In the order in which a reader knows them: Python, C++, commands.
  bool of_times = false;
  const CaseComparison* worst = nullptr;  ///< Null: none became worse.
  double worst_change = 0;                ///< Infinite from nothing, which has no part in a mean.
  std::size_t moved = 0;
};

Means means_of(const Comparison& comparison);

}  // namespace tally
