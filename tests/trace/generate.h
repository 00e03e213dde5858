/// Random traces for the tests: well-formed JSON in the layouts that exporters write, from a seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tally::trace {

enum class Layout { kineto, one_line, indented, sorted_keys, bare_array, shuffled };
inline constexpr Layout kLayouts[] = {Layout::kineto,      Layout::one_line,   Layout::indented,
                                      Layout::sorted_keys, Layout::bare_array, Layout::shuffled};

struct Generated {
  std::string text;
  std::vector<std::string> events;  ///< As they stand in the text.
};

Generated generate(std::uint32_t seed, int events, Layout layout);

}  // namespace tally::trace
