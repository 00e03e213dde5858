#include "trace/fields.h"

#include <array>
#include <cstring>
#include <utility>

#include "trace/cursor.h"

namespace tally::trace {
namespace {

/// "cat" values as Kineto writes them, and as its 2021 versions did. XPU, HIP and MTIA differ in the runtime's name
/// only.
constexpr std::array<std::pair<std::string_view, Category>, 25> categories = {{
    {"kernel", Category::kernel},
    {"Kernel", Category::kernel},
    {"gpu_memcpy", Category::memcpy},
    {"Memcpy", Category::memcpy},
    {"gpu_memset", Category::memset},
    {"Memset", Category::memset},
    {"cuda_runtime", Category::runtime},
    {"cuda_driver", Category::runtime},
    {"Runtime", Category::runtime},
    {"hip_runtime", Category::runtime},
    {"hip_driver", Category::runtime},
    {"xpu_runtime", Category::runtime},
    {"xpu_driver", Category::runtime},
    {"mtia_runtime", Category::runtime},
    {"privateuse1_runtime", Category::runtime},
    {"privateuse1_driver", Category::runtime},
    {"cuda_sync", Category::sync},
    {"user_annotation", Category::annotation},
    {"UserAnnotation", Category::annotation},
    {"gpu_user_annotation", Category::gpu_annotation},
    {"cpu_op", Category::operation},
    {"Operator", Category::operation},
    {"mtia_ccp_events", Category::other_device},
    {"mtia_workloadd", Category::other_device},
    {"hpu_op", Category::other_device},
}};

bool is(std::string_view text, std::string_view other) { return text == other; }

void take_hex(std::string_view text, std::size_t at, std::uint32_t& code, bool& ok) {
  code = 0;
  ok = at + 4 <= text.size();
  for (std::size_t i = at; ok && i < at + 4; ++i) {
    const char c = text[i];
    const char low = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9') {
      code = code * 16 + static_cast<std::uint32_t>(c - '0');
    } else if (low >= 'a' && low <= 'f') {
      code = code * 16 + static_cast<std::uint32_t>(low - 'a' + 10);
    } else {
      ok = false;
    }
  }
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

Raw* field_of_args(std::string_view key, Fields& f) {
  switch (key.size()) {
    case 4:
      return is(key, "kind") ? &f.kind : nullptr;
    case 5:
      return is(key, "bytes") ? &f.bytes : nullptr;
    case 6:
      return is(key, "device") ? &f.device : is(key, "stream") ? &f.stream : is(key, "labels") ? &f.labels : nullptr;
    case 11:
      return is(key, "correlation")                             ? &f.correlation
             : is(key, "External id") || is(key, "external id") ? &f.external_id
                                                                : nullptr;
    case 12:
      return is(key, "warps per SM") ? &f.warps_per_sm : nullptr;
    case 13:
      return is(key, "blocks per SM") ? &f.blocks_per_sm : is(key, "graph node id") ? &f.node : nullptr;
    case 25:
      return is(key, "est. achieved occupancy %") ? &f.occupancy : nullptr;
    default:
      return nullptr;
  }
}

bool read_args(Cursor in, Fields& f) {
  if (in.peek() != '{') return true;  // null, or something that holds nothing for us
  in.step();
  for (;;) {
    std::string_view key;
    bool done = false;
    if (!in.key(key, done)) return false;
    if (done) return true;
    Raw* const field = field_of_args(key, f);
    const char c = in.peek();
    if (field != nullptr && c != '{' && c != '[') {
      *field = {};
      if (!in.scalar(*field)) return false;
    } else if (!in.skip_value()) {
      return false;
    }
    if (!in.separated()) return false;
  }
}

bool is_step(const Raw& name) { return name.text.starts_with("ProfilerStep"); }

/// What an event's category, name and phase say about whether it is worth reading on. Asked after each of them.
bool leave(const Fields& f, bool has_category, const Wanted& wanted) {
  if (f.phase != '\0' && f.phase != 'X' && f.phase != 'M') return true;
  if (wanted.every_phase_x || !has_category) return false;
  switch (f.category) {
    case Category::irrelevant:
      return f.phase != 'M';
    case Category::operation:
      return !wanted.operations && f.name.present() && !is_step(f.name);
    case Category::annotation:
    case Category::gpu_annotation:
      return f.name.present() && !is_step(f.name);
    default:
      return false;
  }
}

}  // namespace

Category category_of(std::string_view cat) {
  for (const auto& [name, category] : categories)
    if (name == cat) return category;
  return Category::irrelevant;
}

std::string plain_text(const Raw& value) {
  if (!value.escaped) return std::string(value.text);
  std::string out;
  const std::string_view text = value.text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    if (c != 'u') {
      constexpr std::string_view from = "bfnrt", to = "\b\f\n\r\t";
      const std::size_t which = from.find(c);
      out += which == std::string_view::npos ? c : to[which];
      continue;
    }
    std::uint32_t code = 0, low = 0;
    bool ok = false;
    take_hex(text, i + 1, code, ok);
    if (!ok) {
      out += "\\u";
      continue;
    }
    i += 4;
    if (code >= 0xD800 && code < 0xE000) {
      bool pair = false;
      if (code < 0xDC00 && text.substr(i + 1).starts_with("\\u")) take_hex(text, i + 3, low, pair);
      if (pair && low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        i += 6;
      } else {
        code = 0xFFFD;
      }
    }
    append_utf8(out, code);
  }
  return out;
}

Reading read_fields(const Slice& slice, const Wanted& wanted, Fields& f) {
  const char* const begin = slice.text.data();
  const char* const end = begin + slice.text.size();
  Cursor in(begin + 1, end);
  const char* args = nullptr;
  bool has_category = false;
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
    std::string_view key;
    bool done = false;
    if (!in.key(key, done)) return Reading::damaged;
    if (done) break;
    Raw* field = nullptr;
    Raw value;
    bool deciding = false;
    switch (key.size()) {
      case 2:
        deciding = is(key, "ph");
        field = deciding ? &value : is(key, "ts") ? &f.ts : nullptr;
        break;
      case 3:
        field = is(key, "cat")   ? &value
                : is(key, "dur") ? &f.dur
                : is(key, "pid") ? &f.pid
                : is(key, "tid") ? &f.tid
                                 : nullptr;
        deciding = field == &value;
        break;
      case 4:
        if (is(key, "name")) {
          field = &f.name;
          deciding = true;
        } else if (is(key, "args")) {
          in.peek();
          args = in.at();
        }
        break;
      default:
        break;
    }
    const char c = in.peek();
    if (field != nullptr && c != '{' && c != '[') {
      *field = {};
      if (!in.scalar(*field)) return Reading::damaged;
    } else if (!step_over()) {
      return Reading::damaged;
    }
    if (deciding) {
      if (key[0] == 'p') {
        f.phase = value.string && value.text.size() == 1 ? value.text[0] : '?';
      } else if (key[0] == 'c') {
        f.category = value.string ? category_of(value.text) : Category::irrelevant;
        has_category = true;
      }
      if (leave(f, has_category, wanted)) return Reading::irrelevant;
    }
    if (!in.separated()) return Reading::damaged;
  }
  if (f.phase != 'X' && f.phase != 'M') return Reading::irrelevant;
  const bool metadata = f.phase == 'M';
  if (metadata ? f.name.text != "process_labels" : f.category == Category::irrelevant && !wanted.every_phase_x)
    return Reading::irrelevant;
  const bool with_args = metadata || f.category <= Category::sync || f.category == Category::gpu_annotation;
  if (args != nullptr && with_args && !read_args(Cursor(args, end), f)) return Reading::damaged;
  return Reading::relevant;
}

}  // namespace tally::trace
