/// Benchmark programs for the tests of the built command.
#pragma once

#include "harness.h"

namespace tally::cli_test {

struct Making {
  std::string source = "known_work";
  std::string compiler = "clang++-19";
  std::string level = "-O2";
  std::string standard = "-std=c++17";
  std::string below = {};  ///< Where in its folder it lies.
  std::string name = {};   ///< Of the executable; empty: the source's.
  std::string define = {};
  std::string library = "embedded/libtallymark_bench.a";  ///< Below the build's host folder; or a "-l" of the system.
};

/// A program of tests/programs, as somebody's compiler makes it.
class Program {
 public:
  explicit Program(const Making& how = {}) {
    fs::create_directories(folder_.path() / how.below);
    path_ = (folder_.path() / how.below / (how.name.empty() ? how.source : how.name)).string();
    RealProcessRunner runner(TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor");
    ProcessRequest request;
    request.argv = {how.compiler,
                    how.level,
                    how.standard,
                    "-Wall",
                    "-Wextra",
                    "-Wpedantic",
                    "-Wconversion",
                    "-Wshadow",
                    "-Werror",
                    how.library.front() == '-' ? "-DNDEBUG" : "-I" TALLY_SOURCE_DIR "/include",
                    std::string(TALLY_SOURCE_DIR "/tests/programs/") + how.source + ".cc",
                    how.library.front() == '-' ? how.library : TALLY_BUILD_DIR "/host/" + how.library,
                    "-Wl,-z,now",
                    "-o",
                    path_};
    if (how.library.starts_with("facade/")) request.argv.push_back("-I" TALLY_SOURCE_DIR "/include/tallymark/google");
    if (!how.define.empty()) request.argv.push_back("-D" + how.define);
    request.environment = {{"PATH", How().path}};
    const ProcessResult result = run(runner, std::move(request));
    EXPECT_TRUE(succeeded(result)) << result.err.text();
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  TemporaryFolder folder_ = TemporaryFolder::make().value();
  std::string path_;
};

inline const CaseRecord& case_with(const Record& record, const std::string& id) {
  static const CaseRecord none;
  for (const CaseRecord& one : record.cases) {
    if (one.id == id) return one;
  }
  ADD_FAILURE() << "no case " << id;
  return none;
}

}  // namespace tally::cli_test
