#include "trace/splitter.h"

#include <algorithm>
#include <cstring>

#include "trace/json_check.h"

namespace tally::trace {
namespace {

/// Small enough that stage one's work is not thrown away by the megabyte when every event is damaged.
constexpr std::size_t stride = 16384;
constexpr std::size_t first_check = 4096;
/// An event's beginning, with its blanks, fits in this; so much of the end is searched again when more bytes come.
constexpr std::size_t longest_start = 256;

char last_before(std::string_view bytes, std::size_t at, std::size_t lowest) {
  while (at > lowest) {
    const char c = bytes[--at];
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') return c;
  }
  return '\0';
}

bool opens_with_phase(std::string_view bytes, std::size_t at) {
  return looks_like_event(bytes, at) == Likeness::yes && bytes.substr(at, 64).find("\"ph\"") != std::string_view::npos;
}

}  // namespace

Splitter::Splitter(EventSink& sink, IndexBraces index) : sink_(sink), index_(index), braces_(stride + 8) {}

std::size_t Splitter::feed(std::string_view bytes, bool last) {
  for (;;) {
    if (where_ == Where::lost) search(bytes);
    while (where_ != Where::lost && indexed_ < bytes.size()) {
      const std::size_t to = std::min(bytes.size(), indexed_ + stride);
      const std::size_t count = index_(bytes.data(), indexed_, to, state_, braces_.data());
      indexed_ = to;
      walk(bytes, count);
      if (where_ == Where::event && indexed_ >= next_check_) {
        next_check_ = begin_ + 2 * (indexed_ - begin_);
        const std::string_view open = bytes.substr(begin_, indexed_ - begin_);
        if (open.size() > longest_event || check_object(open) == Check::fault) give_up(begin_);
      }
    }
    if (where_ == Where::lost && begin_ < bytes.size() && !last && bytes.size() - begin_ > longest_start) continue;
    if (!last) break;
    if (finish(bytes)) break;
  }
  if (last) return bytes.size();
  if (where_ == Where::between) take_gap(bytes, indexed_);
  std::size_t done = where_ == Where::between ? indexed_ : begin_;
  if (where_ == Where::foreign && !sink_.wants(top_.key())) done = begin_ = indexed_;
  // A marked brace may turn out to have been the last byte of what we discard.
  if (where_ == Where::between || where_ == Where::foreign) done -= std::min<std::size_t>(done, 1);
  if (where_ == Where::lost) done -= std::min(done, longest_start);  // What stands before a candidate counts.
  indexed_ -= std::min(indexed_, done);
  gap_ -= std::min(gap_, done);
  begin_ -= std::min(begin_, done);
  next_check_ -= std::min(next_check_, done);
  return done;
}

void Splitter::walk(std::string_view bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t at = braces_[i];
    const bool ok = (at & brace_in_string) == 0 ? brace(bytes, at) : marked(bytes, at & ~brace_in_string);
    if (!ok) return;  // Given up: what stage one said about the rest is void.
  }
}

bool Splitter::brace(std::string_view bytes, std::size_t at) {
  switch (where_) {
    case Where::event:
      return brace_in_event(bytes, at);
    case Where::between:
      return brace_between(bytes, at);
    case Where::foreign:
      return brace_in_foreign(bytes, at);
    case Where::lost:
      break;
  }
  return false;
}

bool Splitter::brace_in_event(std::string_view bytes, std::size_t at) {
  if (bytes[at] == '{') {
    if (bytes[at - 1] != ':' && last_before(bytes, at, begin_) != ':') suspect_ = true;
    if (++depth_ == 2 && nested_count_ < 4) nested_[nested_count_++] = {static_cast<std::uint32_t>(at - begin_), 0};
    if (depth_ > deepest) {
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
  const std::string_view text = bytes.substr(begin_, at + 1 - begin_);
  if (suspect_ && check_object(text) != Check::whole) {
    give_up(begin_);
    return false;
  }
  ++events_;
  sink_.event({text, nested_, nested_count_});
  where_ = Where::between;
  gap_ = at + 1;
  return true;
}

bool Splitter::brace_between(std::string_view bytes, std::size_t at) {
  take_gap(bytes, at);
  gap_ = at + 1;
  if (bytes[at] == '}') {
    if (!top_.object_closed()) ++damage_.stray_bytes;
    return true;
  }
  const TopLevel::Role role = top_.object_opened();
  if (role != TopLevel::Role::event && !top_.saw_events() && opens_with_phase(bytes, at)) {
    top_.assume_events();  // A fragment, or one event a line: no array was ever opened.
    open_event(at);
    return true;
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
  return true;
}

bool Splitter::brace_in_foreign(std::string_view bytes, std::size_t at) {
  if (bytes[at] == '{') {
    // Events below another key are no events; but one that opens with its phase in a document that never showed its
    // events means that an earlier brace was lost.
    if (!top_.saw_events() && opens_with_phase(bytes, at)) {
      ++damage_.dropped;
      damage_.dropped_bytes += at - begin_;
      top_.assume_events();
      open_event(at);
      return true;
    }
    ++depth_;
    return true;
  }
  if (--depth_ == 0) {
    if (sink_.wants(top_.key())) sink_.foreign(top_.key(), bytes.substr(begin_, at + 1 - begin_));
    where_ = Where::between;
    gap_ = at + 1;
  }
  return true;
}

/// A '{' that seems to stand inside a string, with a quote or a blank behind it.
bool Splitter::marked(std::string_view bytes, std::size_t at) {
  const Likeness likeness = looks_like_event(bytes, at);
  if (where_ == Where::event) {
    suspect_ = true;
    if (likeness != Likeness::yes) return true;
    give_up(begin_);
    return false;
  }
  if (likeness != Likeness::yes) return true;
  ++damage_.dropped;
  damage_.dropped_bytes += at - (where_ == Where::foreign ? begin_ : std::min(gap_, at));
  restart_at(at);
  return false;
}

void Splitter::open_event(std::size_t at) {
  where_ = Where::event;
  begin_ = at;
  next_check_ = at + first_check;
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

void Splitter::search(std::string_view bytes) {
  std::size_t at = begin_;
  while (at < bytes.size()) {
    const void* found = std::memchr(bytes.data() + at, '{', bytes.size() - at);
    const std::size_t next =
        found == nullptr ? bytes.size() : static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
    damage_.dropped_bytes += next - at;
    at = next;
    if (at == bytes.size()) break;
    const Likeness likeness = looks_like_event(bytes, at);
    if (likeness == Likeness::cut_off && bytes.size() - at < longest_start) break;
    // A value of some key ("args": {"name": …) is no event, unless it opens with a phase, which only events do.
    if (likeness == Likeness::yes && (last_before(bytes, at, 0) != ':' || opens_with_phase(bytes, at))) {
      restart_at(at);
      return;
    }
    ++at;
    ++damage_.dropped_bytes;
  }
  begin_ = at;
}

void Splitter::restart_at(std::size_t at) {
  top_.assume_events();
  where_ = Where::between;
  gap_ = indexed_ = at;
  state_ = {};
}

/// Nothing follows. True when all is settled, false when the search must go on in what is left.
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
      if (begin_ < bytes.size()) {
        const std::size_t before = begin_;
        search(bytes);
        if (where_ != Where::lost) return false;
        damage_.dropped_bytes += bytes.size() - begin_;
        if (before == begin_) begin_ = bytes.size();
      }
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
