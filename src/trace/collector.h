/// From event slices to rows: the sink of the splitter.
///
/// Owns: converting and checking the fields that matter, numbering names, devices, streams and threads. Every event
/// that should count and cannot is counted in FileReading::refused.
#pragma once

#include <string>
#include <unordered_map>

#include "trace/fields.h"
#include "trace/layout.h"
#include "trace/splitter.h"
#include "trace/trace_data.h"

namespace tally::trace {

class Collector : public EventSink {
 public:
  struct Options {
    bool operators = false;
    bool legacy = false;
  };
  Collector(TraceData& data, Options options);

  void event(const Slice& slice) override;
  /// The two halves of event(): what the first look finds, which touches nothing that the other half does, so that
  /// another thread may be at it; and all the rest, for what the first look did not find irrelevant.
  Head look(std::string_view event) { return heads_.head(event, wanted_); }
  void take(const Slice& slice, const Head& head);

  void foreign(std::string_view key, std::string_view text) override;
  [[nodiscard]] bool wants(std::string_view key) const override { return key == "distributedInfo"; }

 private:
  struct Span {
    Nanoseconds start, duration;
  };
  bool read_otherwise(const Slice& slice, const Head& head, Fields& fields);
  bool times(const Fields& fields, Span& span);
  void take_work(const Fields& fields);
  void take_call(const Fields& fields);
  void take_operator(const Fields& fields);
  void take_step(const Fields& fields);
  static void take_labels(const Fields& fields, LegacyWork& legacy);
  void take_legacy(const Fields& fields, LegacyWork& legacy);
  void take_estimates(const Fields& fields, Device& device, double weight);

  std::uint32_t device_number(const Fields& fields);
  std::uint32_t stream_number(const Fields& fields, std::uint32_t device);
  std::uint32_t thread_number(const Fields& fields);
  static std::uint32_t correlation(const Fields& fields);

  TraceData& data_;
  Wanted wanted_;
  Heads heads_;
  Layouts layouts_;
  TextTable device_labels_{255, 1U << 16};
  TextTable stream_keys_{65535, 1U << 22};
  std::string scratch_;
  // What the last event had, as text: most events share it with their neighbour.
  std::string last_device_text_, last_stream_text_, last_pid_, last_tid_;
  std::uint32_t last_device_ = TextTable::kOverflow, last_stream_ = TextTable::kOverflow,
                last_thread_ = TextTable::kOverflow;
  std::vector<MathClass> operator_math_;  ///< By operator name.
  std::vector<Nanoseconds> outer_end_;    ///< By thread: where its last outermost operator ends.
};

}  // namespace tally::trace
