#include "cli/commit_room.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <filesystem>
#include <ostream>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/history_view.h"
#include "report/text/format.h"

namespace tally::cli {
namespace {

namespace fs = std::filesystem;

Result<Settings> settings_for(const CommitOptions& options) {
  if (options.run.wall_only)
    return fail(ErrorKind::input, "commits are compared by their counts", "--wall-only", "take it away");
  auto settings = settings_of(options.run);
  if (!settings) return settings;
  settings->counts = true;
  settings->wall = options.times;
  return settings;
}

Result<TreeSuite> suite_for(const CommitOptions& options, const std::string& top, const std::string& working_folder) {
  if (options.suite.empty() == options.program.empty()) {
    return fail(ErrorKind::input, options.suite.empty() ? "nothing to measure" : "a suite and a program", {},
                "name one of --suite FILE and --program EXE");
  }
  if (options.suite.empty()) return TreeSuite::of_program(top, working_folder, options.program);
  if (is_program((fs::path(working_folder) / options.suite).string()))
    return fail(ErrorKind::input, "is a program and no suite", options.suite, "name it with --program");
  return TreeSuite::of_suite(top, working_folder, options.suite);
}

/// What is wrong with a suite is so at every commit, and is said once; what a program lists is the commit's. Read as
/// from `top` for the places in errors, and as from `tree` for what would be today's there.
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

/// Waiting and warnings; the cases of so many commits would bury what a bisect itself says.
class CommitRoom::Observer final : public RunObserver {
 public:
  explicit Observer(const CommitRoom& room) : room_(room) {}
  void on_message(const std::string& text) override {
    // Said once, not at every commit.
    if (text == last_) return;
    last_ = text;
    room_.say(text);
  }
  void on_waiting(const std::string& text) override { room_.say_even_if_quiet(text); }

 private:
  const CommitRoom& room_;
  std::string last_;
};

void add_commit_options(OptionSet& command, CommitOptions& options) {
  command.add("--build", &options.build, "Bash command that builds a commit; runs in a work tree of it")
      .value_name("COMMAND")
      .required();
  command.add("--suite", &options.suite, "TOML file of the suite, as it is today").value_name("FILE");
  command.add("--program", &options.program, "C++ benchmark program that the build makes, instead of a suite")
      .value_name("EXE");
  command.add("--case", &options.run.filters, "Measure only these cases: an id, a glob on ids, or a part of an id")
      .value_name("GLOB")
      .one_each();
  command.add("--store", &options.store, "The history: a folder, or git:BRANCH of the repository")
      .value_name("PLACE")
      .shows_default();
  add_run_options(command, options.run);
}

CommitRoom::CommitRoom(const CommitOptions& options, std::string command, std::ostream& err)
    : command_(std::move(command)), err_(err), quiet_(options.run.quiet) {}

Result<std::unique_ptr<CommitRoom>> CommitRoom::open(const Context& context, const CommitOptions& options,
                                                     bool with_profiles, std::string command, std::ostream& err) {
  std::unique_ptr<CommitRoom> room(new CommitRoom(options, std::move(command), err));
  auto settings = settings_for(options);
  if (!settings) return std::unexpected(settings.error());
  room->settings_ = *std::move(settings);
  if (trim(options.build).empty())
    return fail(ErrorKind::input, "is empty", "--build", "say how a commit is built; `true` where nothing is to be");
  RunOptions run = options.run;
  run.server = "off";
  auto measuring = Measuring::begin(context, run, err);
  if (!measuring) return std::unexpected(measuring.error());
  room->measuring_ = *std::move(measuring);
  Workspace& workspace = room->measuring_->workspace();
  auto repository = Repository::find(workspace.runner(), context.environment, context.working_folder);
  if (!repository) return std::unexpected(repository.error());
  if (!*repository) {
    return fail(ErrorKind::input, "is in no git repository", context.working_folder,
                "go to the repository whose commits are meant");
  }
  room->repository_.emplace(**std::move(repository));
  auto store = open_store(workspace.runner(), context, {.store = options.store});
  if (!store) return std::unexpected(store.error());
  room->store_.emplace(*std::move(store));
  auto suite = suite_for(options, room->repository_->top(), context.working_folder);
  if (!suite) return std::unexpected(suite.error());
  room->suite_.emplace(*std::move(suite));
  auto workshop = CommitWorkshop::open(workspace.runner(), *room->repository_,
                                       {.caller = caller_of(context), .build = options.build});
  if (!workshop) return std::unexpected(workshop.error());
  room->workshop_.emplace(*std::move(workshop));
  if (auto fine = check_suite(*room->suite_, room->repository_->top(), room->workshop_->tree()); !fine)
    return std::unexpected(fine.error());
  Digest key;
  key.add(room->suite_->name()).add(room->suite_->text()).add(fmt::format("{}", room->settings_.iterations));
  for (const std::string& filter : options.run.filters) key.add(filter);
  room->key_ = key.hex();
  room->observer_ = std::make_unique<Observer>(*room);
  room->commits_.emplace(workspace, *room->repository_, *room->workshop_, *room->suite_,
                         CommitMeasuringRequest{.selection = {.filters = options.run.filters, .where = "--case"},
                                                .settings = room->settings_,
                                                .tools = options.run.tools,
                                                .profiles = with_profiles},
                         *room->observer_);
  return room;
}

bool CommitRoom::is_interrupted() { return measuring_->workspace().runner().interruptions() > 0; }

void CommitRoom::say(const std::string& text) const {
  if (!quiet_) say_even_if_quiet(text);
}

void CommitRoom::say_even_if_quiet(const std::string& text) const {
  fmt::print(err_, "tally {}: {}\n", command_, printable(text, true));
}

std::optional<std::vector<std::string>> CommitRoom::whole_of(const std::string& commit) const {
  const auto text = read_file(fmt::format("{}/whole/{}/{}", workshop_->folder(), key_, commit));
  if (!text) return std::nullopt;
  std::vector<std::string> ids;
  for (const std::string_view id : split(*text, '\n')) {
    if (!id.empty()) ids.emplace_back(id);
  }
  return ids;
}

void CommitRoom::keep_whole(const std::string& commit, const Record& record) const {
  std::string text;
  for (const CaseRecord& one : record.cases) text += one.id + "\n";
  // Lost, the commit is measured again.
  std::ignore = write_file(fmt::format("{}/whole/{}/{}", workshop_->folder(), key_, commit), text);
}

std::string short_commit(const std::string& id) { return id.substr(0, 10); }

std::string describe(const NotMeasured& why) {
  std::string text = why.why;
  if (!why.log.empty()) text += "; all that it printed is in " + why.log;
  for (const std::string& line : why.last_lines) text += "\n    " + line;
  return text;
}

}  // namespace tally::cli
