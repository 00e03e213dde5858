/// The same sum with a branch that nobody can predict (FORESEEN not defined), or without one, in more instructions.
#include <cstdint>

#include "tallymark/bench.h"

TALLY_BENCH("sum of the large ones")(tally::State& s) {
  // Never the same numbers twice: processors learn 20,000 of them in a few passes, and then foresee every branch.
  std::uint64_t random = 1;
  for (auto _ : s) {
    static_cast<void>(_);
    std::uint64_t sum = 0;
    for (int i = 0; i < 20'000; ++i) {
      random = random * 6364136223846793005U + 1442695040888963407U;
      const auto number = static_cast<std::uint32_t>(random >> 56U);
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
