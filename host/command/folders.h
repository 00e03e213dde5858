/// Where a command runs, what it finds there, and its temporary files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocol/frame.h"

namespace tally::host {

/// Why something could not be done, for a failure.
struct FolderProblem {
  std::string message;
  std::string detail;
};

class CommandFolders {
 public:
  explicit CommandFolders(const protocol::Message& request);

  /// Where it is set up, and cleaned up after.
  [[nodiscard]] const std::string& home() const { return home_; }
  /// Where it runs.
  [[nodiscard]] const std::string& own() const { return folder_; }

  /// Once: a command with files of its own runs beside its temporary ones, in a folder whose name has always one
  /// length.
  std::optional<FolderProblem> make();
  /// As each execution finds them.
  std::optional<FolderProblem> renew() const;
  /// $TMPDIR, unless the user sets it: of the setup and the cleanup, whose files no execution empties; and of the
  /// executions, which it is of from make() on.
  std::optional<FolderProblem> use_lasting() const;
  void use_renewed() const;
  /// At its end: the next command may need the room.
  void empty() const;

 private:
  struct Copied {
    std::string to;  ///< Below the folder.
    std::string from;
  };
  std::vector<Copied> copied_;  ///< With one, each execution has a folder of its own.
  std::string home_;
  std::string folder_;
  std::string temporary_;  ///< Emptied before each execution.
  std::string renewed_;    ///< $TMPDIR of the executions.
  std::string lasting_;    ///< $TMPDIR of the setup and the cleanup.
};

/// This process, with $PWD where that is set.
std::optional<FolderProblem> go_to(const std::string& folder);

}  // namespace tally::host
