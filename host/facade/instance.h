/// One run of a family: its arguments and number of threads chosen.
#pragma once

#include "families.h"

TALLYMARK_FACADE_BEGIN

namespace internal {

struct Instance {
  ::benchmark::Benchmark* family = nullptr;
  BenchmarkName name;
  std::string full_name;
  int family_index = 0;
  int index_in_family = 0;
  std::vector<std::int64_t> args;
  int threads = 1;

  [[nodiscard]] const Definition& said() const { return family->definition(); }
};

/// All that the filter matches, in order: a regular expression (POSIX extended) that matches a part of the name, "all",
/// or, after "-", one that must not match. Nothing where it is no expression; `error` then says why.
std::vector<Instance> instances(std::string filter, std::string& error);

}  // namespace internal

TALLYMARK_FACADE_END
