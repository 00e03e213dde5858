/// Executes a case's command, one time after another: what prepares it, its input and its output, the counter that it
/// is put behind, and the /tmp and the process numbers of its own.
///
/// Each finds what the first one found. What goes wrong is reported as the case's failure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command_failures.h"
#include "command_request.h"
#include "execution.h"
#include "folders.h"
#include "private_tmp.h"

namespace tally::host {

/// What the host was started with.
struct HostOptions {
  std::string dumps;               ///< Empty: it serves times.
  std::vector<std::string> under;  ///< What a command is put behind, to be counted.
  bool grants_own_numbers = false;
};

class CommandExecutions {
 public:
  /// All of these outlive it.
  CommandExecutions(const HostOptions& options, const CommandRequest& request, const CommandFolders& folders,
                    const CommandFailures& failures)
      : options_(options), request_(request), folders_(folders), failures_(failures) {}

  /// Once, before the first. False: the command wants something of its own, and does not get it; the failure has been
  /// reported.
  bool can_have_their_own();

  /// Nothing: it did not end as it should, and the failure has been reported.
  std::optional<Ended> execute() { return execute_once(nullptr); }
  /// Likewise, under the counter, which leaves files in the folder; all its processes count in the descriptor `counts`.
  std::optional<Ended> execute_counted(const std::string& files, int counts) {
    const Counted counted{files, counts};
    return execute_once(&counted);
  }

  /// The latest process: what counts is its, and not this one's.
  [[nodiscard]] std::uint64_t latest() const { return latest_; }
  /// By the latest execution, in a /tmp of its own.
  [[nodiscard]] const std::string& left_behind() const { return left_behind_; }

 private:
  struct Counted {
    std::string files;
    int counts = -1;
  };

  int get_private_tmp();
  std::optional<Ended> execute_once(const Counted* counted);
  bool enters_private_tmp();
  bool leaves_private_tmp();
  bool is_prepared();
  std::optional<Ended> start_and_wait(const Counted* counted);
  bool can_be_counted();
  [[nodiscard]] std::vector<std::string> counter_arguments(const Counted& counted, bool has_own_numbers) const;
  bool opens_files(Start& start);
  [[nodiscard]] int open_output() const;
  void fail_to_start(int why);

  const HostOptions& options_;
  const CommandRequest& request_;
  const CommandFolders& folders_;
  const CommandFailures& failures_;
  std::uint64_t latest_ = 1;
  bool wants_own_numbers_ = false;
  PrivateTmp private_tmp_;
  std::string left_behind_;
};

}  // namespace tally::host
