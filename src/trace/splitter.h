/// Stage two of reading a trace: the slices of bytes that are events.
///
/// Owns: walking over the braces of stage one, the difference between events and everything else, and getting back on
/// track after damage. Never looks into a healthy event; who does is the sink.
///
/// Damage. An unescaped quote turns strings inside out from there on; a cut leaves an object open. Either way the next
/// event begins where none should: inside what seems a string, or where no value may stand. Such a slice is suspect and
/// must pass the strict check when it closes, and so must every long one, while it grows and at its end; when it fails,
/// its first byte is given up and the search for the next event continues from there in the raw bytes. So no event is
/// lost unseen.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/brace_index.h"
#include "trace/top_level.h"

namespace tally::trace {

/// An object inside an event, so that a reader of fields may step over it. Offsets are in the event's text.
struct Nested {
  std::uint32_t begin, end;
};

/// So many bytes behind what the splitter is fed may be looked at; they may be anything.
inline constexpr std::size_t kSlack = 128;

struct Slice {
  std::string_view text;  ///< From '{' to '}'; with slack.
  const Nested* nested;   ///< Objects directly inside, in order; at most four are noted.
  int nested_count;
};

class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void event(const Slice& slice) = 0;
  /// An object of another top-level key, whole. Only for keys that wants() names.
  virtual void foreign(std::string_view key, std::string_view text) = 0;
  [[nodiscard]] virtual bool wants(std::string_view key) const = 0;
};

struct Damage {
  std::uint64_t dropped = 0;        ///< Pieces given up, each at least the beginning of an event.
  std::uint64_t dropped_bytes = 0;  ///< Bytes passed over while searching for the next event.
  std::uint64_t stray_bytes = 0;    ///< Bytes between events that do not belong there.
  std::uint64_t after_end = 0;      ///< Objects behind the document's end.
  bool truncated = false;           ///< The text ended before its document did.
};

class Splitter {
 public:
  Splitter(EventSink& sink, IndexBraces index);

  /// Works on `bytes`: what an earlier call left over, then new ones. Returns how many at the front it is done with.
  /// With `last` it always is done with all.
  std::size_t feed(std::string_view bytes, bool last);

  [[nodiscard]] Damage damage() const;
  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] bool saw_events() const { return top_.saw_events(); }

  /// No event is longer than this: one that seems so is given up.
  static constexpr std::size_t kLongestEvent = std::size_t{16} << 20;

 private:
  enum class Where { between, event, foreign, lost };

  void walk(std::string_view bytes, std::size_t count);
  bool brace_in_event(std::string_view bytes, std::size_t at);
  bool is_blank_gap(const char* from, const char* to);
  void brace_between(std::string_view bytes, std::size_t at);
  void brace_between_others(std::string_view bytes, std::size_t at);
  void brace_in_foreign(std::string_view bytes, std::size_t at);
  bool marked(std::string_view bytes, std::size_t at);
  void open_event(std::size_t at);
  void take_gap(std::string_view bytes, std::size_t to);
  void give_up(std::size_t from);
  void search(std::string_view bytes, std::size_t limit);
  void restart_at(std::size_t at);
  bool finish(std::string_view bytes);

  EventSink& sink_;
  IndexBraces index_;
  TopLevel top_;
  BraceState state_;
  Damage damage_;
  std::uint64_t events_ = 0;
  Where where_ = Where::between;
  // Positions in the bytes of the present call; moved back when the front is discarded.
  std::size_t indexed_ = 0;  ///< Stage one has been here.
  std::size_t gap_ = 0;      ///< Top-level text is taken up to here.
  std::size_t begin_ = 0;    ///< Of the open event or foreign object, or where the search continues.
  std::size_t next_check_ = 0;
  int depth_ = 0;
  bool suspect_ = false;
  int nested_count_ = 0;
  Nested nested_[4] = {};
  std::uint64_t blank_gap_ = 0;  ///< The last short gap with nothing in it, as a word.
  std::vector<std::uint32_t> braces_;
};

}  // namespace tally::trace
