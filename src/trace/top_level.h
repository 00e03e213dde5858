/// Reads the text between a trace's events, and says what the next object is.
///
/// Owns: the root's kind (object or bare array), the current top-level key, how many arrays are open, and strings that
/// stand there. It is fed only bytes outside of events, so it may go byte by byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tally::trace {

class TopLevel {
 public:
  enum class Role {
    root,    ///< The document's own brace.
    event,   ///< An element of the events array.
    foreign  ///< Any other object: device properties, metadata.
  };

  void feed(std::string_view gap);
  /// A '{' outside strings comes next.
  Role object_opened();
  /// A '}' outside strings and outside any object but the root. False when nothing was open: damage.
  bool object_closed();
  /// An event was found by its looks where none was expected: from here on we are in the events array.
  void assume_events();

  [[nodiscard]] bool in_events() const { return array_depth_ == 1 && (root_ == Root::array || events_key_); }
  /// Whether an object that opens now is an event.
  [[nodiscard]] bool expects_event() const { return in_events() && !in_string_; }
  /// Whether a string of the top level is open: then blanks and commas mean nothing.
  [[nodiscard]] bool in_string() const { return in_string_; }
  /// The top-level key whose value we are in.
  [[nodiscard]] const std::string& key() const { return key_; }
  /// Whether an event array was ever entered, and whether the document was complete.
  [[nodiscard]] bool saw_events() const { return saw_events_; }
  [[nodiscard]] bool complete() const { return root_ == Root::done; }
  /// Bytes between events that are neither blanks nor commas.
  [[nodiscard]] std::uint64_t stray_bytes() const { return stray_bytes_; }

 private:
  enum class Root { none, object, array, done };

  void take(char c);

  Root root_ = Root::none;
  int array_depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool saw_events_ = false;
  bool events_key_ = false;  ///< key_ is "traceEvents".
  std::uint64_t stray_bytes_ = 0;
  std::string text_;  ///< The last string, at most 64 bytes of it.
  std::string key_;
};

}  // namespace tally::trace
