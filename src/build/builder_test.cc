#include "build/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "base/files.h"

namespace tally {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::SizeIs;

ProcessResult ended(int code, const std::string& err = {}, const std::string& out = {}) {
  ProcessResult result;
  result.outcome = Exited{code};
  result.err.head = err;
  result.out.head = out;
  return result;
}

Case snippet(const std::string& stmt, const std::string& global = {}) {
  Case c;
  c.id = stmt;
  c.toolchain = "cpp";
  c.stmt.parts = {{stmt, {"suite.toml", 1, 1}}};
  if (!global.empty()) c.global_setup.parts = {{global, {}}};
  return c;
}

/// Plays the compiler: hands the builder what one would have left behind.
class BuilderTest : public testing::Test {
 protected:
  Builder builder(std::span<const Case> cases) {
    BuildOptions options;
    options.snippet_include = "/include";
    options.artifact_driver = "/driver.py";
    return {Cache(root()), options, {{"cpp", toolchain}}, cases};
  }
  fs::path root() const { return folder_->path() / "cache"; }

  static std::vector<BuildTask> ready(Builder& builder) {
    auto tasks = builder.take_ready();
    EXPECT_TRUE(tasks);
    return tasks ? *std::move(tasks) : std::vector<BuildTask>{};
  }
  static std::vector<std::string> names(const std::vector<BuildTask>& tasks) {
    std::vector<std::string> all;
    all.reserve(tasks.size());
    for (const BuildTask& task : tasks) all.push_back(task.what);
    return all;
  }
  void compile_prelude(Builder& builder, const BuildTask& task) {
    const fs::path folder = task.request.working_folder;
    ASSERT_TRUE(write_file(folder / "prelude.out", "precompiled"));
    ASSERT_TRUE(write_file(folder / "prelude.d", "prelude.out: " + header_.string() + "\n"));
    ASSERT_TRUE(builder.finished(task.id, ended(0)));
  }
  void compile(Builder& builder, const BuildTask& task) {
    const fs::path folder = task.request.working_folder;
    ASSERT_TRUE(write_file(folder / "snippet.so", *read_file(folder / "snippet.cc")));
    ASSERT_TRUE(write_file(folder / "snippet.d", "snippet.so: " + own_header_.string() + "\n"));
    ASSERT_TRUE(builder.finished(task.id, ended(0)));
  }
  /// A cache in which the prelude is there.
  void with_prelude() {
    const std::vector<Case> one = {snippet("prelude")};
    Builder first = builder(one);
    compile_prelude(first, ready(first).at(0));
  }

  fs::path file(const std::string& name) {
    const fs::path path = folder_->path() / name;
    EXPECT_TRUE(write_file(path, "text"));
    return path;
  }

  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
  fs::path header_ = file("prelude_part.h");
  fs::path own_header_ = file("own.h");
  ResolvedToolchain toolchain{
      .spec = {.name = "cpp", .cpp = {.flags = {"-O2"}}},
      .compiler = ResolvedCompiler{"/usr/bin/clang++", "clang", true, "-fuse-ld=lld", "LLD 19", {}, "identity"}};
};

TEST_F(BuilderTest, APreludeHasItsInstantiationsWhereTheCompilerCanKeepThem) {
  constexpr const char* kFlag = "-fpch-instantiate-templates";
  const std::vector<Case> cases = {snippet("a;")};
  for (const auto& [version, can] :
       {std::pair{"Debian clang version 19.1.7 (3~deb12u1)", true}, std::pair{"clang version 11.0.0", true},
        std::pair{"Ubuntu clang version 10.0.0-4", false}, std::pair{"clang", false}}) {
    toolchain.compiler->value().version = version;
    Builder one = builder(cases);
    const auto prelude = ready(one);
    ASSERT_THAT(names(prelude), ElementsAre("prelude of cpp")) << version;
    EXPECT_EQ(std::ranges::count(prelude[0].request.argv, kFlag), can ? 1 : 0) << version;
  }
}

TEST_F(BuilderTest, PreludeThenOneBatchThenNothingEverAgain) {
  const std::vector<Case> cases = {snippet("a;"), snippet("b;"), snippet("a;")};
  Builder first = builder(cases);
  const auto prelude = ready(first);
  ASSERT_THAT(names(prelude), ElementsAre("prelude of cpp"));
  EXPECT_THAT(prelude[0].request.argv, Contains("-x"));
  EXPECT_THAT(prelude[0].request.argv, Contains("-I/include"));
  EXPECT_THAT(prelude[0].request.argv, Contains("-fno-pch-timestamp"));
  EXPECT_TRUE(ready(first).empty());
  EXPECT_FALSE(first.done());
  compile_prelude(first, prelude[0]);

  const auto batch = ready(first);
  ASSERT_THAT(names(batch), ElementsAre("2 snippets"));  // equal text is compiled once
  EXPECT_THAT(batch[0].request.argv, Contains("-include-pch"));
  EXPECT_EQ(batch[0].request.argv.back(), "-fuse-ld=lld");
  EXPECT_FALSE(first.built(0));
  compile(first, batch[0]);
  EXPECT_TRUE(first.done());
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(first.built(i)) << i;
    EXPECT_THAT(*read_file(first.built(i)->library), HasSubstr("void " + first.built(i)->symbol + "("));
  }
  EXPECT_EQ(first.built(0)->library, first.built(2)->library);
  EXPECT_NE(first.built(0)->library, first.built(1)->library);
  EXPECT_TRUE(fs::is_empty(root() / "scratch"));

  Builder second = builder(cases);
  EXPECT_TRUE(second.done());
  EXPECT_TRUE(ready(second).empty());
  EXPECT_EQ(second.built(1)->library, first.built(1)->library);
}

TEST_F(BuilderTest, ACaseThatTurnsOutToWorkOnADeviceIsBuiltOnceMore) {
  with_prelude();
  toolchain.spec.device.identify.cpp = "return \"gpu\";";
  const std::vector<Case> cases = {snippet("a;"), snippet("b;")};
  {
    Builder plain = builder(cases);
    compile(plain, ready(plain).at(0));
    EXPECT_FALSE(plain.move_to_device(0)) << "it reports no settings: its text is the same";
    EXPECT_TRUE(plain.built(0));
  }
  toolchain.spec.device.settings.cpp = "return \"a=b\";";
  Builder first = builder(cases);
  EXPECT_TRUE(first.done()) << "where it names none, its text is that of a case on the processor";
  const std::string before = first.built(0)->library;
  EXPECT_TRUE(first.move_to_device(0));
  EXPECT_FALSE(first.built(0));
  EXPECT_FALSE(first.done());
  EXPECT_TRUE(first.built(1));
  const auto again = ready(first);
  ASSERT_THAT(names(again), ElementsAre("a;"));
  compile(first, again[0]);
  ASSERT_TRUE(first.built(0));
  EXPECT_NE(first.built(0)->library, before);
  EXPECT_THAT(*read_file(first.built(0)->library), HasSubstr("a=b"));
  EXPECT_FALSE(first.move_to_device(0)) << "once";

  Builder second = builder(cases);
  EXPECT_TRUE(second.move_to_device(0));
  EXPECT_TRUE(second.built(0)) << "the cache has it";
  EXPECT_EQ(second.built(0)->library, first.built(0)->library);
}

TEST_F(BuilderTest, ABatchThatDoesNotCompileIsBuiltOneByOne) {
  with_prelude();
  const std::vector<Case> cases = {snippet("good;"), snippet("bad;"), snippet("fine;")};
  Builder builder = this->builder(cases);
  const auto batch = ready(builder);
  ASSERT_THAT(names(batch), ElementsAre("3 snippets"));
  ASSERT_TRUE(builder.finished(batch[0].id, ended(1, "suite.toml:1:1: error: bad\n")));
  EXPECT_FALSE(builder.failure(0));  // nobody is blamed yet
  const auto alone = ready(builder);
  ASSERT_THAT(names(alone), ElementsAre("good;", "bad;", "fine;"));
  compile(builder, alone[0]);
  ASSERT_TRUE(builder.finished(alone[1].id, ended(1, "In file included from x\nsuite.toml:1:1: error: bad\n note\n")));
  compile(builder, alone[2]);
  EXPECT_TRUE(builder.done());
  EXPECT_TRUE(builder.built(0) && builder.built(2));
  ASSERT_TRUE(builder.failure(1));
  EXPECT_FALSE(builder.built(1));
  EXPECT_EQ(builder.failure(1)->stage, "build");
  EXPECT_EQ(builder.failure(1)->message, "suite.toml:1:1: error: bad");
  EXPECT_THAT(builder.failure(1)->log, HasSubstr("note"));
}

TEST_F(BuilderTest, ABatchThatTimesOutIsNotTriedTwelveTimesMore) {
  with_prelude();
  const std::vector<Case> cases = {snippet("a;"), snippet("b;")};
  Builder builder = this->builder(cases);
  const auto batch = ready(builder);
  ProcessResult late;
  late.outcome = TimedOut{Milliseconds(300'000)};
  ASSERT_TRUE(builder.finished(batch[0].id, late));
  EXPECT_TRUE(builder.done());
  EXPECT_EQ(builder.failure(0)->message, "timed out after 300 s");
  EXPECT_TRUE(builder.failure(1));
}

TEST_F(BuilderTest, AKilledCompilerIsStartedOnceMore) {
  with_prelude();
  const std::vector<Case> cases = {snippet("a;"), snippet("b;")};
  ProcessResult killed;
  killed.outcome = Signaled{.signal = SIGKILL};
  ProcessResult part_killed = ended(1, "g++: fatal error: Killed signal terminated program cc1plus\n");
  for (const ProcessResult& first : {killed, part_killed}) {
    fs::remove_all(root() / "snippet");
    Builder builder = this->builder(cases);
    const auto batch = ready(builder);
    ASSERT_THAT(names(batch), ElementsAre("2 snippets"));
    ASSERT_TRUE(builder.finished(batch[0].id, first));
    EXPECT_FALSE(builder.done());
    EXPECT_FALSE(builder.failure(0));
    const auto again = ready(builder);
    ASSERT_THAT(names(again), ElementsAre("2 snippets"));
    compile(builder, again[0]);
    EXPECT_TRUE(builder.done());
    EXPECT_TRUE(builder.built(1));
  }
  fs::remove_all(root() / "snippet");
  Builder builder = this->builder(cases);
  ASSERT_TRUE(builder.finished(ready(builder).at(0).id, killed));
  ASSERT_TRUE(builder.finished(ready(builder).at(0).id, killed));
  EXPECT_TRUE(builder.done()) << "not a third time";
  EXPECT_THAT(builder.failure(0)->message, HasSubstr("SIGKILL"));
}

TEST_F(BuilderTest, AFullDiskEndsTheBuildAndIsNoCasesFault) {
  with_prelude();
  const std::vector<Case> cases = {snippet("a;"), snippet("b;")};
  Builder full = builder(cases);
  const auto batch = ready(full);
  ASSERT_EQ(batch.size(), 1U);
  const Status status = full.finished(batch[0].id, ended(1,
                                                         "ld.lld: error: failed to write output '/c/snippet.so': No "
                                                         "space left on device\nclang: error: linker failed\n"));
  ASSERT_FALSE(status);
  EXPECT_EQ(describe(status.error()),
            root().string() +
                ": ld.lld: error: failed to write output '/c/snippet.so': No space left on device; set XDG_CACHE_HOME, "
                "and TMPDIR for compilers, to folders that can be written and have room");
  EXPECT_FALSE(full.failure(0));
  EXPECT_TRUE(fs::is_empty(root() / "scratch"));
}

TEST_F(BuilderTest, WhatACompilerQuotesIsNoFullDisk) {
  const std::vector<Case> cases = {snippet("throw 'No space left on device'")};
  with_prelude();
  Builder wrong = builder(cases);
  const auto batch = ready(wrong);
  ASSERT_TRUE(wrong.finished(batch[0].id, ended(1,
                                                "suite.toml:1:7: error: multi-character constant\n"
                                                "    1 | throw 'No space left on device'\n")));
  EXPECT_TRUE(wrong.failure(0));
}

TEST_F(BuilderTest, ACacheThatCannotBeWrittenSaysWhichVariableNamesIt) {
  const std::vector<Case> cases = {snippet("a;")};
  ASSERT_TRUE(write_file(root(), "a file where the folder should be"));
  Builder refused = builder(cases);
  const auto tasks = refused.take_ready();
  ASSERT_FALSE(tasks);
  EXPECT_EQ(describe(tasks.error()), (root() / "scratch").string() +
                                         ": cannot make the folder: Not a directory; set XDG_CACHE_HOME to a folder "
                                         "that can be written and has room");
}

TEST_F(BuilderTest, BatchesAreForClangAndForCodeWithoutFileScope) {
  with_prelude();
  const std::vector<Case> cases = {snippet("a;"), snippet("b;", "#include <own.h>"), snippet("c;")};
  Builder builder = this->builder(cases);
  const auto tasks = ready(builder);
  ASSERT_THAT(names(tasks), testing::UnorderedElementsAre("b;", "2 snippets"));
  for (const BuildTask& task : tasks) compile(builder, task);
  EXPECT_TRUE(builder.done());

  // Only what has file-scope code is bound to the headers that it read.
  EXPECT_TRUE(this->builder(cases).done());
  ASSERT_TRUE(write_file(own_header_, "changed"));
  Builder after = this->builder(cases);
  EXPECT_THAT(names(ready(after)), ElementsAre("b;"));

  (*toolchain.compiler)->is_clang = false;
  (*toolchain.compiler)->identity = "g++";
  Builder gcc = this->builder(cases);
  const auto prelude = ready(gcc);
  ASSERT_THAT(names(prelude), ElementsAre("prelude of cpp"));
  compile_prelude(gcc, prelude[0]);
  const auto alone = ready(gcc);
  EXPECT_THAT(names(alone), ElementsAre("a;", "b;", "c;"));
  EXPECT_THAT(alone[0].request.argv, Contains("-include"));
}

TEST_F(BuilderTest, LargeSuitesGoInBatchesOfTwelve) {
  with_prelude();
  std::vector<Case> cases;
  cases.reserve(30);
  for (int i = 0; i < 30; ++i) cases.push_back(snippet("f(" + std::to_string(i) + ");"));
  Builder builder = this->builder(cases);
  EXPECT_THAT(names(ready(builder)), ElementsAre("12 snippets", "12 snippets", "6 snippets"));
}

TEST_F(BuilderTest, EveryPartOfTheToolchainIsInTheKey) {
  with_prelude();
  const std::vector<Case> cases = {snippet("a;")};
  const ResolvedToolchain before = toolchain;
  const auto asks_for_a_prelude = [&] {
    Builder builder = this->builder(cases);
    const bool answer = names(ready(builder)) == std::vector<std::string>{"prelude of cpp"};
    toolchain = before;
    return answer;
  };
  EXPECT_FALSE(asks_for_a_prelude());
  toolchain.spec.cpp.flags = {"-O3"};
  EXPECT_TRUE(asks_for_a_prelude());
  toolchain.spec.cpp.include = {"/elsewhere"};
  EXPECT_TRUE(asks_for_a_prelude());
  toolchain.spec.cpp.prelude = {"vector"};
  EXPECT_TRUE(asks_for_a_prelude());
  (*toolchain.compiler)->identity = "another compiler";
  EXPECT_TRUE(asks_for_a_prelude());
  fs::last_write_time(header_, fs::last_write_time(header_) + std::chrono::seconds(1));
  EXPECT_FALSE(asks_for_a_prelude());  // it was installed again
  ASSERT_TRUE(write_file(header_, "changed"));
  EXPECT_TRUE(asks_for_a_prelude());
}

TEST_F(BuilderTest, AHeaderThatChangesWhileItIsCompiledIsCompiledOnceMore) {
  const std::vector<Case> cases = {snippet("a;")};
  Builder builder = this->builder(cases);
  const auto first = ready(builder);
  ASSERT_THAT(names(first), ElementsAre("prelude of cpp"));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // files have the time of the last tick
  ASSERT_TRUE(write_file(header_, "changed"));
  compile_prelude(builder, first[0]);
  const auto second = ready(builder);
  ASSERT_THAT(names(second), ElementsAre("prelude of cpp"));
  compile_prelude(builder, second[0]);
  EXPECT_THAT(names(ready(builder)), ElementsAre("a;"));
}

TEST_F(BuilderTest, NoCompilerOrABrokenPreludeFailsEachCaseWithTheReason) {
  const std::vector<Case> cases = {snippet("a;"), snippet("b;")};
  Builder broken = builder(cases);
  ASSERT_TRUE(broken.finished(ready(broken).at(0).id, ended(1, "x.h:3: error: what\n")));
  EXPECT_TRUE(broken.done());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(broken.failure(i)->stage, "build");
    EXPECT_EQ(broken.failure(i)->message, "the prelude of toolchain 'cpp' does not compile: x.h:3: error: what");
  }
  toolchain.compiler = fail(ErrorKind::missing, "no C++ compiler works");
  const Builder none = builder(cases);
  EXPECT_TRUE(none.done());
  EXPECT_EQ(none.failure(1)->stage, "toolchain");
  EXPECT_EQ(none.failure(1)->message, "no C++ compiler works");
}

TEST_F(BuilderTest, WarmUpCodeComesFirstAndItsFailureHarmsNobody) {
  with_prelude();
  toolchain.spec.texts.warm_up.cpp = "warm();";
  const std::vector<Case> cases = {snippet("a;")};
  Builder builder = this->builder(cases);
  EXPECT_FALSE(builder.warm_up_settled("cpp"));
  const auto tasks = ready(builder);
  ASSERT_THAT(names(tasks), ElementsAre("warm-up of cpp", "a;"));
  ASSERT_TRUE(builder.finished(tasks[0].id, ended(1, "error: no warm\n")));
  EXPECT_TRUE(builder.warm_up_settled("cpp"));
  EXPECT_FALSE(builder.warm_up("cpp"));
  compile(builder, tasks[1]);
  EXPECT_TRUE(builder.built(0));
  EXPECT_TRUE(builder.warm_up_settled("another"));
}

TEST_F(BuilderTest, ModelsAreMadeTogetherAndFailAlone) {
  std::vector<Case> cases(3, snippet(""));
  for (std::size_t i = 0; i < 3; ++i) {
    cases[i].language = Language::python;
    const std::string digest = i == 2 ? "0" : std::to_string(i);
    cases[i].artifact = Artifact{"model_" + digest + ".pt", digest, {{{"script " + digest, {}}}}};
  }
  toolchain.interpreter =
      ResolvedInterpreter{.path = "/usr/bin/python3", .version = "3.11", .identity = "identity", .modules = {}};
  toolchain.spec.python.modules = {"torch"};
  Builder builder = this->builder(cases);
  const auto tasks = ready(builder);
  ASSERT_THAT(names(tasks), ElementsAre("2 artifacts"));
  EXPECT_THAT(tasks[0].request.argv, ElementsAre("/usr/bin/python3", "/driver.py", "torch"));
  EXPECT_THAT(tasks[0].request.environment, Contains(Pair("PYTHONHASHSEED", "0")));
  const fs::path folder = tasks[0].request.working_folder;
  EXPECT_EQ(*read_file(folder / "0/make_model.py"), "script 0");
  EXPECT_THAT(tasks[0].request.stdin_text, HasSubstr("model_1.pt"));
  EXPECT_EQ(tasks[0].request.deadline, Milliseconds(600'000));  // As long as two of them may take.
  ASSERT_TRUE(write_file(folder / "0/model_0.pt", "model"));
  ASSERT_TRUE(write_file(folder / "0/made.json", R"({"seconds": 1.5, "graph_breaks": 0, "compiler": "g++"})"));
  ASSERT_TRUE(
      builder.finished(tasks[0].id, ended(0, "",
                                          "{\"index\": 0, \"error\": \"\"}\nnoise\n"
                                          "{\"index\": 1, \"error\": \"Traceback (most recent call last):\\n  x\\n"
                                          "RuntimeError: \\nundefined value foo:\\n  File \\\"f.py\\\", line 1\\n"
                                          "    ~~~ <--- HERE\\n\"}\n")));
  EXPECT_TRUE(builder.done());
  EXPECT_TRUE(fs::exists(fs::path(builder.built(0)->folder) / "model_0.pt"));
  EXPECT_EQ(builder.built(2)->folder, builder.built(0)->folder);
  EXPECT_THAT(builder.built(2)->making, ElementsAre(Pair("graph_breaks", 0), Pair("seconds", 1.5)));
  EXPECT_EQ(builder.built(0)->library, "");
  EXPECT_EQ(builder.failure(1)->stage, "artifact");
  EXPECT_EQ(builder.failure(1)->message, "RuntimeError: undefined value foo");
  EXPECT_THAT(builder.failure(1)->log, HasSubstr("Traceback"));
}

TEST_F(BuilderTest, ARuntimeThatIsNotAvailableFailsAtOnceInItsLanguage) {
  with_prelude();
  std::vector<Case> cases(2, snippet("a;"));
  for (Case& one : cases) one.runtime = "traced";
  cases[1].language = Language::python;
  cases[1].artifact = Artifact{"model_0.pt", "0", {{{"script", {}}}}};
  toolchain.interpreter =
      ResolvedInterpreter{.path = "/usr/bin/python3", .version = "3.11", .identity = "identity", .modules = {}};
  toolchain.no_runtime["traced"].cpp = "it is too old";
  Builder builder = this->builder(cases);
  EXPECT_EQ(builder.failure(0)->stage, "toolchain");
  EXPECT_EQ(builder.failure(0)->message, "no traced cases in C++ with toolchain 'cpp': it is too old");
  EXPECT_THAT(names(ready(builder)), ElementsAre("1 artifacts"));
}

TEST_F(BuilderTest, AnArtifactIsOfTheLibrariesThatItWasMadeWith) {
  Case one = snippet("");
  one.language = Language::python;
  one.artifact = Artifact{"model_0.pt", "0", {{{"script", {}}}}};
  toolchain.interpreter =
      ResolvedInterpreter{.path = "/usr/bin/python3", .version = "3.11", .identity = "identity", .modules = {}};
  std::set<std::string> folders;
  const auto made = [&] {
    const std::vector<Case> cases = {one};
    Builder builder = this->builder(cases);
    const auto tasks = ready(builder);
    EXPECT_THAT(tasks, SizeIs(1));
    const fs::path folder = tasks[0].request.working_folder;
    EXPECT_TRUE(write_file(folder / "0/model_0.pt", "model"));
    EXPECT_TRUE(builder.finished(tasks[0].id, ended(0, "", "{\"index\": 0, \"error\": \"\"}\n")));
    folders.insert(builder.built(0)->folder);
  };
  made();
  toolchain.facts["library.version"] = "2";
  made();
  toolchain.spec.cpp.preload = {(folder_->path() / "library.so").string()};
  made();
  ASSERT_TRUE(write_file(toolchain.spec.cpp.preload[0], "rebuilt"));
  made();
  EXPECT_THAT(folders, SizeIs(4));
}

TEST_F(BuilderTest, AStrangersEndIsOurBug) {
  const std::vector<Case> cases = {snippet("a;")};
  Builder builder = this->builder(cases);
  const Status status = builder.finished(99, ended(0));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::internal);
}

}  // namespace
}  // namespace tally
