/// Reads events that are laid out like an earlier one: compares the text between their values instead of parsing it.
///
/// A trace is written by one program, and the text between the values of its kernels, its launches, its operators is
/// the same from event to event, blanks and all. An event that read_fields() has read becomes a layout; where another
/// has the same text between its values, its fields are those that read_fields() would find, for a third of the work.
/// Any other is left to read_fields(). Never says anything that it would not say.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "trace/fields.h"
#include "trace/literal.h"

namespace tally::trace {

/// First looks at events: the text up to the category is the same in most.
class Heads {
 public:
  /// What read_head() would find.
  Head head(std::string_view event, const Wanted& wanted);

 private:
  Literal start_;         ///< Of the last event whose head was read: up to its category.
  Literal before_phase_;  ///< Of the same: up to its phase.
};

class Layouts {
 public:
  enum class Answer { unknown, irrelevant, relevant };

  /// Unknown: `fields` is as it was.
  Answer read(const Slice& slice, const Head& head, Fields& fields);

  /// An event that was read, and found relevant.
  void learn(const Slice& slice, const Head& head, const Fields& fields);

 private:
  struct Step {
    void remember(std::string_view value, const Literal& behind);

    Literal before;                 ///< What stands before the value, and after the one before it.
    Raw Fields::* field = nullptr;  ///< Null: the value is of no concern.
    bool nested = false;     ///< It is an object or an array: such a one is of no concern where another would be.
    bool may_leave = false;  ///< It is a call's name, which may say that it launches nothing.
    // Processes, threads and devices are those of the last event as a rule. What stood there is then compared, value
    // and all: the next value's place is known without a look at this one's end.
    Literal again;               ///< The last value, a number, and what stood behind it up to the next value.
    std::size_t value_size = 0;  ///< Of it.
    int credit = 8;              ///< More where that was so again; at nothing it is no longer tried.
  };
  struct Layout {
    std::vector<Step> steps;
    Literal tail;  ///< To the event's end; empty: it is not read to its end.
  };
  struct Known {
    std::vector<Layout> layouts;
    std::size_t last = 0;    ///< That fitted.
    std::size_t learnt = 0;  ///< In all: where no two are alike, there is no use in it.
  };

  static Answer read(Layout& layout, const Slice& slice, const Head& head, Fields& fields);

  std::array<Known, 16> known_;  ///< By category.
};

}  // namespace tally::trace
