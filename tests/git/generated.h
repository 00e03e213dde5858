/// A git repository made up by a test: its own name and address, nothing of the developer's configuration.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "process/real_runner.h"

namespace tally::git_test {

class GeneratedRepository {
 public:
  GeneratedRepository() : folder_(TemporaryFolder::make().value()) {
    git({"init", "--quiet", "--initial-branch=main"});
  }

  [[nodiscard]] std::string top() const { return std::filesystem::canonical(folder_.path()).string(); }
  [[nodiscard]] std::string path(const std::string& name) const { return top() + "/" + name; }

  /// What it printed, without white space around it.
  std::string git(std::vector<std::string> arguments) const {
    RealProcessRunner runner(TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor");
    ProcessRequest request;
    request.argv = std::move(arguments);
    request.argv.insert(request.argv.begin(), {"git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-C",
                                               folder_.path().string()});
    request.environment = {{"PATH", "/usr/bin:/bin"}, {"GIT_CONFIG_GLOBAL", "/dev/null"}};
    const ProcessResult result = run(runner, std::move(request));
    EXPECT_TRUE(succeeded(result)) << result.err.text();
    return std::string(trim(result.out.text()));
  }

  void write(const std::string& name, const std::string& text) const { ASSERT_TRUE(write_file(path(name), text)); }

  /// Everything as it stands; the commit's id.
  [[nodiscard]] std::string commit(const std::string& title) const {
    git({"add", "--all"});
    git({"commit", "--quiet", "--allow-empty", "--message", title});
    return git({"rev-parse", "HEAD"});
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace tally::git_test
