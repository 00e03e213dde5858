#include "trace/layout.h"

#include <cstring>
#include <optional>

#include "trace/cursor.h"
#include "trace/name_rules.h"

namespace tally::trace {
namespace {

constexpr std::size_t most_layouts = 6;
constexpr std::size_t most_learnt = 64;

constexpr std::array all_fields = {&Fields::name,        &Fields::ts,     &Fields::dur,       &Fields::pid,
                                   &Fields::tid,         &Fields::device, &Fields::stream,    &Fields::correlation,
                                   &Fields::external_id, &Fields::bytes,  &Fields::occupancy, &Fields::blocks_per_sm,
                                   &Fields::labels,      &Fields::kind};

/// Eight bytes at a time, the last ones once more where they are fewer: calling memcmp costs more than comparing.
[[gnu::always_inline]] inline bool begins_with(const char* at, const char* end, const std::string& text) {
  const std::size_t size = text.size();
  const char* const wanted = text.data();
  if (static_cast<std::size_t>(end - at) < size) return false;
  if (size < 8) {
    if (size < 4) return std::memcmp(at, wanted, size) == 0;
    return std::memcmp(at, wanted, 4) == 0 && std::memcmp(at + size - 4, wanted + size - 4, 4) == 0;
  }
  for (std::size_t i = 0; i + 8 <= size; i += 8) {
    if (std::memcmp(at + i, wanted + i, 8) != 0) return false;
  }
  return std::memcmp(at + size - 8, wanted + size - 8, 8) == 0;
}

bool is_nested(char c) { return c == '{' || c == '['; }

/// Which field has this value; null: none.
Raw Fields::* field_at(const char* value, const Fields& fields) {
  for (Raw Fields::* const field : all_fields) {
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
    if (all_fields.at(i) == field) return 1U << i;
  }
  return 0;
}

}  // namespace

Layouts::Answer Layouts::read(const Layout& layout, const Slice& slice, const Head& head, Fields& f) {
  const char* const end = slice.text.data() + slice.text.size();
  Cursor in(head.after_category, end);
  for (const Step& step : layout.steps) {
    if (!begins_with(in.at(), end, step.before)) return Answer::unknown;
    in.jump(in.at() + step.before.size());
    if (in.at() == end || is_nested(*in.at()) != step.nested) return Answer::unknown;
    if (step.field == nullptr) {
      if (!in.skip_value()) return Answer::unknown;
      continue;
    }
    Raw& raw = f.*step.field;
    if (!in.scalar(raw)) return Answer::unknown;
    // As read_fields() leaves it, which asks as soon as it has a name.
    if (step.field == &Fields::name && head.category == Category::runtime && never_launches(raw.text))
      return Answer::irrelevant;
  }
  const bool fits = layout.tail.empty() ? in.separated()
                                        : static_cast<std::size_t>(end - in.at()) == layout.tail.size() &&
                                              begins_with(in.at(), end, layout.tail);
  if (!fits) return Answer::unknown;
  f.phase = 'X';
  f.category = head.category;
  return Answer::relevant;
}

Head Layouts::head(std::string_view event, const Wanted& wanted) {
  const char* const begin = event.data();
  const char* const end = begin + event.size();
  if (!start_.empty() && begins_with(begin, end, start_)) return head_from_category(begin + start_.size(), end, wanted);
  const Head found = read_head(event, wanted);
  if (found.after_category != nullptr) {
    const char* category = found.after_category - 1;  // Behind its closing quote; there is none in it.
    while (category[-1] != '"') --category;
    start_.assign(begin, category);
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
  if (head.after_category == nullptr || !can_be_learnt(head.category) || known.learnt == most_learnt) return;
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
      layout.tail.assign(from, end);
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
    layout.steps.push_back({std::string(from, value), field_at(value, fields), is_nested(*value)});
    seen |= bit_of(layout.steps.back().field);
    if (!in.skip_value()) return;
    from = in.at();
    if (!is_read_to_its_end(head.category) && has_all_of_an_operator(seen)) break;
  }
  if (known.layouts.size() < most_layouts) {
    known.layouts.push_back(std::move(layout));
  } else {
    known.layouts[known.learnt % most_layouts] = std::move(layout);
  }
}

}  // namespace tally::trace
