/// A benchmark program in every form that <tallymark/bench.h> has, of known work.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tallymark/bench.h"

#define THOUSAND_NOPS asm volatile(".rept 1000\nnop\n.endr")

/// 20 of 21 equal parts of the work are paused.
TALLY_BENCH("pauses")(tally::State& state) {
  for (auto _ : state) {
    state.pause();
    asm volatile(".rept 20000\nnop\n.endr");
    state.resume();
    THOUSAND_NOPS;
  }
}

TALLY_BENCH("pauses thrice")(tally::State& state) {
  for (auto _ : state) {
    for (int i = 0; i < 3; ++i) {
      state.pause();
      THOUSAND_NOPS;
      state.resume();
    }
    THOUSAND_NOPS;
  }
}

TALLY_BENCH("each")(tally::State& state) {
  int made = 0;
  for (int& value : state.each([&] { return ++made; })) {
    THOUSAND_NOPS;
    tally::keep(value);
  }
}

/// Of a megabyte each: made 32 at a time.
TALLY_BENCH("each of many bytes")(tally::State& state) {
  for (std::string& text : state.each([] { return std::string(1000000, 'x'); })) {
    THOUSAND_NOPS;
    tally::keep(text);
  }
}

TALLY_BENCH("threads", [] {
  tally::Options options;
  options.threads = {1, 4};
  return options;
}())(tally::State& state) {
  for (auto _ : state) asm volatile(".rept 100000\nnop\n.endr");
}

/// Nearly all of the time is paused.
TALLY_BENCH("threads that pause", [] {
  tally::Options options;
  options.threads = {2};
  return options;
}())(tally::State& state) {
  for (auto _ : state) {
    state.pause();
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    state.resume();
    asm volatile(".rept 100000\nnop\n.endr");
  }
}

TALLY_BENCH("seven at once", [] {
  tally::Options options;
  options.iterations = 7;
  return options;
}())(tally::State& state) {
  int left = 7;
  for (auto _ : state) {
    if (--left < 0) throw 1;
    THOUSAND_NOPS;
  }
}

TALLY_BENCH("manual", [] {
  tally::Options options;
  options.manual_time = true;
  return options;
}())(tally::State& state) {
  for (auto _ : state) {
    THOUSAND_NOPS;
    state.set_time(0.25);
  }
}

TALLY_BENCH("counters")(tally::State& state) {
  for (auto _ : state) THOUSAND_NOPS;
  state.counter("answer", 42);
  state.counter("items", 10, tally::Per::second);
}

TALLY_BENCH("skips")(tally::State& state) {
  state.skip("has nothing to do");
  for (auto _ : state) THOUSAND_NOPS;
}

TALLY_BENCH("skips within")(tally::State& state) {
  for (auto _ : state) {
    state.skip("found nothing to do");
    break;
  }
}

struct Thousand {
  explicit Thousand(tally::State& state) : number(static_cast<int>(state.arg(0))) {}
  int number;
};

TALLY_BENCH_F(Thousand, "fixture", tally::args({5, 6}))(tally::State& state) {
  if (state.arg(0) != number) throw 1;
  for (auto _ : state) THOUSAND_NOPS;
}

template <typename T>
void typed(tally::State& state) {
  T value{};
  tally::keep(value);
  for (auto _ : state) THOUSAND_NOPS;
}
TALLY_BENCH_TYPES(typed, int, std::pair<int, long>);
