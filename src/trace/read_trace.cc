#include "trace/read_trace.h"

#include <cstring>
#include <vector>

#include "trace/collector.h"
#include "trace/splitter.h"

namespace tally::trace {
namespace {

constexpr std::size_t first_room = 262144;

}  // namespace

Result<TraceData> read_trace(ByteSource& source, const ReadOptions& options) {
  TraceData data;
  Collector collector(data, {.operators = options.operators, .legacy = options.legacy});
  Splitter splitter(collector, options.index != nullptr ? options.index : best_index_braces());
  std::vector<char> buffer(first_room);
  std::size_t held = 0;
  for (;;) {
    // An event longer than the buffer: twice the room. The splitter gives up on one that grows beyond its limit.
    if (held * 2 > buffer.size()) buffer.resize(buffer.size() * 2);
    const auto got = source.read(std::span(buffer).subspan(held));
    if (!got) return std::unexpected(got.error());
    data.bytes += *got;
    held += *got;
    const bool last = *got == 0;
    const std::size_t done = splitter.feed({buffer.data(), held}, last);
    if (last) break;
    held -= done;
    std::memmove(buffer.data(), buffer.data() + done, held);
  }
  const Damage damage = splitter.damage();
  data.events = splitter.events();
  data.pieces_dropped = damage.dropped;
  data.bytes_dropped = damage.dropped_bytes;
  data.stray_bytes = damage.stray_bytes;
  data.truncated = damage.truncated;
  data.saw_events = splitter.saw_events();
  data.input_fault = source.fault();
  return data;
}

Result<TraceData> read_trace(const std::string& path, const ReadOptions& options) {
  auto source = open_source(path, options.threads > 1);
  if (!source) return std::unexpected(std::move(source.error()));
  return read_trace(**source, options);
}

}  // namespace tally::trace
