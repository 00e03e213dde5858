#include "trace/top_level.h"

namespace tally::trace {

void TopLevel::feed(std::string_view gap) {
  for (const char c : gap) take(c);
}

void TopLevel::take(char c) {
  if (in_string_) {
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
      return;
    }
    if (text_.size() < 64) text_ += c;
    return;
  }
  if (static_cast<unsigned char>(c) <= ' ' || c == ',') return;
  switch (c) {
    case '"':
      in_string_ = true;
      text_.clear();
      break;
    case ':':
      if (root_ == Root::object && array_depth_ == 0) {
        key_ = text_;
        events_key_ = key_ == "traceEvents";
      }
      break;
    case '[':
      if (root_ == Root::none) root_ = Root::array;
      ++array_depth_;
      if (in_events()) saw_events_ = true;
      return;
    case ']':
      if (array_depth_ > 0) --array_depth_;
      if (root_ == Root::array && array_depth_ == 0) root_ = Root::done;
      return;
    default:
      break;
  }
  if (in_events() || root_ == Root::none || root_ == Root::done) {
    const auto byte = static_cast<unsigned char>(c);
    const bool mark = byte == 0xEF || byte == 0xBB || byte == 0xBF;  // UTF-8 byte order mark
    if (!(root_ == Root::none && mark)) ++stray_bytes_;
  }
}

TopLevel::Role TopLevel::object_opened() {
  in_string_ = escaped_ = false;
  if (root_ == Root::none) {
    root_ = Root::object;
    return Role::root;
  }
  return in_events() ? Role::event : Role::foreign;
}

bool TopLevel::object_closed() {
  if (root_ == Root::object && array_depth_ == 0) {
    root_ = Root::done;
    return true;
  }
  return false;
}

void TopLevel::assume_events() {
  in_string_ = escaped_ = false;
  if (in_events()) return;
  root_ = root_ == Root::array || root_ == Root::none ? Root::array : Root::object;
  if (root_ == Root::object) {
    key_ = "traceEvents";
    events_key_ = true;
  }
  array_depth_ = 1;
  saw_events_ = true;
}

}  // namespace tally::trace
