#include <tallymark/bench.h>
#include <words.h>

#include <string>

TALLY_BENCH("count", tally::args({{"words", {10, 1000}}}))(tally::State& state) {
  std::string text;
  for (long long i = 0; i < state.arg(0); ++i) text += "word ";
  for (auto _ : state) {
    tally::clobber();
    tally::keep(words::count(text));
  }
}
