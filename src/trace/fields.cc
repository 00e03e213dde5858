#include "trace/fields.h"

#include <cstring>

#include "trace/cursor.h"
#include "trace/name_rules.h"

namespace tally::trace {
namespace {

/// Comparing with a literal of known length costs one or two instructions; string_view's own == calls memcmp.
template <std::size_t Size>
[[gnu::always_inline]] inline bool is(std::string_view text, const char (&literal)[Size]) {
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): memcmp is given the length
  return text.size() == Size - 1 && std::memcmp(text.data(), literal, Size - 1) == 0;
}

/// A key in which an exporter escaped what needs no escape.
[[gnu::always_inline]] inline void resolve(std::string_view& key, std::string& room) {
  if (key.find('\\') == std::string_view::npos) [[likely]]
    return;
  room = plain_text({.text = key, .string = true, .escaped = true});
  key = room;
}

struct Field {
  Raw* raw;   ///< Null for a key that is of no concern.
  bool done;  ///< The object ended instead.
};

/// The keys of args that Kineto writes are recognised without searching for their end.
[[gnu::always_inline]] inline bool next_of_args(Cursor& in, Fields& f, Field& field) {
  field = {nullptr, false};
  char c = in.peek();
  while (c == ',') {
    in.step();
    c = in.peek();
  }
  if (c == '}') {
    field.done = true;
    return true;
  }
  if (c != '"') return false;
  switch (in.at()[1]) {
    case 'E':
      if (in.take("External id")) return field.raw = &f.external_id, true;
      if (in.take("Ev Idx")) return true;
      break;
    case 'c':
      if (in.take("correlation")) return field.raw = &f.correlation, true;
      if (in.take("context") || in.take("cbid")) return true;
      break;
    case 'd':
      if (in.take("device")) return field.raw = &f.device, true;
      break;
    case 's':
      if (in.take("stream")) return field.raw = &f.stream, true;
      if (in.take("shared memory")) return true;
      break;
    case 'b':
      if (in.take("blocks per SM")) return field.raw = &f.blocks_per_sm, true;
      if (in.take("bytes")) return field.raw = &f.bytes, true;
      if (in.take("block")) return true;
      break;
    case 'e':
      if (in.take("est. achieved occupancy %")) return field.raw = &f.occupancy, true;
      break;
    case 'r':
      if (in.take("registers per thread")) return true;
      break;
    case 'q':
      if (in.take("queued")) return true;
      break;
    case 'w':
      if (in.take("warps per SM")) return true;
      break;
    case 'g':
      if (in.take("grid")) return true;
      break;
    default:
      break;
  }
  std::string_view key;
  std::string resolved;
  if (!in.key(key, field.done)) return false;
  resolve(key, resolved);
  if (is(key, "external id")) field.raw = &f.external_id;
  if (is(key, "correlation")) field.raw = &f.correlation;
  if (is(key, "device")) field.raw = &f.device;
  if (is(key, "stream")) field.raw = &f.stream;
  if (is(key, "blocks per SM")) field.raw = &f.blocks_per_sm;
  if (is(key, "bytes")) field.raw = &f.bytes;
  if (is(key, "est. achieved occupancy %")) field.raw = &f.occupancy;
  if (is(key, "labels")) field.raw = &f.labels;
  if (is(key, "kind")) field.raw = &f.kind;
  return true;
}

bool is_of_device(Category category) {
  return category == Category::kernel || category == Category::memcpy || category == Category::memset ||
         category == Category::runtime;
}

bool read_args(Cursor in, Fields& f) {
  if (in.peek() != '{') return true;  // null, or something that holds nothing for us
  in.step();
  for (;;) {
    Field field{};
    if (!next_of_args(in, f, field)) return false;
    if (field.done) return true;
    const char c = in.peek();
    if (field.raw != nullptr && c != '{' && c != '[') {
      field.raw->string = field.raw->escaped = false;
      if (!in.scalar(*field.raw)) return false;
    } else if (!in.skip_value()) {
      return false;
    }
    if (!in.separated()) return false;
  }
}

constexpr char kNoPhase = '?';  ///< A phase of another length than one character.

/// What an event's category, name and phase say about whether it is worth reading on. Asked after each of them.
bool leave(const Fields& f, bool has_category, const Wanted& wanted) {
  if (f.phase != '\0' && f.phase != kNoPhase && f.phase != 'X' && f.phase != 'M') return true;
  if (wanted.every_phase_x || !has_category) return false;
  switch (f.category) {
    case Category::irrelevant:
      return f.phase != 'M';
    case Category::operation:
      return !wanted.operations && f.name.present() && !is_step(f.name);
    case Category::runtime:
      return f.name.present() && never_launches(f.name.text);
    case Category::annotation:
    case Category::gpu_annotation:
      return f.name.present() && !is_step(f.name);
    default:
      return false;
  }
}

}  // namespace

/// As Kineto writes them, and as its 2021 versions did. XPU, HIP and MTIA differ in the runtime's name only.
Category category_of(std::string_view cat) {
  switch (cat.size()) {
    case 6:
      return is(cat, "cpu_op")                        ? Category::operation
             : is(cat, "kernel") || is(cat, "Kernel") ? Category::kernel
             : is(cat, "Memcpy")                      ? Category::memcpy
             : is(cat, "Memset")                      ? Category::memset
             : is(cat, "hpu_op")                      ? Category::other_device
                                                      : Category::irrelevant;
    case 7:
      return is(cat, "Runtime") ? Category::runtime : Category::irrelevant;
    case 8:
      return is(cat, "Operator") ? Category::operation : Category::irrelevant;
    case 9:
      return is(cat, "cuda_sync") ? Category::sync : Category::irrelevant;
    case 10:
      return is(cat, "gpu_memcpy")                            ? Category::memcpy
             : is(cat, "gpu_memset")                          ? Category::memset
             : is(cat, "hip_driver") || is(cat, "xpu_driver") ? Category::runtime
                                                              : Category::irrelevant;
    case 11:
      return is(cat, "cuda_driver") || is(cat, "hip_runtime") || is(cat, "xpu_runtime") ? Category::runtime
                                                                                        : Category::irrelevant;
    case 12:
      return is(cat, "cuda_runtime") || is(cat, "mtia_runtime") ? Category::runtime : Category::irrelevant;
    case 14:
      return is(cat, "UserAnnotation")   ? Category::annotation
             : is(cat, "mtia_workloadd") ? Category::other_device
                                         : Category::irrelevant;
    case 15:
      return is(cat, "user_annotation")   ? Category::annotation
             : is(cat, "mtia_ccp_events") ? Category::other_device
                                          : Category::irrelevant;
    case 18:
      return is(cat, "privateuse1_driver") ? Category::runtime : Category::irrelevant;
    case 19:
      return is(cat, "gpu_user_annotation")   ? Category::gpu_annotation
             : is(cat, "privateuse1_runtime") ? Category::runtime
                                              : Category::irrelevant;
    default:
      return Category::irrelevant;
  }
}

enum class Key : unsigned char { none, end, phase, category, name, ts, dur, pid, tid, args };

[[gnu::always_inline]] inline bool next_key(Cursor& in, Key& key) {
  char c = in.peek();
  while (c == ',') {
    in.step();
    c = in.peek();
  }
  if (c == '}') return key = Key::end, true;
  if (c != '"') return false;
  switch (in.at()[1]) {
    case 'p':
      if (in.take("ph")) return key = Key::phase, true;
      if (in.take("pid")) return key = Key::pid, true;
      break;
    case 't':
      if (in.take("ts")) return key = Key::ts, true;
      if (in.take("tid")) return key = Key::tid, true;
      break;
    case 'c':
      if (in.take("cat")) return key = Key::category, true;
      break;
    case 'n':
      if (in.take("name")) return key = Key::name, true;
      break;
    case 'd':
      if (in.take("dur")) return key = Key::dur, true;
      break;
    case 'a':
      if (in.take("args")) return key = Key::args, true;
      break;
    default:
      break;
  }
  std::string_view text;
  std::string resolved;
  bool done = false;
  if (!in.key(text, done)) return false;
  resolve(text, resolved);
  key = is(text, "ph")     ? Key::phase
        : is(text, "cat")  ? Key::category
        : is(text, "name") ? Key::name
        : is(text, "ts")   ? Key::ts
        : is(text, "dur")  ? Key::dur
        : is(text, "pid")  ? Key::pid
        : is(text, "tid")  ? Key::tid
        : is(text, "args") ? Key::args
                           : Key::none;
  return true;
}

/// Steps over blanks and `text`, if that is what comes.
template <std::size_t Size>
[[gnu::always_inline]] inline bool take_literal(const char*& at, const char* end, const char (&text)[Size]) {
  while (at < end && (*at == ' ' || *at == '\n')) ++at;
  if (static_cast<std::size_t>(end - at) < Size - 1 || std::memcmp(at, text, Size - 1) != 0) return false;
  at += Size - 1;
  return true;
}

Head head_from_category(const char* at, const char* end, const Wanted& wanted) {
  const auto literal = [&]<std::size_t Size>(const char(&text)[Size])
                           __attribute__((always_inline)) { return take_literal(at, end, text); };
  const char* const category_begin = at;
  at = Cursor::quote_or_backslash(at, end);
  if (at < end && *at == '\\') return {};
  const Category category = category_of({category_begin, static_cast<std::size_t>(at - category_begin)});
  if (at == end) return {};
  if (category == Category::irrelevant) return {.irrelevant = true};
  const Head known{.irrelevant = false, .after_category = ++at, .category = category};
  if (category == Category::operation ? wanted.operations
                                      : category != Category::annotation && category != Category::gpu_annotation)
    return known;
  return literal(",") && literal("\"name\":") && literal("\"") && !literal("ProfilerStep") ? Head{.irrelevant = true}
                                                                                           : known;
}

/// Kineto writes the phase first and the category second: most events can be left after their first thirty bytes.
Head read_head(std::string_view event, const Wanted& wanted) {
  constexpr Head unknown;
  constexpr Head irrelevant{.irrelevant = true};
  if (wanted.every_phase_x) return unknown;
  const char* at = event.data() + 1;
  const char* const end = event.data() + event.size();
  const auto literal = [&]<std::size_t Size>(const char(&text)[Size])
                           __attribute__((always_inline)) { return take_literal(at, end, text); };
  if (!literal("\"ph\":") || !literal("\"") || end - at < 2 || at[1] != '"') return unknown;
  const char phase = *at;
  if (phase != 'X') return phase != 'M' ? irrelevant : unknown;
  at += 2;
  if (!literal(",") || !literal("\"cat\":") || !literal("\"")) return unknown;
  return head_from_category(at, end, wanted);
}

Reading read_fields(const Slice& slice, const Head& head, const Wanted& wanted, Fields& f) {
  const char* const begin = slice.text.data();
  const char* const end = begin + slice.text.size();
  Cursor in(begin + 1, end);
  const char* args = nullptr;
  bool has_category = false;
  if (head.after_category != nullptr) {
    f.phase = 'X';
    f.category = head.category;
    has_category = true;
    in.jump(head.after_category);
    if (!in.separated()) return Reading::damaged;
  }
  const auto step_over = [&] {
    const auto offset = static_cast<std::uint32_t>(in.at() - begin);
    for (int i = 0; i < slice.nested_count; ++i) {
      if (slice.nested[i].begin == offset && slice.nested[i].end != 0) {
        in.jump(begin + slice.nested[i].end);
        return true;
      }
    }
    return in.skip_value();
  };
  for (;;) {
    Key key = Key::none;
    if (!next_key(in, key)) return Reading::damaged;
    if (key == Key::end) break;
    Raw value;
    Raw* field = nullptr;
    switch (key) {
      case Key::phase:
      case Key::category:
        field = &value;
        break;
      case Key::name:
        field = f.name.present() ? &value : &f.name;
        break;
      case Key::ts:
        field = &f.ts;
        break;
      case Key::dur:
        field = &f.dur;
        break;
      case Key::pid:
        field = &f.pid;
        break;
      case Key::tid:
        field = &f.tid;
        break;
      case Key::args:
        in.peek();
        args = in.at();
        break;
      case Key::none:
      case Key::end:
        break;
    }
    const char c = in.peek();
    if (field != nullptr && c != '{' && c != '[') {
      field->string = field->escaped = false;
      if (!in.scalar(*field)) return Reading::damaged;
    } else if (!step_over()) {
      return Reading::damaged;
    }
    // Of these three the first counts: whether an event is left early must not change what it is.
    if (key == Key::phase && f.phase == '\0')
      f.phase = value.string && value.text.size() == 1 ? value.text[0] : kNoPhase;
    if (key == Key::category && !has_category) {
      f.category = !value.string   ? Category::irrelevant
                   : value.escaped ? category_of(plain_text(value))
                                   : category_of(value.text);
      has_category = true;
    }
    if ((key == Key::phase || key == Key::category || key == Key::name) && leave(f, has_category, wanted))
      return Reading::irrelevant;
    if (!in.separated()) return Reading::damaged;
    // Of an operator that is all we want, and its arguments may be long.
    if (f.category == Category::operation && f.phase == 'X' && f.dur.present() && f.ts.present() && f.tid.present() &&
        f.pid.present() && f.name.present())
      return Reading::relevant;
  }
  if (f.phase == '\0' || f.phase == kNoPhase)
    return has_category && is_of_device(f.category) ? Reading::damaged : Reading::irrelevant;
  if (f.phase != 'X' && f.phase != 'M') return Reading::irrelevant;
  if (f.phase == 'X' && !has_category && args != nullptr) {
    Fields other;
    if (read_args(Cursor(args, end), other) && other.stream.present()) return Reading::damaged;
  }
  const bool metadata = f.phase == 'M';
  if (metadata ? f.name.text != "process_labels" : f.category == Category::irrelevant && !wanted.every_phase_x)
    return Reading::irrelevant;
  const bool with_args = metadata || f.category <= Category::sync || f.category == Category::gpu_annotation;
  if (args != nullptr && with_args && !read_args(Cursor(args, end), f)) return Reading::damaged;
  return Reading::relevant;
}

}  // namespace tally::trace
