/// The counter's observations of a case that show that its count depends on more than the case, and the request by
/// which a host asks for them.
///
/// Cases that run at the same time and write the same file would read each other's. A case that makes something of the
/// time of day, or of its process's number, computes with other numbers in each run. Needs no C library.
#pragma once

namespace tally::host {

/// What a case has requested that differs in each run; bits of CaseWatch::requested.
enum Requested : unsigned {
  kTimeOfDay = 1,  ///< Or the processor's clock.
  kOwnNumber = 2,  ///< The number of its process or of a thread.
  kClock = 4,      ///< One that only runs forward.
  kProcess = 8,    ///< Another process, while it was counted: what that executes is not counted.
};

/// In memory that all processes of the case share; zero at its beginning.
struct CaseWatch {
  static constexpr unsigned kRoom = 256;

  unsigned requested;        ///< Bits of Requested.
  char changed_file[kRoom];  ///< The first file that it has changed, in whichever of its processes; ends with 0.
  char own_folder[kRoom];    ///< The host's to say: what lies below it is the case's alone; empty: there is none.
};

/// An option of the counter: the time of day is the same in each run from the beginning of a case on, and requested
/// never has kTimeOfDay.
inline constexpr char kFixedDayOption[] = "--time-of-day=fixed";

/// Client request to the counter, and to nobody else.
enum WatchRequest : unsigned {
  kWatchCase = 0x5457'0000,   ///< ('T','W'). Its argument: a CaseWatch. Its result: 1, where the counter is there.
  kWatchFiles = 0x5457'0001,  ///< The same of a start, whose clock advances as it does.
};

}  // namespace tally::host
