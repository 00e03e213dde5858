#include "commits/commit_runner.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "discovery/programs.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

Result<TreeSuite> suite_for(const CommitRequest& options, const std::string& top) {
  const std::string& working_folder = options.caller.working_folder;
  if (options.suite.empty() == options.program.empty()) {
    return fail(ErrorKind::input, options.suite.empty() ? "nothing to measure" : "a suite and a program", {},
                "name one of --suite FILE and --program EXE");
  }
  if (options.suite.empty()) return TreeSuite::of_program(top, working_folder, options.program);
  if (is_program((fs::path(working_folder) / options.suite).string()))
    return fail(ErrorKind::input, "is a program and no suite", options.suite, "name it with --program");
  return TreeSuite::of_suite(top, working_folder, options.suite);
}

/// What is wrong with a suite is so at every commit, and is reported once; what a program lists is the commit's. Read
/// as from `top` for the places in errors, and as from `tree` for what would be today's there.
Status check_suite(TreeSuite& suite, const std::string& top, const std::string& tree) {
  if (suite.is_program()) return {};
  for (const std::string& from : {top, tree}) {
    bool has_programs = false;
    const auto read = suite.in(from, [&](const Program& program) -> Result<Suite> {
      has_programs = true;
      return fail(ErrorKind::missing, "is not built yet", program.path);
    });
    if (!read && !has_programs) return std::unexpected(read.error());
  }
  return {};
}

}  // namespace

/// Waiting and warnings; the cases of so many commits would bury what the search itself says.
class CommitRunner::Observer final : public RunObserver {
 public:
  explicit Observer(const CommitMessages& messages) : messages_(messages) {}
  void on_message(const std::string& text) override {
    // Said once, not at every commit.
    if (text == last_) return;
    last_ = text;
    messages_.progress(text);
  }
  void on_waiting(const std::string& text) override { messages_.notice(text); }

 private:
  const CommitMessages& messages_;
  std::string last_;
};

CommitRunner::CommitRunner(Workspace& workspace, const CommitRequest& request, CommitMessages messages)
    : workspace_(workspace), messages_(std::move(messages)), settings_(request.settings) {}

CommitRunner::~CommitRunner() = default;

Result<std::unique_ptr<CommitRunner>> CommitRunner::open(Workspace& workspace, const CommitRequest& request,
                                                         CommitMessages messages) {
  std::unique_ptr<CommitRunner> made(new CommitRunner(workspace, request, std::move(messages)));
  if (trim(request.build).empty())
    return fail(ErrorKind::input, "is empty", "--build", "say how a commit is built; `true` where nothing is to be");
  const Caller& caller = request.caller;
  auto repository = Repository::find(workspace.runner(), caller.environment, caller.working_folder);
  if (!repository) return std::unexpected(repository.error());
  if (!*repository) {
    return fail(ErrorKind::input, "is in no git repository", caller.working_folder,
                "go to the repository whose commits are meant");
  }
  made->repository_.emplace(**std::move(repository));
  auto store = open_store(workspace.runner(), request.store);
  if (!store) return std::unexpected(store.error());
  made->store_.emplace(*std::move(store));
  auto suite = suite_for(request, made->repository_->top());
  if (!suite) return std::unexpected(suite.error());
  made->suite_.emplace(*std::move(suite));
  auto workshop =
      CommitWorkshop::open(workspace.runner(), *made->repository_, {.caller = caller, .build = request.build});
  if (!workshop) return std::unexpected(workshop.error());
  made->workshop_.emplace(*std::move(workshop));
  if (auto fine = check_suite(*made->suite_, made->repository_->top(), made->workshop_->tree()); !fine)
    return std::unexpected(fine.error());
  Digest key;
  key.add(made->suite_->name())
      .add(made->suite_->text())
      .add(fmt::format("{}", made->settings_.iterations.value_or(0)));
  for (const std::string& filter : request.filters) key.add(filter);
  made->key_ = key.hex();
  made->observer_ = std::make_unique<Observer>(made->messages_);
  made->commits_.emplace(workspace, *made->repository_, *made->workshop_, *made->suite_,
                         CommitMeasuringRequest{.selection = {.filters = request.filters, .where = "--case"},
                                                .settings = made->settings_,
                                                .tools = request.tools,
                                                .profiles = request.profiles},
                         *made->observer_);
  return made;
}

std::optional<std::vector<std::string>> CommitRunner::complete_cases(const std::string& commit) const {
  const auto text = read_file(fmt::format("{}/whole/{}/{}", workshop_->folder(), key_, commit));
  if (!text) return std::nullopt;
  std::vector<std::string> ids;
  for (const std::string_view id : split(*text, '\n')) {
    if (!id.empty()) ids.emplace_back(id);
  }
  return ids;
}

void CommitRunner::keep_complete(const std::string& commit, const Record& record) const {
  std::string text;
  for (const CaseRecord& one : record.cases) text += one.id + "\n";
  // Lost, the commit is measured again.
  std::ignore = write_file(fmt::format("{}/whole/{}/{}", workshop_->folder(), key_, commit), text);
}

}  // namespace tally
