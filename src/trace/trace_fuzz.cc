// Any bytes: no crash, and the answer does not depend on the instruction set, the size of blocks, or what else is kept.
#include <cstdint>
#include <cstdlib>

#include "trace/analyse.h"
#include "trace/read_trace.h"

namespace {

using namespace tally::trace;

struct Answer {
  std::uint64_t events = 0, dropped = 0, skipped = 0, refused = 0;
  std::vector<Nanoseconds> figures;
  bool operator==(const Answer&) const = default;
};

Answer answer(std::span<const char> bytes, std::size_t block, IndexBraces index, bool everything, int threads = 1) {
  const auto source = memory_source(bytes, block);
  auto data = read_trace(*source, {.operators = everything, .legacy = everything, .threads = threads, .index = index});
  if (!data) std::abort();
  const FileReading& reading = data->reading;
  Answer out{reading.events, reading.pieces_dropped, reading.bytes_dropped + reading.stray_bytes, 0, {}};
  const auto figures =
      analyse(*data, {.timeline_slices = everything ? 7U : 0U, .steps = everything, .threads = threads});
  for (const DeviceFigures& d : figures.devices) {
    const Parts& p = d.parts;
    if (p.compute + p.exposed_communication + p.exposed_memory + p.idle != p.window) std::abort();
    const IdleCauses& i = d.idle;
    if (i.host + i.kernel + i.synchronise + i.other != p.idle) std::abort();
    for (const Nanoseconds value : {p.window, p.busy, p.compute, p.communication, p.memory, p.kernel_time})
      out.figures.push_back(value);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const char*>(data), size);
  const Answer first = answer(bytes, 1U << 20, usable_index_braces().back(), false);
  if (answer(bytes, 61, usable_index_braces().front(), true) != first) std::abort();
  // A second thread takes longer than all the rest together: of some inputs.
  if (size % 8 == 0 && answer(bytes, 1000, usable_index_braces().front(), false, 2) != first) std::abort();
  return 0;
}
