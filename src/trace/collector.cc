#include "trace/collector.h"

#include <algorithm>

#include "base/short_text.h"
#include "trace/cursor.h"

namespace tally::trace {
namespace {

constexpr std::size_t kMostSteps = 100'000;

CopyDirection direction_of(std::string_view name, std::string_view kind) {
  const auto has = [&](std::string_view part) {
    return name.find(part) != std::string_view::npos || kind.find(part) != std::string_view::npos;
  };
  if (has("HtoD") || has("M2D")) return CopyDirection::host_to_device;
  if (has("DtoH") || has("D2M")) return CopyDirection::device_to_host;
  if (has("PtoP")) return CopyDirection::peer;
  if (has("DtoD") || has("D2D")) return CopyDirection::device_to_device;
  if (has("HtoH")) return CopyDirection::host_to_host;
  return CopyDirection::other;
}

}  // namespace

Collector::Collector(TraceData& data, Options options) : data_(data), wanted_{options.operators, options.legacy} {
  if (options.operators) data_.operators.emplace();
  if (options.legacy) data_.legacy.emplace();
}

void Collector::event(const Slice& slice) {
  const Head head = look(slice.text);
  if (!head.irrelevant) take(slice, head);
}

void Collector::take(const Slice& slice, const Head& head) {
  Fields fields;
  switch (layouts_.read(slice, head, fields)) {
    case Layouts::Answer::irrelevant:
      return;
    case Layouts::Answer::relevant:
      break;
    case Layouts::Answer::unknown:
      if (!read_otherwise(slice, head, fields)) return;
  }
  if (fields.phase == 'M') {
    if (data_.legacy) take_labels(fields, *data_.legacy);
    return;
  }
  if (data_.legacy) take_legacy(fields, *data_.legacy);
  switch (fields.category) {
    case Category::kernel:
    case Category::memcpy:
    case Category::memset:
      return take_work(fields);
    case Category::runtime:
      return take_call(fields);
    case Category::operation:
    case Category::annotation:
      if (is_step(fields.name)) take_step(fields);
      if (wanted_.operations && fields.category == Category::operation) take_operator(fields);
      return;
    case Category::other_device:
      ++data_.reading.other_device_events;
      return;
    case Category::sync:
    case Category::gpu_annotation:
    case Category::irrelevant:
      return;
  }
}

/// Whether it is relevant.
bool Collector::read_otherwise(const Slice& slice, const Head& head, Fields& fields) {
  switch (read_fields(slice, head, wanted_, fields)) {
    case Reading::irrelevant:
      return false;
    case Reading::damaged:
      ++data_.reading.refused.malformed;
      return false;
    case Reading::relevant:
      break;
  }
  // Of operators only the steps are relevant where no others are wanted, and what is laid out like them is not.
  if (fields.category != Category::operation || wanted_.operations) layouts_.learn(slice, head, fields);
  return true;
}

/// A missing duration is none, as in the oracle; a start must be there.
bool Collector::times(const Fields& fields, Span& span) {
  const auto start = nanoseconds(fields.ts.text);
  const auto duration = fields.dur.present() ? nanoseconds(fields.dur.text) : 0;
  if (!start || !duration || *duration < 0 || *duration >= Nanoseconds{1} << 48) {
    ++data_.reading.refused.no_time;
    return false;
  }
  span = {*start, *duration};
  return true;
}

std::uint32_t Collector::correlation(const Fields& fields) {
  const auto value = whole_number(fields.correlation.text);
  return value && *value <= 0xFFFF'FFFF ? static_cast<std::uint32_t>(*value) : 0;
}

std::uint32_t Collector::device_number(const Fields& fields) {
  const Raw& label = fields.device.absent_or_null() ? fields.pid : fields.device;
  if (last_device_ != TextTable::kOverflow && same_text(label.text, last_device_text_)) return last_device_;
  const std::string plain = label.present() ? plain_text(label) : std::string("none");
  const std::uint32_t number = device_labels_.number(plain);
  if (number == TextTable::kOverflow) return number;
  if (number == data_.devices.size()) data_.devices.push_back({plain, {}, {}});
  last_device_text_ = label.text;
  return last_device_ = number;
}

std::uint32_t Collector::stream_number(const Fields& fields, std::uint32_t device) {
  const Raw& label = fields.stream.absent_or_null() ? fields.tid : fields.stream;
  if (last_stream_ != TextTable::kOverflow && data_.streams[last_stream_].device == device &&
      same_text(label.text, last_stream_text_))
    return last_stream_;
  const std::string plain = label.present() ? plain_text(label) : std::string("none");
  scratch_ = std::to_string(device) + '/' + plain;
  const std::uint32_t number = stream_keys_.number(scratch_);
  if (number == TextTable::kOverflow) return number;
  if (number == data_.streams.size()) data_.streams.push_back({device, plain});
  last_stream_text_ = label.text;
  return last_stream_ = number;
}

std::uint32_t Collector::thread_number(const Fields& fields) {
  if (last_thread_ != TextTable::kOverflow && same_text(fields.tid.text, last_tid_) &&
      same_text(fields.pid.text, last_pid_))
    return last_thread_;
  scratch_.assign(fields.pid.text);
  scratch_ += '/';
  scratch_ += fields.tid.text;
  last_pid_ = fields.pid.text;
  last_tid_ = fields.tid.text;
  return last_thread_ = data_.threads.number(scratch_);
}

void Collector::take_work(const Fields& fields) {
  Span span{};
  if (!times(fields, span)) return;
  const std::uint32_t device = device_number(fields);
  const std::uint32_t stream = device == TextTable::kOverflow ? device : stream_number(fields, device);
  if (stream == TextTable::kOverflow) {
    ++data_.reading.refused.no_room;
    return;
  }
  std::string_view name = fields.name.text;
  if (fields.name.escaped) {
    scratch_ = plain_text(fields.name);
    name = scratch_;
  }
  const std::uint32_t number = data_.names.number(name);
  if (!fields.dur.present()) ++data_.reading.work_without_duration;
  Row row{};
  row.start = span.start;
  row.duration = static_cast<std::uint64_t>(span.duration);
  row.lane = static_cast<std::uint16_t>(stream);
  row.correlation = correlation(fields);
  row.name = number == TextTable::kOverflow ? kOtherName : number;
  row.device = static_cast<std::uint8_t>(device);
  while (data_.name_is_communication.size() < data_.names.size())
    data_.name_is_communication.push_back(
        is_communication(data_.names.text(static_cast<std::uint32_t>(data_.name_is_communication.size()))));
  Work work = fields.category == Category::memcpy ? Work::copy : Work::fill;
  if (fields.category == Category::kernel) {
    const bool communication = number == TextTable::kOverflow ? is_communication(name)
                                                              : static_cast<bool>(data_.name_is_communication[number]);
    work = communication ? Work::communication : Work::compute;
    take_estimates(fields, data_.devices[device], static_cast<double>(span.duration));
  } else if (fields.category == Category::memcpy) {
    auto& totals = data_.devices[device].copies[static_cast<std::size_t>(direction_of(name, fields.kind.text))];
    const auto bytes = whole_number(fields.bytes.text);
    if (bytes) {  // Without its size a copy says nothing about bandwidth.
      ++totals.count;
      totals.bytes += *bytes;
      totals.nanoseconds += static_cast<std::uint64_t>(span.duration);
    }
  }
  row.kind = static_cast<std::uint32_t>(work) & 15U;
  data_.work.push_back(row);
}

void Collector::take_estimates(const Fields& fields, Device& device, double weight) {
  if (const auto occupancy = real_number(fields.occupancy.text)) {
    device.estimates.occupancy_weighted += weight * std::clamp(*occupancy, 0.0, 100.0);
    device.estimates.occupancy_weight += weight;
  }
  if (const auto blocks = real_number(fields.blocks_per_sm.text)) {
    device.estimates.sm_weighted += weight * std::clamp(*blocks, 0.0, 1.0);
    device.estimates.sm_weight += weight;
  }
}

void Collector::take_call(const Fields& fields) {
  Span span{};
  if (!times(fields, span)) return;
  const std::uint32_t thread = thread_number(fields);
  if (thread == TextTable::kOverflow) {
    ++data_.reading.refused.no_room;
    return;
  }
  const std::uint32_t number = data_.call_names.number(fields.name.text);
  while (data_.call_kinds.size() < data_.call_names.size())
    data_.call_kinds.push_back(call_kind(data_.call_names.text(static_cast<std::uint32_t>(data_.call_kinds.size()))));
  Row row{};
  row.start = span.start;
  row.duration = static_cast<std::uint64_t>(span.duration);
  row.lane = static_cast<std::uint16_t>(thread);
  row.correlation = correlation(fields);
  row.name = number == TextTable::kOverflow ? kOtherName : number;
  const CallKind kind = number == TextTable::kOverflow ? call_kind(fields.name.text) : data_.call_kinds[number];
  row.kind = static_cast<std::uint32_t>(kind) & 15U;
  data_.calls.push_back(row);
}

void Collector::take_operator(const Fields& fields) {
  Span span{};
  if (!times(fields, span)) return;
  const std::uint32_t thread = thread_number(fields);
  if (thread == TextTable::kOverflow) return;
  std::string_view name = fields.name.text;
  if (fields.name.escaped) {
    scratch_ = plain_text(fields.name);
    name = scratch_;
  }
  Operators& operators = *data_.operators;
  const std::uint32_t number = operators.names.number(name);
  while (operator_math_.size() < operators.names.size())
    operator_math_.push_back(operator_math(operators.names.text(static_cast<std::uint32_t>(operator_math_.size()))));
  const bool known = number != TextTable::kOverflow;
  const OperatorSpan op{span.start,
                        span.start + span.duration,
                        static_cast<std::uint16_t>(thread),
                        known && !fields.name.escaped ? operator_math_[number] : operator_math(fields.name.text),
                        is_step(fields.name),
                        known ? number : kOtherName};
  if (op.math != MathClass::other) operators.math.push_back(op);
  if (outer_end_.size() <= thread) outer_end_.resize(thread + 1, -kLatestTime);
  // Exporters write a thread's operators by their start, parents first: a child adds nothing, but for those of a step.
  if (op.is_step) {
    operators.outer.push_back(op);
  } else if (op.end > outer_end_[thread]) {
    outer_end_[thread] = op.end;
    operators.outer.push_back(op);
  }
}

void Collector::take_step(const Fields& fields) {
  Span span{};
  if (!times(fields, span)) return;
  if (data_.steps.size() >= kMostSteps) {
    ++data_.reading.refused.no_room;
    return;
  }
  data_.steps.push_back({plain_text(fields.name), plain_text(fields.pid), span.start, span.start + span.duration});
}

void Collector::take_legacy(const Fields& fields, LegacyWork& legacy) {
  const auto start = nanoseconds(fields.ts.text);
  const auto duration = fields.dur.present() ? nanoseconds(fields.dur.text) : 0;
  if (!start || !duration || !fields.pid.present()) return;  // Counted where the event matters, or of no concern.
  const std::uint32_t process = legacy.processes.number(fields.pid.text);
  if (process == TextTable::kOverflow) {
    ++data_.reading.refused.no_room;
    return;
  }
  const bool matmul = fields.name.escaped ? legacy_matmul(plain_text(fields.name)) : legacy_matmul(fields.name.text);
  legacy.spans.push_back({*start, *start + *duration, process, matmul});
}

void Collector::take_labels(const Fields& fields, LegacyWork& legacy) {
  if (fields.labels.text.find("GPU") == std::string_view::npos || !fields.pid.present()) return;
  const std::uint32_t process = legacy.processes.number(fields.pid.text);
  if (process == TextTable::kOverflow) return;
  if (std::ranges::find(legacy.gpu_processes, process) == legacy.gpu_processes.end())
    legacy.gpu_processes.push_back(process);
}

void Collector::foreign(std::string_view, std::string_view text) {
  Cursor in(text.data() + 1, text.data() + text.size());
  for (;;) {
    std::string_view key;
    bool done = false;
    if (!in.key(key, done) || done) return;
    if (key == "rank") {
      Raw value;
      if (!in.scalar(value)) return;
      const auto rank = whole_number(value.text);
      if (rank && *rank < 100'000'000) data_.reading.rank = static_cast<int>(*rank);
    } else if (!in.skip_value()) {
      return;
    }
  }
}

}  // namespace tally::trace
