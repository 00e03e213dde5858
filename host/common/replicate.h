/// The process in which one region is executed: forked from its case child, waited for there, and left when the region
/// is over.
///
/// Never sends anything to the runner: the case child reports its result.
#pragma once

namespace tally::host {

class Replicate {
 public:
  struct Forked {
    bool here = false;              ///< This is the new process; the rest is of the other side.
    int pid = -1;                   ///< Of one that has ended.
    int status = 0;                 ///< As waitpid(2) gives it; 0 where its region ran to its end.
    const char* problem = nullptr;  ///< Why there was none, or why it ended without a word; null: it did not.
  };

  /// In the case child: returns in the new process, and here when that has ended.
  Forked fork();

  /// This process is one.
  [[nodiscard]] bool here() const { return here_; }
  /// In a replicate: its region is over.
  [[noreturn]] void leave() const;

 private:
  void take_done_pipe(const int done[2]);

  bool here_ = false;
  int done_ = -1;  ///< In a replicate under Valgrind: the pipe on which it says that its region is over.
};

}  // namespace tally::host
