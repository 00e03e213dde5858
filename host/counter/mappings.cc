#include "mappings.h"

#include "kernel.h"
#include "valgrind.h"

namespace tally::counter {

namespace {

constexpr long kRead = 1;
constexpr long kWrite = 2;
constexpr long kExecute = 4;

bool continues(const NSegment& first, const NSegment& next) {
  return next.start == first.end + 1 && next.dev == first.dev && next.ino == first.ino &&
         next.offset == first.offset + static_cast<Off64T>(next.start - first.start);
}

/// Of one library, side by side in memory and in its file.
class Joined {
 public:
  void add(const NSegment& segment) {
    if (begin_ == 0) begin_ = segment.start;
    end_ = segment.end + 1;
    has_code_ = has_code_ || segment.hasX;
  }
  void finish() {
    if (has_code_) kernel::allow(begin_, end_ - begin_, kRead | kExecute);
    *this = Joined();
  }

 private:
  Addr begin_ = 0;
  Addr end_ = 0;
  bool has_code_ = false;
};

}  // namespace

void join_mappings_of_libraries() {
  Int room = 4096;
  auto* starts = static_cast<Addr*>(VG_(malloc)("tally.mappings", room * sizeof(Addr)));
  Int count = 0;
  while ((count = VG_(am_get_segment_starts)(SkFileC, starts, room)) < 0) {
    room = -count;
    starts = static_cast<Addr*>(VG_(realloc)("tally.mappings", starts, room * sizeof(Addr)));
  }
  Joined joined;
  const NSegment* last = nullptr;
  for (Int i = 0; i < count; ++i) {
    const NSegment* const segment = VG_(am_find_nsegment)(starts[i]);
    const NSegment* const next = i + 1 < count ? VG_(am_find_nsegment)(starts[i + 1]) : nullptr;
    if (last != nullptr && !continues(*last, *segment)) joined.finish();
    last = segment;
    if (!segment->hasR || segment->hasW) {
      joined.finish();
    } else if (!segment->hasX && next != nullptr && next->hasW && !next->hasX && continues(*segment, *next)) {
      joined.finish();
      kernel::allow(segment->start, segment->end + 1 - segment->start, kRead | kWrite);
    } else {
      joined.add(*segment);
    }
  }
  joined.finish();
  VG_(free)(starts);
}

}  // namespace tally::counter
