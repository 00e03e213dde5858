/// The fields of one event, as the text they stand in. Nothing is converted or copied here.
///
/// Owns: which categories matter (and that calls which launch nothing do not), and how to leave an event that does not
/// after a few bytes. Keys may come in any order; of a key that comes twice the last counts, as in Python's json,
/// except that an event may be left at its first category. Escapes in keys and categories are resolved.
///
/// Device work or a runtime call without a phase, and a complete event with a stream but without a category, are
/// damaged: they cannot be what their exporter meant.
#pragma once

#include <string>
#include <string_view>

#include "trace/raw_text.h"
#include "trace/splitter.h"

namespace tally::trace {

enum class Category : unsigned char {
  irrelevant,
  kernel,
  memcpy,
  memset,
  runtime,         ///< Calls of the device's runtime or driver on the host.
  sync,            ///< "cuda_sync": waiting, as seen from the device.
  annotation,      ///< The user's spans on the host, ProfilerStep among them.
  gpu_annotation,  ///< The same, mirrored on the device.
  operation,       ///< Operators on the host.
  other_device     ///< Device-side categories that are no device work by our definition (MTIA command processor).
};

Category category_of(std::string_view cat);

struct Fields {
  char phase = '\0';
  Category category = Category::irrelevant;
  Raw name, ts, dur, pid, tid;
  // Of args:
  Raw device, stream, correlation, external_id, bytes, occupancy, blocks_per_sm, labels, kind;
};

struct Wanted {
  bool operations = false;     ///< Operators, with name, times and thread.
  bool every_phase_x = false;  ///< Every complete event, whatever its category (the legacy figures).
};

enum class Reading {
  irrelevant,  ///< `fields` is not to be used.
  relevant,
  damaged  ///< It is relevant, or may be, but its text is not JSON.
};

/// What a first look has found.
struct Head {
  /// Only where read_fields() would say irrelevant (or, for an event whose text is damaged beyond its first keys,
  /// damaged; such an event would not have been used either).
  bool irrelevant = false;
  const char* after_category = nullptr;  ///< Phase X and this category were read, and nothing else; or null.
  Category category = Category::irrelevant;
};

/// A first look at an event as Kineto writes it, which costs a few nanoseconds.
Head read_head(std::string_view event, const Wanted& wanted);

/// The rest of that look, from behind the opening quote of the category of an event whose phase is X.
Head head_from_category(const char* at, const char* end, const Wanted& wanted);

/// All of it; `head` is what the first look at the same event has found.
Reading read_fields(const Slice& slice, const Head& head, const Wanted& wanted, Fields& fields);

}  // namespace tally::trace
