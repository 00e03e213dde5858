#include "start_clock.h"

#include "image/system.h"
#include "protocol/case_watch.h"
#include "results.h"

namespace tally::counter {

namespace {

namespace system = host::system;

constexpr ULong kSecond = 1'000'000'000;
constexpr ULong kMillisecond = 1'000'000;
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

// --- of a whole command

constexpr UWord kRealtime = 0;
constexpr UWord kMonotonic = 1;
constexpr UWord kProcessTime = 2;
constexpr UWord kThreadTime = 3;
constexpr UWord kRealtimeCoarse = 5;
constexpr UWord kTai = 11;
constexpr UInt kTime = 201;
constexpr UInt kFutex = 202;
constexpr UInt kTimerCreate = 222;
constexpr UInt kTimerSettime = 223;
constexpr UInt kTimerfdCreate = 283;
constexpr UInt kTimerfdSettime = 286;

constexpr ULong kTimeOfDay = 2'114'380'800;  // the first second of 2037: no file is of a later one

Bool g_of_command = False;
Bool g_is_to_fix_day = False;
Bool g_day_is_fixed = False;  ///< A case has begun, and is to be answered.
Long g_ahead = 0;  ///< Of the system's time of day, once clocks are the system's; 0: nobody has looked since.

bool is_time_of_day(UWord clock) { return clock == kRealtime || clock == kRealtimeCoarse || clock == kTai; }

ULong system_time(UWord clock) {
  Time time{};
  system::call(system::kClockGettime, static_cast<long>(clock), system::address(&time));
  return time.seconds * kSecond + time.nanoseconds;
}

/// What a command reads once its clocks run as the system's do. The time of day continues from ours, which the command
/// may have kept; processor time stays ours, because the system's would differ in each run.
ULong now_among_threads(UWord clock, ULong real) {
  if (clock == kProcessTime || clock == kThreadTime) return now_of(clock, real);
  if (!is_time_of_day(clock)) return real;
  if (g_ahead == 0) g_ahead = static_cast<Long>(g_begin[kRealtime] + g_passed - real);
  return real + static_cast<ULong>(g_ahead);
}

ULong now_as_shown(UWord clock) {
  if (g_day_is_fixed) return g_begin[clock] + g_passed;
  const ULong real = system_time(clock);
  return g_ended ? now_among_threads(clock, real) : g_begin[clock] + g_passed;
}

/// A deadline by our clock, for as long as the kernel has it.
struct Deadline {
  Time* place = nullptr;  ///< In the guest's memory.
  Time original{};
  UWord clock = 0;
};
constexpr ThreadId kMostWaiting = 512;  ///< Valgrind has 500 threads, unless an option says otherwise.
Deadline g_deadlines[kMostWaiting];

}  // namespace

namespace {

constexpr UInt kSigtimedwait = 128;
constexpr UInt kPpoll = 271;
constexpr UInt kEpollPwait = 281;
constexpr UInt kEpollPwait2 = 441;

/// Where a call has the time that it is to wait at the most; 0: it has none. Those that are a command's alone leave the
/// starts of hosts what they were.
UWord place_of_wait(UInt number, const UWord* arguments) {
  constexpr UWord kFutexCommand = 0x7f;  // FUTEX_WAIT is 0
  if (number == system::kSelect || number == system::kPselect) return arguments[4];
  if (!g_of_command) return 0;
  if (number == kPpoll || number == kSigtimedwait) return arguments[2];
  if (number == kEpollPwait2 || (number == kFutex && (arguments[1] & kFutexCommand) == 0)) return arguments[3];
  return 0;
}

bool is_out_of_time(UInt number, SysRes result) {
  constexpr UWord kTryAgain = 11;
  constexpr UWord kTimedOut = 110;
  if (number == kSigtimedwait || number == kFutex)
    return sr_isError(result) && sr_Err(result) == (number == kFutex ? kTimedOut : kTryAgain);
  return !sr_isError(result) && sr_Res(result) == 0;
}

}  // namespace

void note_wait(UInt number, const UWord* arguments) {
  g_wait = 0;
  if (g_ended) return;
  const UWord place = place_of_wait(number, arguments);
  if (place != 0) {
    constexpr ULong kMicrosecond = 1'000;
    const Time& time = time_at(place);
    g_wait = time.seconds * kSecond + time.nanoseconds * (number == system::kSelect ? kMicrosecond : 1);
  } else if (number == kEpollPwait && g_of_command && static_cast<Int>(arguments[3]) > 0) {
    g_wait = static_cast<ULong>(static_cast<Int>(arguments[3])) * kMillisecond;
  }
}

void answer_for_clock(ThreadId thread, UInt number, const UWord* arguments, SysRes result) {
  if (g_wait != 0 && is_out_of_time(number, result)) g_passed += g_wait;
  if ((g_ended && !g_of_command && !g_day_is_fixed) || sr_isError(result)) return;
  const auto now_by = [](UWord clock, ULong real) {
    if (g_day_is_fixed) return is_time_of_day(clock) ? now_of(clock, real) : real;
    return g_ended ? now_among_threads(clock, real) : now_of(clock, real);
  };
  switch (number) {
    case system::kClockGettime: {
      if (arguments[0] >= kClocks) return;
      Time& time = time_at(arguments[1]);
      const ULong now = now_by(arguments[0], time.seconds * kSecond + time.nanoseconds);
      time = {now / kSecond, now % kSecond};
      return;
    }
    case system::kGettimeofday: {
      if (arguments[0] == 0) return;
      Time& time = time_at(arguments[0]);  // microseconds, in the place of nanoseconds
      const ULong now = now_by(0, time.seconds * kSecond + time.nanoseconds * 1'000);
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
    case system::kPoll:
    case system::kEpollWait: {
      const auto wait = static_cast<Int>(arguments[number == system::kPoll ? 2 : 3]);
      if (sr_Res(result) == 0 && wait > 0) g_passed += static_cast<ULong>(wait) * kMillisecond;
      return;
    }
    case kTime: {
      if (!g_day_is_fixed) return;
      const ULong now = now_of(kRealtime, 0) / kSecond;
      if (arguments[0] != 0) *reinterpret_cast<ULong*>(arguments[0]) = now;  // NOLINT(performance-no-int-to-ptr)
      return answer(thread, static_cast<Word>(now));
    }
    default:
      return;
  }
}

bool keeps_start_clock() { return g_ended == False || g_day_is_fixed; }

ULong start_ticks() {
  if (g_first_ticks == 0) g_first_ticks = __builtin_ia32_rdtsc();
  g_passed += kLook;
  return g_first_ticks + g_passed / kLook * kTicksPerLook;
}

void end_start_clock() { g_ended = True; }

Bool take_clock_option(const HChar* argument) {
  if (VG_(strcmp)(argument, host::kFixedDayOption) != 0) return False;
  g_is_to_fix_day = True;
  return True;
}

void begin_time_of_case() {
  end_start_clock();
  if (!g_is_to_fix_day) return;
  constexpr ULong kTicks = 1'000'000'000'000;
  g_day_is_fixed = True;
  g_passed = 0;
  g_first_ticks = kTicks;
  for (UWord clock = 0; clock < kClocks; ++clock) {
    if (is_time_of_day(clock)) g_begin[clock] = kTimeOfDay * kSecond;
  }
}

bool fixes_time_of_day() { return g_day_is_fixed != False; }

void keep_clock_of_command() {
  constexpr ULong kUptime = 1'000;
  g_of_command = True;
  for (UWord clock = 0; clock < kClocks; ++clock) {
    const bool of_processor = clock == kProcessTime || clock == kThreadTime;
    g_begin[clock] = is_time_of_day(clock) ? kTimeOfDay * kSecond : of_processor ? kMillisecond : kUptime * kSecond;
  }
}

ULong passed_time() { return g_passed; }
void pass_time(ULong nanoseconds) { g_passed = nanoseconds; }

ULong seconds_of_command() {
  return (g_ended ? now_among_threads(kRealtime, system_time(kRealtime)) : now_of(kRealtime, 0)) / kSecond;
}

namespace {

/// Clocks of timers and of their descriptors, as they were made.
constexpr UWord kMostTimers = 1024;
UChar g_clock_of_descriptor[kMostTimers];
UChar g_clock_of_timer[kMostTimers];

struct Moment {
  UWord place;  ///< Of a Time in the guest's memory; 0: there is none.
  UWord clock;
};

Moment moment_of_futex(const UWord* arguments) {
  constexpr UWord kCommand = 0x7f;
  constexpr UWord kByTimeOfDay = 0x100;
  constexpr UWord kLock = 6;
  constexpr UWord kWaitBits = 9;
  constexpr UWord kWaitRequeue = 11;
  const UWord what = arguments[1] & kCommand;
  if (what != kWaitBits && what != kWaitRequeue && what != kLock) return {0, 0};
  return {arguments[3], what == kLock || (arguments[1] & kByTimeOfDay) != 0 ? kRealtime : kMonotonic};
}

/// What a system call is to wait until, where it names a moment.
Moment moment_of(UInt number, const UWord* arguments) {
  constexpr UWord kAbsolute = 1;
  constexpr UWord kValue = sizeof(Time);  // of an itimerspec, after its interval
  switch (number) {
    case system::kClockNanosleep:
      return (arguments[1] & kAbsolute) != 0 ? Moment{arguments[2], arguments[0]} : Moment{0, 0};
    case kFutex:
      return moment_of_futex(arguments);
    case kTimerfdSettime:
    case kTimerSettime: {
      if ((arguments[1] & kAbsolute) == 0 || arguments[2] == 0 || arguments[0] >= kMostTimers) return {0, 0};
      const UChar* const clocks = number == kTimerSettime ? g_clock_of_timer : g_clock_of_descriptor;
      const Moment moment{arguments[2] + kValue, clocks[arguments[0]]};
      const Time& time = time_at(moment.place);
      return time.seconds == 0 && time.nanoseconds == 0 ? Moment{0, 0} : moment;  // it is switched off
    }
    default:
      return {0, 0};
  }
}

}  // namespace

void begin_deadline(ThreadId thread, UInt number, const UWord* arguments) {
  if (thread >= kMostWaiting || (!g_of_command && !g_day_is_fixed)) return;
  Deadline& deadline = g_deadlines[thread];
  deadline.place = nullptr;
  const Moment moment = moment_of(number, arguments);
  if (moment.place == 0 || moment.clock >= kClocks || (g_ended && !is_time_of_day(moment.clock))) return;
  Time& time = time_at(moment.place);
  deadline = {&time, time, moment.clock};
  const ULong wanted = time.seconds * kSecond + time.nanoseconds;
  const ULong now = now_as_shown(moment.clock);
  const ULong real = system_time(moment.clock) + (wanted > now ? wanted - now : 0);
  time = {real / kSecond, real % kSecond};
}

void note_timer(UInt number, const UWord* arguments, SysRes result) {
  if (sr_isError(result)) return;
  if (number == kTimerfdCreate && sr_Res(result) < kMostTimers)
    g_clock_of_descriptor[sr_Res(result)] = static_cast<UChar>(arguments[0]);
  if (number != kTimerCreate) return;
  const UInt timer = *reinterpret_cast<const UInt*>(arguments[2]);  // NOLINT(performance-no-int-to-ptr): the guest's
  if (timer < kMostTimers) g_clock_of_timer[timer] = static_cast<UChar>(arguments[0]);
}

void end_deadline(ThreadId thread, SysRes result) {
  if (thread >= kMostWaiting || g_deadlines[thread].place == nullptr) return;
  const Deadline deadline = g_deadlines[thread];
  g_deadlines[thread].place = nullptr;
  *deadline.place = deadline.original;
  constexpr UWord kTimedOut = 110;
  if (sr_isError(result) && sr_Err(result) == kTimedOut && keeps_start_clock())
    sleep_until(deadline.clock, deadline.original);
}

}  // namespace tally::counter
