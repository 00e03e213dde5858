#include "trace/splitter.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/short_text.h"
#include "trace/json_check.h"

namespace tally::trace {
namespace {

/// Small enough that stage one's work is not thrown away by the megabyte when every event is damaged.
constexpr std::size_t kStride = 16384;
constexpr std::size_t kFirstCheck = 4096;

/// The last byte before `at` that is no blank, not looking far.
char last_before(std::string_view bytes, std::size_t at) {
  const std::size_t lowest = at - std::min(at, kEventStartWindow);
  while (at > lowest) {
    const char c = bytes[--at];
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return c;
  }
  return '\0';
}

/// Looks like an event and like nothing else: its phase comes before any other brace, or its first key is "args".
/// Device properties have an "id" and a "name", too.
bool surely_event(std::string_view bytes, std::size_t at) {
  if (!looks_like_event(bytes, at)) return false;
  const std::string_view text = bytes.substr(at + 1, kEventStartWindow);
  const std::string_view head = text.substr(0, text.find_first_of("{}"));
  const std::size_t key = head.find('"');
  return head.find("\"ph\"") != std::string_view::npos || head.substr(key).starts_with("\"args\"");
}

}  // namespace

Splitter::Splitter(EventSink& sink, IndexBraces index) : sink_(sink), index_(index), braces_(kStride + 8) {}

std::size_t Splitter::feed(std::string_view bytes, bool last) {
  // Every brace is looked at with at least `kEventStartWindow` bytes behind it: the answer then does not depend on
  // where a block ends.
  const std::size_t limit = last ? bytes.size() : bytes.size() - std::min(bytes.size(), kEventStartWindow);
  do {
    if (where_ == Where::lost) search(bytes, limit);
    while (where_ != Where::lost && indexed_ < limit) {
      const std::size_t to = std::min(limit, indexed_ + kStride);
      // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): it is given the limits
      const std::size_t count = index_(bytes.data(), indexed_, to, state_, braces_.data());
      indexed_ = to;
      walk(bytes, count);
      if (where_ == Where::event && indexed_ >= next_check_) {
        next_check_ = begin_ + 2 * (indexed_ - begin_);
        const std::string_view open = bytes.substr(begin_, indexed_ - begin_);
        if (open.size() > kLongestEvent || check_object(open) == Check::fault) give_up(begin_);
      }
    }
  } while ((where_ == Where::lost && begin_ < limit) || (last && !finish(bytes)));
  if (last) return bytes.size();
  // Not the last byte: it may turn out to be a marked brace, where another gap begins.
  if (where_ == Where::between && indexed_ > 0) take_gap(bytes, indexed_ - 1);
  if (where_ == Where::foreign && !sink_.wants(top_.key())) begin_ = indexed_;
  std::size_t done = where_ == Where::between ? indexed_ : begin_;
  // What stands before an event's beginning counts.
  if (where_ != Where::event) done -= std::min(done, kEventStartWindow);
  indexed_ -= std::min(indexed_, done);
  gap_ -= std::min(gap_, done);
  begin_ -= std::min(begin_, done);
  next_check_ -= std::min(next_check_, done);
  return done;
}

void Splitter::walk(std::string_view bytes, std::size_t count) {
  for (const std::uint32_t at : std::span(braces_).first(count)) {
    bool ok = true;
    if ((at & kBraceInString) != 0) [[unlikely]] {
      ok = marked(bytes, at & ~kBraceInString);
    } else if (where_ == Where::event) {
      ok = brace_in_event(bytes, at);
    } else if (where_ == Where::between) {
      brace_between(bytes, at);
    } else if (where_ == Where::foreign) {
      brace_in_foreign(bytes, at);
    }
    if (!ok) return;  // Given up: what stage one found in the rest is void.
  }
}

[[gnu::always_inline]] inline bool Splitter::brace_in_event(std::string_view bytes, std::size_t at) {
  const char* const brace = bytes.data() + at;
  if (*brace == '{') {
    // After a colon, or a blank and a colon, as most are.
    const bool is_value = brace[-1] == ':' || (brace[-1] == ' ' && brace[-2] == ':');
    if (!is_value && last_before(bytes, at) != ':') suspect_ = true;
    if (++depth_ == 2 && nested_count_ < 4) nested_[nested_count_++] = {static_cast<std::uint32_t>(at - begin_), 0};
    if (depth_ > kDeepest) {
      give_up(begin_);
      return false;
    }
    return true;
  }
  if (--depth_ > 0) {
    if (depth_ == 1 && nested_[nested_count_ - 1].end == 0)
      nested_[nested_count_ - 1].end = static_cast<std::uint32_t>(at + 1 - begin_);
    return true;
  }
  const std::string_view text(bytes.data() + begin_, at + 1 - begin_);
  if ((suspect_ || text.size() > kFirstCheck) && check_object(text) != Check::whole) {
    give_up(begin_);
    return false;
  }
  ++events_;
  sink_.event({text, nested_, nested_count_});
  where_ = Where::between;
  gap_ = at + 1;
  return true;
}

/// Whether nothing stands between two events that counts. Most gaps are like the one before.
[[gnu::always_inline]] inline bool Splitter::is_blank_gap(const char* from, const char* to) {
  const auto size = static_cast<std::size_t>(to - from);
  if (size <= 8 && short_word({from, size}) == blank_gap_) return true;
  if (!std::all_of(from, to, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == ','; })) return false;
  if (size <= 8) blank_gap_ = short_word({from, size});
  return true;
}

[[gnu::always_inline]] inline void Splitter::brace_between(std::string_view bytes, std::size_t at) {
  if (bytes.data()[at] == '{' && top_.expects_event() && is_blank_gap(bytes.data() + gap_, bytes.data() + at)) {
    open_event(at);
    return;
  }
  brace_between_others(bytes, at);
}

void Splitter::brace_between_others(std::string_view bytes, std::size_t at) {
  take_gap(bytes, at);
  gap_ = at + 1;
  if (bytes[at] == '}') {
    if (!top_.object_closed()) ++damage_.stray_bytes;
    return;
  }
  if (top_.complete()) ++damage_.after_end;
  const TopLevel::Role role = top_.object_opened();
  if (role != TopLevel::Role::event && !top_.saw_events() && surely_event(bytes, at)) {
    top_.assume_events();  // A fragment, or one event a line: no array was ever opened.
    open_event(at);
    return;
  }
  switch (role) {
    case TopLevel::Role::root:
      break;
    case TopLevel::Role::event:
      open_event(at);
      break;
    case TopLevel::Role::foreign:
      where_ = Where::foreign;
      begin_ = at;
      depth_ = 1;
      break;
  }
}

void Splitter::brace_in_foreign(std::string_view bytes, std::size_t at) {
  if (bytes[at] == '{') {
    ++depth_;
    return;
  }
  if (--depth_ == 0) {
    if (sink_.wants(top_.key())) sink_.foreign(top_.key(), bytes.substr(begin_, at + 1 - begin_));
    where_ = Where::between;
    gap_ = at + 1;
  }
}

/// A '{' that seems to stand inside a string, with a quote or a blank behind it.
bool Splitter::marked(std::string_view bytes, std::size_t at) {
  if (where_ == Where::event) {
    suspect_ = true;
    if (!looks_like_event(bytes, at)) return true;
    give_up(begin_);
    return false;
  }
  if (!surely_event(bytes, at)) return true;
  if (where_ == Where::between) take_gap(bytes, at);
  ++damage_.dropped;
  restart_at(at);
  return false;
}

void Splitter::open_event(std::size_t at) {
  where_ = Where::event;
  begin_ = at;
  next_check_ = at + kFirstCheck;
  depth_ = 1;
  suspect_ = false;
  nested_count_ = 0;
}

void Splitter::take_gap(std::string_view bytes, std::size_t to) {
  if (gap_ >= to) return;
  if (!top_.in_string())
    while (gap_ < to && (static_cast<unsigned char>(bytes[gap_]) <= ' ' || bytes[gap_] == ',')) ++gap_;
  if (gap_ < to) top_.feed(bytes.substr(gap_, to - gap_));
  gap_ = to;
}

/// The object at `from` cannot be trusted. The search begins with the byte after.
void Splitter::give_up(std::size_t from) {
  ++damage_.dropped;
  ++damage_.dropped_bytes;
  where_ = Where::lost;
  begin_ = from + 1;
}

/// Looks for the next beginning of an event in the raw bytes before `limit`; begin_ is where the search stands.
void Splitter::search(std::string_view bytes, std::size_t limit) {
  while (begin_ < limit) {
    const void* const found = std::memchr(bytes.data() + begin_, '{', limit - begin_);
    const std::size_t at =
        found == nullptr ? limit : static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
    damage_.dropped_bytes += at - begin_;
    begin_ = at;
    if (at == limit) return;
    // A value of some key ("args": {"name": …) is not an event, unless it can be nothing else.
    if (looks_like_event(bytes, at) && (last_before(bytes, at) != ':' || surely_event(bytes, at))) {
      restart_at(at);
      return;
    }
    ++begin_;
    ++damage_.dropped_bytes;
  }
}

void Splitter::restart_at(std::size_t at) {
  top_.assume_events();
  where_ = Where::between;
  gap_ = indexed_ = at;
  state_ = {};
}

/// Nothing follows. True when all is settled, false when the search must continue in what is left.
bool Splitter::finish(std::string_view bytes) {
  switch (where_) {
    case Where::between:
      take_gap(bytes, bytes.size());
      damage_.truncated = damage_.truncated || !top_.complete();
      return true;
    case Where::foreign:
      damage_.truncated = true;
      return true;
    case Where::event:
      if (check_object(bytes.substr(begin_)) == Check::prefix) {
        damage_.truncated = true;
        ++damage_.dropped;
        damage_.dropped_bytes += bytes.size() - begin_;
        where_ = Where::between;
        gap_ = bytes.size();
        return true;
      }
      give_up(begin_);
      return false;
    case Where::lost:
      damage_.truncated = damage_.truncated || !top_.complete();
      return true;
  }
  return true;
}

Damage Splitter::damage() const {
  Damage result = damage_;
  result.stray_bytes += top_.stray_bytes();
  return result;
}

}  // namespace tally::trace
