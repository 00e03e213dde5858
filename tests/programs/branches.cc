/// The same sum with a branch that nobody can predict (FORESEEN not defined), or without one, in more instructions.
#include <cstdint>
#include <random>
#include <vector>

#include "tallymark/bench.h"

TALLY_BENCH("sum of the large ones")(tally::State& s) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> numbers(20'000);
  for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(random() % 256);
  for (auto _ : s) {
    static_cast<void>(_);
    std::uint64_t sum = 0;
    for (const std::uint32_t number : numbers) {
#ifdef FORESEEN
      sum += number & (0U - static_cast<std::uint32_t>(number >= 128));
      asm volatile("nop\n\tnop\n\tnop\n\tnop" : "+r"(sum));
#else
      if (number >= 128) {
        sum += number;
        asm volatile("" : "+r"(sum));
      }
#endif
    }
    tally::keep(sum);
  }
}
