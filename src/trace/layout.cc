#include "trace/layout.h"

#include "trace/cursor.h"
#include "trace/name_rules.h"

namespace tally::trace {
namespace {

constexpr std::size_t kMostLayouts = 6;
constexpr std::size_t kMostLearnt = 64;
constexpr int kMostCredit = 64;
constexpr std::size_t kLongestBefore =
    kSlack - 32;  // What is compared and what is read of a value end within the slack.

constexpr std::array kAllFields = {&Fields::name,        &Fields::ts,     &Fields::dur,       &Fields::pid,
                                   &Fields::tid,         &Fields::device, &Fields::stream,    &Fields::correlation,
                                   &Fields::external_id, &Fields::bytes,  &Fields::occupancy, &Fields::blocks_per_sm,
                                   &Fields::labels,      &Fields::kind};

bool is_nested(char c) { return c == '{' || c == '['; }

/// Which field has this value; null: none.
Raw Fields::* field_at(const char* value, const Fields& fields) {
  for (Raw Fields::* const field : kAllFields) {
    const Raw& raw = fields.*field;
    if (raw.present() && raw.text.data() == value + (raw.string ? 1 : 0)) return field;
  }
  return nullptr;
}

bool is_read_to_its_end(Category category) { return category != Category::operation; }

bool can_be_learnt(Category category) {
  return category == Category::kernel || category == Category::memcpy || category == Category::memset ||
         category == Category::runtime || category == Category::operation;
}

bool has_all_of_an_operator(unsigned seen) { return seen == 0b11111; }

unsigned bit_of(Raw Fields::* field) {
  for (unsigned i = 0; i < 5; ++i) {
    if (kAllFields.at(i) == field) return 1U << i;
  }
  return 0;
}

}  // namespace

void Layouts::Step::remember(std::string_view value, const Literal& behind) {
  if (--credit == 0) {
    again = {};
    return;
  }
  again = Literal(std::string(value).append(behind.text()));
  value_size = value.size();
}

Layouts::Answer Layouts::read(Layout& layout, const Slice& slice, const Head& head, Fields& f) {
  const char* const end = slice.text.data() + slice.text.size();
  const char* at = head.after_category;
  Raw ignored;
  bool is_before_known = false;
  for (std::size_t i = 0; i < layout.steps.size(); ++i) {
    Step& step = layout.steps.data()[i];
    if (!is_before_known) {
      if (!step.before.is_at(at)) return Answer::unknown;
      at += step.before.size();
    }
    if (at >= end) return Answer::unknown;
    Raw& raw = step.field == nullptr ? ignored : f.*step.field;
    is_before_known = !step.again.empty() && step.again.is_at(at);
    if (is_before_known) {
      raw = {{at, step.value_size}, false, false};
      at += step.again.size();
      step.credit = std::min(step.credit + 1, kMostCredit);
      continue;
    }
    const char first = *at;
    if (is_nested(first) != step.nested) return Answer::unknown;
    Cursor in(at, end);
    if (step.nested) {
      if (!in.skip_value()) return Answer::unknown;
      at = in.at();
      continue;
    }
    if (first == '"') {
      raw.string = true;
      if (!in.string(raw.text, raw.escaped)) return Answer::unknown;
    } else {
      if (!in.word(raw)) return Answer::unknown;
      if (step.credit > 0 && i + 1 < layout.steps.size() && raw.text.size() <= 16)
        step.remember(raw.text, layout.steps[i + 1].before);
    }
    at = in.at();
    // As read_fields() leaves it, which asks as soon as it has a name.
    if (step.may_leave && never_launches(raw.text)) return Answer::irrelevant;
  }
  const bool fits = layout.tail.empty()
                        ? Cursor(at, end).separated()
                        : static_cast<std::size_t>(end - at) == layout.tail.size() && layout.tail.is_at(at);
  if (!fits) return Answer::unknown;
  f.phase = 'X';
  f.category = head.category;
  return Answer::relevant;
}

/// After the start that most events have, or after as much of it as events have whose phase is another.
Head Heads::head(std::string_view event, const Wanted& wanted) {
  const char* const begin = event.data();
  const char* const end = begin + event.size();
  if (!start_.empty()) {
    if (start_.is_at(begin)) return head_from_category(begin + start_.size(), end, wanted);
    const char* const phase = begin + before_phase_.size();
    if (before_phase_.is_at(begin) && end - phase >= 2 && phase[0] != 'X' && phase[0] != 'M' && phase[1] == '"')
      return {.irrelevant = true};
  }
  const Head found = read_head(event, wanted);
  if (found.after_category != nullptr) {
    const char* category = found.after_category - 1;  // Behind its closing quote; there is none in it.
    while (category[-1] != '"') --category;
    const std::string_view start(begin, category);
    start_ = Literal(start);
    before_phase_ = Literal(start.substr(0, start.find("\"X\"") + 1));
  }
  return found;
}

Layouts::Answer Layouts::read(const Slice& slice, const Head& head, Fields& fields) {
  if (head.after_category == nullptr) return Answer::unknown;
  Known& known = known_[static_cast<std::size_t>(head.category)];
  for (std::size_t i = 0; i < known.layouts.size(); ++i) {
    const std::size_t at =
        known.last + i < known.layouts.size() ? known.last + i : known.last + i - known.layouts.size();
    const Answer answer = read(known.layouts[at], slice, head, fields);
    if (answer != Answer::unknown) {
      known.last = at;
      return answer;
    }
    fields = {};
  }
  return Answer::unknown;
}

void Layouts::learn(const Slice& slice, const Head& head, const Fields& fields) {
  Known& known = known_[static_cast<std::size_t>(head.category)];
  if (head.after_category == nullptr || !can_be_learnt(head.category) || known.learnt == kMostLearnt) return;
  ++known.learnt;
  const char* const end = slice.text.data() + slice.text.size();
  Cursor in(head.after_category, end);
  Layout layout;
  unsigned seen = 0;
  bool in_args = false;
  const char* from = in.at();
  for (;;) {
    std::string_view key;
    bool done = false;
    if (!in.key(key, done)) return;
    if (done) {
      in.step();
      // The end of args must be followed by that of the event, and nothing else.
      if (in_args && (in.peek() != '}' || in.at() + 1 != end)) return;
      if (!in_args && in.at() != end) return;
      layout.tail = Literal({from, end});
      break;
    }
    in.peek();
    if (in.at() == end) return;
    const char* value = in.at();
    if (*value == '{' && !in_args && key == "args" && is_read_to_its_end(head.category)) {
      in_args = true;
      in.step();
      in.peek();
      if (in.at() == end || *in.at() == '}') return;
      // The brace is part of what stands before the first value.
      continue;
    }
    // Outside of args, read_fields() steps over what is nested in another way.
    if (!in_args && is_nested(*value)) return;
    if (static_cast<std::size_t>(value - from) > kLongestBefore) return;
    Raw Fields::* const field = field_at(value, fields);
    layout.steps.push_back({.before = Literal({from, value}),
                            .field = field,
                            .nested = is_nested(*value),
                            .may_leave = field == &Fields::name && head.category == Category::runtime});
    seen |= bit_of(layout.steps.back().field);
    if (!in.skip_value()) return;
    from = in.at();
    if (!is_read_to_its_end(head.category) && has_all_of_an_operator(seen)) break;
  }
  if (known.layouts.size() < kMostLayouts) {
    known.layouts.push_back(std::move(layout));
  } else {
    known.layouts[known.learnt % kMostLayouts] = std::move(layout);
  }
}

}  // namespace tally::trace
