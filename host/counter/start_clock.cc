#include "start_clock.h"

#include "image/system.h"

namespace tally::counter {

namespace {

namespace system = host::system;

constexpr ULong kSecond = 1'000'000'000;
constexpr ULong kLook = 1'000;
constexpr ULong kTicksPerLook = 2'000;
constexpr UWord kClocks = 12;

struct Time {
  ULong seconds;
  ULong nanoseconds;
};

Bool g_ended = False;
ULong g_passed = 0;           ///< Nanoseconds since the first look.
ULong g_begin[kClocks] = {};  ///< What each clock read then; 0: nobody has looked yet.
ULong g_first_ticks = 0;
ULong g_wait = 0;  ///< How long a select() is to wait at the most, of which the kernel takes off what it waited.

/// In the guest's memory.
Time& time_at(UWord place) { return *reinterpret_cast<Time*>(place); }  // NOLINT(performance-no-int-to-ptr)

ULong now_of(UWord clock, ULong real) {
  if (g_begin[clock] == 0) g_begin[clock] = real - g_passed;
  g_passed += kLook;
  return g_begin[clock] + g_passed;
}

void sleep(const Time& time) { g_passed += time.seconds * kSecond + time.nanoseconds; }

/// To a moment, which was past for the system: its clock is ahead of this one.
void sleep_until(UWord clock, const Time& time) {
  const ULong wanted = time.seconds * kSecond + time.nanoseconds;
  if (clock >= kClocks || g_begin[clock] == 0) return;
  const ULong now = g_begin[clock] + g_passed;
  if (wanted > now) g_passed += wanted - now;
}

constexpr ULong kMillisecond = 1'000'000;

}  // namespace

void note_wait(UInt number, const UWord* arguments) {
  g_wait = 0;
  if (g_ended || (number != system::kSelect && number != system::kPselect) || arguments[4] == 0) return;
  constexpr ULong kMicrosecond = 1'000;
  const Time& time = time_at(arguments[4]);
  g_wait = time.seconds * kSecond + time.nanoseconds * (number == system::kSelect ? kMicrosecond : 1);
}

void answer_for_clock(UInt number, const UWord* arguments, SysRes result) {
  if (g_ended || sr_isError(result)) return;
  switch (number) {
    case system::kClockGettime: {
      if (arguments[0] >= kClocks) return;
      Time& time = time_at(arguments[1]);
      const ULong now = now_of(arguments[0], time.seconds * kSecond + time.nanoseconds);
      time = {now / kSecond, now % kSecond};
      return;
    }
    case system::kGettimeofday: {
      if (arguments[0] == 0) return;
      Time& time = time_at(arguments[0]);  // microseconds, in the place of nanoseconds
      const ULong now = now_of(0, time.seconds * kSecond + time.nanoseconds * 1'000);
      time = {now / kSecond, now % kSecond / 1'000};
      return;
    }
    case system::kNanosleep:
      return sleep(time_at(arguments[0]));
    case system::kClockNanosleep:
      if (arguments[1] == 0) {
        sleep(time_at(arguments[2]));
      } else {
        sleep_until(arguments[0], time_at(arguments[2]));
      }
      return;
    case system::kSelect:
    case system::kPselect:
      if (sr_Res(result) == 0) g_passed += g_wait;
      return;
    case system::kPoll:
    case system::kEpollWait: {
      const auto wait = static_cast<Int>(arguments[number == system::kPoll ? 2 : 3]);
      if (sr_Res(result) == 0 && wait > 0) g_passed += static_cast<ULong>(wait) * kMillisecond;
      return;
    }
    default:
      return;
  }
}

bool keeps_start_clock() { return g_ended == False; }

ULong start_ticks() {
  if (g_first_ticks == 0) g_first_ticks = __builtin_ia32_rdtsc();
  g_passed += kLook;
  return g_first_ticks + g_passed / kLook * kTicksPerLook;
}

void end_start_clock() { g_ended = True; }

}  // namespace tally::counter
