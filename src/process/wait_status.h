/// How a process ended: the kernel's wait status, decoded once. Nothing else in the project reads W* macros.
#pragma once

#include <string>
#include <variant>

namespace tally {

struct Exited {
  int code = 0;
  bool operator==(const Exited&) const = default;
};

struct Signaled {
  int signal = 0;
  bool operator==(const Signaled&) const = default;
};

using WaitStatus = std::variant<Exited, Signaled>;

/// `raw` as wait4 gives it for a process that has ended (not one that was stopped).
WaitStatus decode_wait_status(int raw);

/// "SIGSEGV"; "signal 99" for one without a name.
std::string signal_name(int signal);

/// "exited with code 3", "killed by SIGSEGV (segmentation fault)".
std::string describe(const WaitStatus& status);

}  // namespace tally
