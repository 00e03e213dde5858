/// The names of the files that a host's processes leave in the folder of its dumps. The one place that has them, for
/// Valgrind's option, the libraries in a host, and readers.
#pragma once

#include <cstdint>
#include <cstdio>

namespace tally::protocol {

/// Valgrind's name for the dumps of a process, in its folder: they are "PID.1", "PID.2", and "PID" for one at exit.
inline constexpr char kDumpPattern[] = "/%p";

/// A file's path: a folder's, and a name below. One that is too long is cut off, and so is not there.
struct DumpPath {
  char text[4096];
  operator const char*() const { return text; }
};

/// The n-th dump of a counted process.
inline DumpPath dump_path(const char* folder, std::uint64_t pid, std::uint64_t number) {
  DumpPath path;
  std::snprintf(path.text, sizeof path.text, "%s/%llu.%llu", folder, static_cast<unsigned long long>(pid),
                static_cast<unsigned long long>(number));
  return path;
}

/// What the observer of a probe leaves of a process, beside its dumps or in their place.
inline DumpPath observed_path(const char* folder, std::uint64_t pid, const char* ending) {
  DumpPath path;
  std::snprintf(path.text, sizeof path.text, "%s/%llu%s", folder, static_cast<unsigned long long>(pid), ending);
  return path;
}
inline constexpr const char* kPythonCallsEnding = ".functions";  ///< The table of its calls (python_calls.h).
inline constexpr const char* kAllocationTraceEnding = "";        ///< Where it allocates (profile/allocation_trace.h).
inline constexpr const char* kHeapPeakEnding = "";               ///< The most bytes that it held at once.

/// Whether a file of that name is this process's, of any of these kinds.
inline bool is_dump_of(const char* name, std::uint64_t pid) {
  unsigned long long number = 0;
  int length = 0;
  return std::sscanf(name, "%llu%n", &number, &length) == 1 && number == pid && length > 0 &&
         (name[length] == '\0' || name[length] == '.');
}

}  // namespace tally::protocol
