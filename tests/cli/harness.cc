#include "cli/harness.h"

#include <algorithm>
#include <regex>
#include <set>

namespace tally::cli_test {

namespace {

/// Folders of locks that this process alone uses; they go with it.
class Locks {
 public:
  ~Locks() {
    std::error_code code;
    for (const std::string& folder : folders_) fs::remove_all(folder, code);
  }
  std::string beside(const std::string& cache) {
    return *folders_.insert(fmt::format("{}-locks-{}", cache, ::getpid())).first;
  }

 private:
  std::set<std::string> folders_;
};

}  // namespace

Ran tally(const std::vector<std::string>& arguments, const How& how) {
  static Locks locks;
  RealProcessRunner runner(TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor");
  ProcessRequest request;
  request.argv = how.started_by;
  request.argv.push_back(how.program.empty() ? tally_path() : how.program);
  request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
  // No server of the developer's is found, and nobody's runs are waited for.
  request.environment = {{"PATH", how.path},
                         {"HOME", how.cache},
                         {"XDG_CACHE_HOME", how.cache},
                         {"XDG_RUNTIME_DIR", how.cache + "/none"},
                         {"TALLY_CPU_LOCKS", locks.beside(how.cache)}};
  request.environment.insert(request.environment.end(), how.more.begin(), how.more.end());
  request.working_folder = how.folder;
  request.output_limit = std::size_t{8} << 20;
  const ProcessResult result = run(runner, std::move(request));
  const auto* exited = std::get_if<Exited>(&result.outcome);
  EXPECT_NE(exited, nullptr) << describe(result.outcome);
  return {exited == nullptr ? -1 : exited->code, result.out.text(), result.err.text()};
}

Record record_of(std::vector<std::string> arguments, Ran& ran, const How& how) {
  const auto folder = TemporaryFolder::make();
  EXPECT_TRUE(folder);
  const std::string path = (folder->path() / "record.json").string();
  arguments.insert(std::ranges::find(arguments, "--"), {"--json", path});
  ran = tally(arguments, how);
  const auto text = read_file(path);
  EXPECT_TRUE(text) << ran.err;
  if (!text) return {};
  auto record = record_from_json(*text, path);
  EXPECT_TRUE(record);
  return record ? *std::move(record) : Record{};
}

const CaseRecord& case_of(const Record& record, const std::string& label, const std::string& language) {
  static const CaseRecord none;
  for (const CaseRecord& one : record.cases) {
    if (one.label == std::vector{label} && one.language == language) return one;
  }
  ADD_FAILURE() << "no case " << label << " " << language;
  return none;
}

std::string masked(const std::string& text, const std::string& pattern, const std::string& by) {
  return std::regex_replace(text, std::regex(pattern), by);
}

}  // namespace tally::cli_test
