/// Measures one commit after another with the suite of today: the repository, the work tree that commits are built in,
/// and the store that keeps their records.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commits/commit_measuring.h"
#include "git/repository.h"
#include "history/named_store.h"

namespace tally {

struct CommitRequest {
  Caller caller;
  NamedStore store;
  std::string build;    ///< Bash text that builds a commit, in a work tree of it.
  std::string suite;    ///< Its file, as it is today; or
  std::string program;  ///< the benchmark program that the build makes.
  std::vector<std::string> filters;
  Settings settings;
  Tools tools;
  bool profiles = false;  ///< Keep them in the workshop, beside a record.
};

/// Messages meanwhile, for a person.
struct CommitMessages {
  std::function<void(const std::string&)> progress;  ///< What a quiet command leaves out.
  std::function<void(const std::string&)> notice;    ///< What it does not.
};

class CommitRunner {
 public:
  /// The workspace outlives it. Errors: no repository, no such suite, another process builds there.
  static Result<std::unique_ptr<CommitRunner>> open(Workspace& workspace, const CommitRequest& request,
                                                    CommitMessages messages);
  ~CommitRunner();

  [[nodiscard]] const Repository& repository() const { return *repository_; }
  [[nodiscard]] const CommitWorkshop& workshop() const { return *workshop_; }
  [[nodiscard]] CommitMeasuring& commits() { return *commits_; }
  [[nodiscard]] HistoryStore& store() { return *store_; }
  [[nodiscard]] const std::string& suite() const { return suite_->name(); }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] bool is_interrupted() { return workspace_.runner().interruptions() > 0; }
  void say(const std::string& text) const { messages_.progress(text); }

  /// Which cases the commit had when all of them were measured with this suite and these options; nothing where that is
  /// not known. For a process that continues.
  [[nodiscard]] std::optional<std::vector<std::string>> complete_cases(const std::string& commit) const;
  void keep_complete(const std::string& commit, const Record& record) const;

 private:
  class Observer;
  CommitRunner(Workspace& workspace, const CommitRequest& request, CommitMessages messages);

  Workspace& workspace_;
  CommitMessages messages_;
  Settings settings_;
  std::string key_;  ///< Of the suite's text and of what is selected of it.
  std::optional<Repository> repository_;
  std::optional<HistoryStore> store_;
  std::optional<TreeSuite> suite_;
  std::optional<CommitWorkshop> workshop_;
  std::unique_ptr<RunObserver> observer_;
  std::optional<CommitMeasuring> commits_;
};

}  // namespace tally
