#include "trace/read_trace.h"

#include <cstring>
#include <optional>
#include <vector>

#include "trace/collector.h"
#include "trace/relay.h"
#include "trace/splitter.h"

namespace tally::trace {
namespace {

constexpr std::size_t kFirstRoom = 262144;

/// Feeds the splitter from one buffer.
Status split_here(ByteSource& source, Splitter& splitter, FileReading& reading) {
  std::vector<char> buffer(kFirstRoom);
  std::size_t held = 0;
  for (;;) {
    // An event longer than the buffer: twice the room. The splitter gives up on one that grows beyond its limit.
    if (held * 2 > buffer.size()) buffer.resize(buffer.size() * 2);
    const auto got = source.read(std::span(buffer).first(buffer.size() - kSlack).subspan(held));
    if (!got) return std::unexpected(got.error());
    reading.bytes += *got;
    held += *got;
    const bool last = *got == 0;
    const std::size_t done = splitter.feed({buffer.data(), held}, last);
    if (last) return {};
    held -= done;
    std::memmove(buffer.data(), buffer.data() + done, held);
  }
}

/// Feeds it from buffers that another thread still reads in while the next is filled.
Status split_for(Relay& relay, ByteSource& source, Splitter& splitter, FileReading& reading) {
  std::string_view carried;
  for (;;) {
    std::vector<char>& buffer = relay.next(carried);
    const auto got = source.read(std::span(buffer).first(buffer.size() - kSlack).subspan(carried.size()));
    if (!got) return std::unexpected(got.error());
    reading.bytes += *got;
    const std::string_view bytes(buffer.data(), carried.size() + *got);
    const std::size_t done = splitter.feed(bytes, *got == 0);
    relay.pass();
    if (*got == 0) return {};
    carried = bytes.substr(done);
  }
}

}  // namespace

Result<TraceData> read_trace(ByteSource& source, const ReadOptions& options) {
  TraceData data;
  Collector collector(data, {.operators = options.operators, .legacy = options.legacy});
  std::optional<Relay> relay;
  if (options.threads > 1 && !source.reads_ahead()) relay.emplace(collector);
  Splitter splitter(relay ? static_cast<EventSink&>(*relay) : collector,
                    options.index != nullptr ? options.index : usable_index_braces().front());
  const Status split =
      relay ? split_for(*relay, source, splitter, data.reading) : split_here(source, splitter, data.reading);
  if (relay) relay->finish();
  if (!split) return std::unexpected(split.error());
  const Damage damage = splitter.damage();
  FileReading& reading = data.reading;
  reading.events = splitter.events();
  reading.pieces_dropped = damage.dropped;
  reading.bytes_dropped = damage.dropped_bytes;
  reading.stray_bytes = damage.stray_bytes;
  reading.truncated = damage.truncated;
  reading.objects_after_end = damage.after_end;
  reading.names_overflowed = data.names.overflowed();
  reading.input_fault = source.fault();
  return data;
}

Result<TraceData> read_trace(const std::string& path, const ReadOptions& options) {
  auto source = open_source(path, options.threads > 1);
  if (!source) return std::unexpected(std::move(source.error()));
  return read_trace(**source, options);
}

}  // namespace tally::trace
