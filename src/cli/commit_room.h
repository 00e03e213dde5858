/// What measuring one commit after another needs, as a command line says it: the repository, the suite of today, the
/// work tree that commits are built in, and the store that keeps their records.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/measuring.h"
#include "cli/option_set.h"
#include "cli/suite_source.h"
#include "commits/commit_measuring.h"
#include "git/repository.h"
#include "history/store.h"

namespace tally::cli {

struct CommitOptions {
  std::string build;
  std::string suite;
  std::string program;
  std::string store = "tally-history";
  bool times = false;
  RunOptions run;  ///< Its filters are --case.
};

/// --build, --suite, --program, --store, --case, and how to measure.
void add_commit_options(OptionSet& command, CommitOptions& options);

class CommitRoom {
 public:
  /// `command` begins what is said on `err`. Errors: no repository, no such suite, another process builds there, no
  /// CPUs.
  static Result<std::unique_ptr<CommitRoom>> open(const Context& context, const CommitOptions& options,
                                                  bool with_profiles, std::string command, std::ostream& err);

  [[nodiscard]] const Repository& repository() const { return *repository_; }
  [[nodiscard]] const CommitWorkshop& workshop() const { return *workshop_; }
  [[nodiscard]] CommitMeasuring& commits() { return *commits_; }
  [[nodiscard]] HistoryStore& store() { return *store_; }
  [[nodiscard]] const std::string& suite() const { return suite_->name(); }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] bool is_interrupted();
  void say(const std::string& text) const;
  void say_even_if_quiet(const std::string& text) const;

  /// Which cases the commit had when all of them were measured with this suite and these options; nothing where that is
  /// not known. For a process that goes on.
  [[nodiscard]] std::optional<std::vector<std::string>> whole_of(const std::string& commit) const;
  void keep_whole(const std::string& commit, const Record& record) const;

 private:
  class Observer;
  CommitRoom(const CommitOptions& options, std::string command, std::ostream& err);

  std::string command_;
  std::ostream& err_;
  bool quiet_;
  Settings settings_;
  std::string key_;  ///< Of the suite's text and of what is selected of it.
  std::unique_ptr<Measuring> measuring_;
  std::optional<Repository> repository_;
  std::optional<HistoryStore> store_;
  std::optional<TreeSuite> suite_;
  std::optional<CommitWorkshop> workshop_;
  std::unique_ptr<RunObserver> observer_;
  std::optional<CommitMeasuring> commits_;
};

/// The digits of a commit that a person is shown.
std::string short_commit(const std::string& id);

/// "could not be built: …" with the last lines of its log, for a person.
std::string describe(const NotMeasured& why);

}  // namespace tally::cli
