#include "process/wait_status.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cctype>
#include <csignal>
#include <cstring>

namespace tally {

WaitStatus decode_wait_status(int raw) {
  if (WIFSIGNALED(raw)) return Signaled{WTERMSIG(raw)};
  return Exited{WEXITSTATUS(raw)};
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

std::string describe(const WaitStatus& status) {
  if (const auto* exited = std::get_if<Exited>(&status)) return fmt::format("exited with code {}", exited->code);
  const int signal = std::get<Signaled>(status).signal;
  const char* meaning = sigdescr_np(signal);
  if (meaning == nullptr) return fmt::format("killed by {}", signal_name(signal));
  std::string words = meaning;
  words[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(words[0])));
  return fmt::format("killed by {} ({})", signal_name(signal), words);
}

}  // namespace tally
