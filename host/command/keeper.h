/// The process that keeps a case of a command: it sets up, has another process measure, cleans up, and ends what is
/// left.
///
/// What the setup starts in the background lives in this process's tree until the case has been cleaned up, apart from
/// what is measured, which is below the other process. SIGINT is passed on to what is measured; SIGTERM ends it, and
/// the cleanup comes all the same. Neither ends this process, which the signals of what it starts do not reach either.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>
#include <optional>
#include <string>

namespace tally::host {

/// How a process or a text has ended.
struct KeptEnd {
  int refused = 0;       ///< Why it could not be started, an errno.
  bool stopped = false;  ///< This process was asked to stop, and has ended it.
  int status = 0;        ///< Else, as wait(2) has it.
};

class Keeper {
 public:
  /// This process is one from here on; from now on its signals wait until it asks for them.
  Keeper();

  /// A shell runs the text. What it leaves in the background continues.
  KeptEnd set_up(const std::string& text);
  /// `measure` runs in a process of its own, whose exit code it returns. Nothing of that is left afterwards.
  KeptEnd watch(const std::function<int()>& measure);
  /// A shell runs the text to its end, in spite of any request to stop.
  KeptEnd clean_up(const std::string& text);
  /// Ends whatever still runs: SIGTERM, and SIGKILL two seconds later.
  void end_rest();

 private:
  KeptEnd wait_for(pid_t pid, bool may_stop);
  KeptEnd run_shell(const std::string& text, bool may_stop);

  sigset_t awaited_{};
};

}  // namespace tally::host
