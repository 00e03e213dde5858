/// Functions of a case for a terminal: where its counts are, and which moved. Pure; see table.h for width and colour.
#pragma once

#include <string>
#include <vector>

#include "comparison/function_delta.h"
#include "profile/function_counts.h"
#include "report/text/table.h"

namespace tally {

/// "+1,462", "-3".
std::string signed_count(double value);

/// The `most` that explain most, in lines that begin with two blanks, and how many are left out.
std::string render_deltas(const std::vector<FunctionDelta>& deltas, std::size_t most, const RenderOptions& options);

struct ProfileRender {
  RenderOptions options;
  std::size_t top = 30;  ///< 0: all.
  double total = 0;      ///< What 100 % is.
  std::string event = "Ir";
  bool full_names = false;
  FunctionCounts calls;  ///< Under the same keys; empty: there is no such column.
};
std::string render_functions(const FunctionCounts& counts, const ProfileRender& render);

}  // namespace tally
