/// What a record says was measured is what the processes had really loaded: of PyTorch, in both languages.
#include "comparison/comparison.h"
#include "harness.h"

namespace tally::cli_test {
namespace {

using ::testing::Contains;
using ::testing::SizeIs;

constexpr const char* kTorch = "/usr/lib/python3/dist-packages/torch";

class SubjectTest : public ::testing::Test {
 protected:
  /// One case in each language, natively: what is loaded is loaded in either mode.
  std::string measure(const std::string& name, EnvironmentVariables more) {
    How how;
    how.more = std::move(more);
    const std::string path = folder_->path() / (name + ".json");
    const Ran ran = tally({"run", "suites/torch_quick.toml", "--wall-only", "--max-run-time", "0.01", "--filter",
                           "Pointwise/Math/multiply*", "--json", path},
                          how);
    EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
    return path;
  }
  static Record read(const std::string& path) {
    auto record = record_from_json(read_file(path).value(), path);
    EXPECT_TRUE(record);
    EXPECT_THAT(record->environments, SizeIs(2));
    return *std::move(record);
  }
  static const std::map<std::string, std::string>& subject(const Record& record, const std::string& language) {
    return record.environments.at("torch [" + language + "]").subject;
  }
  /// The name of the library that begins so: its version differs from release to release.
  static std::string library(const Record& record, const std::string& begin) {
    for (const auto& [file, digest] : subject(record, "cpp")) {
      if (file.starts_with(begin)) return file;
    }
    ADD_FAILURE() << "none is called " << begin;
    return {};
  }

  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

TEST_F(SubjectTest, BothLanguagesNameTheSameLibrariesByContent) {
  const Record record = read(measure("plain", {}));
  const auto& cpp = subject(record, "cpp");
  const auto& python = subject(record, "python");
  int shared = 0;
  for (const auto& [file, digest] : cpp) {
    if (!file.starts_with("libtorch") && !file.starts_with("libc10")) continue;
    ++shared;
    EXPECT_EQ(digest, python.at(file)) << file;
    EXPECT_THAT(digest, SizeIs(32)) << file;
  }
  EXPECT_GE(shared, 3) << "libtorch, libtorch_cpu, libc10";
  EXPECT_TRUE(python.contains("torch/**.py"));
}

/// Of the same version, and found by the loader first.
TEST_F(SubjectTest, ASecondLibraryOnTheLoadersPathIsSeenInBothLanguages) {
  const fs::path planted = folder_->path() / "planted";
  fs::create_directories(planted);
  const Record plain = read(measure("plain", {}));
  const std::string name = library(plain, "libc10.so.");
  const std::string beside = library(plain, "libtorch_cpu.so.");
  const fs::path original = fs::path("/usr/lib/x86_64-linux-gnu") / name;
  ASSERT_TRUE(fs::exists(original)) << original;
  ASSERT_TRUE(write_file(planted / original.filename(), read_file(original).value() + "built otherwise"));
  fs::create_symlink(name, planted / name.substr(0, name.rfind('.')));  // libc10.so.1.13 is libc10.so.1.13.0
  const std::string path = measure("planted", {{"LD_LIBRARY_PATH", planted.string()}});
  const Record other = read(path);
  for (const char* language : {"cpp", "python"}) {
    EXPECT_NE(subject(plain, language).at(name), subject(other, language).at(name)) << language;
    EXPECT_EQ(subject(plain, language).at(beside), subject(other, language).at(beside));
  }
  EXPECT_NE(plain.fingerprint.subject, other.fingerprint.subject);
  const Comparison comparison = compare(plain, other, {});
  ASSERT_THAT(comparison.cases, SizeIs(2));
  for (const CaseComparison& one : comparison.cases) {
    EXPECT_THAT(one.subject_changes, Contains(::testing::StartsWith(name + ": ")));
    EXPECT_THAT(one.subject_changes, SizeIs(1));
  }
}

TEST_F(SubjectTest, AChangedSourceInAModulesFolderIsSeenAndNamed) {
  const fs::path copy = folder_->path() / "modules" / "torch";
  fs::create_directories(copy.parent_path());
  fs::copy(kTorch, copy, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  for (const char* name : {"bin", "include", "lib"}) {  // of links that are relative to where they were
    fs::remove_all(copy / name);
    fs::create_directory_symlink(fs::path(kTorch) / name, copy / name);
  }
  const EnvironmentVariables there = {{"PYTHONPATH", copy.parent_path().string()}};
  const std::string before = measure("before", there);
  const std::string text = read_file(copy / "functional.py").value();
  ASSERT_TRUE(write_file(copy / "functional.py", text + "\nslower = True\n"));
  const std::string after = measure("after", there);
  EXPECT_NE(read(before).fingerprint.subject, read(after).fingerprint.subject);
  EXPECT_EQ(read(before).environments.at("torch [python]").facts, read(after).environments.at("torch [python]").facts);
  const Ran compared = tally({"compare", before, after, "--json"});
  EXPECT_EQ(compared.code, 0) << compared.err;
  EXPECT_NE(compared.out.find("torch/functional.py: changed"), std::string::npos) << compared.out;
  EXPECT_EQ(compared.out.find("_tensor.py"), std::string::npos);
}

/// A suite whose toolchain discovers with this text.
Ran discovering(const std::string& text, const fs::path& folder) {
  const fs::path path = folder / "suite.toml";
  EXPECT_TRUE(write_file(path, "schema = 1\n[toolchain.found]\nrequires = ['json']\ndiscover = '''\n" + text +
                                   "'''\n[[benchmark]]\nlabel = ['sum']\npy = 'sum((1, 2))'\n"
                                   "cpp = 'int sum = kOne + 2; tally::keep(sum);'\n"));
  return tally({"run", path.string(), "--wall-only", "--max-run-time", "0.01"});
}

TEST(Discover, WhatItFindsIsWhatCppIsBuiltWith) {
  const auto folder = TemporaryFolder::make();
  const Ran built = discovering("found['flags'] = ['-std=c++20', '-DkOne=1']", folder->path());
  EXPECT_EQ(built.code, 0) << built.err << built.out;
}

TEST(Discover, WhereThereIsNoCppItsCasesSaySoAndPythonContinues) {
  const auto folder = TemporaryFolder::make();
  const Ran without = discovering("found['no_cpp'] = 'its headers are not installed'", folder->path());
  EXPECT_EQ(without.code, 1);
  EXPECT_NE(without.out.find("its headers are not installed"), std::string::npos) << without.out;
  EXPECT_NE(without.out.find("2 cases: 1 ok, 1 failed"), std::string::npos) << without.out;
}

TEST(Discover, WhatItHasNotFoundIsRequestedAgainOnceThatIsThere) {
  const auto folder = TemporaryFolder::make();
  const std::string header = (folder->path() / "found.h").string();
  const std::string text = "found['flags'] = ['-std=c++20', '-DkOne=1']\ntry:\n    open('" + header +
                           "')\nexcept OSError:\n    found['no_cpp'] = 'its headers are not installed'\n";
  EXPECT_EQ(discovering(text, folder->path()).code, 1);
  ASSERT_TRUE(write_file(header, ""));
  const Ran there = discovering(text, folder->path());
  EXPECT_EQ(there.code, 0) << there.err << there.out;
  fs::remove(header);
  EXPECT_EQ(discovering(text, folder->path()).code, 1);
}

TEST(Discover, TheVariablesThatItFindsAreThoseOfBothHostsAndFacts) {
  const auto folder = TemporaryFolder::make();
  const fs::path suite = folder->path() / "suite.toml";
  ASSERT_TRUE(write_file(suite, R"toml(
schema = 1
[toolchain.found]
requires = ["json"]
environment = { MY_FIXED = "yes", MY_MODE = "own" }
discover = """
import os
found["environment"] = {"MY_FOUND": os.environ["MY_FIXED"], "MY_MODE": "found"}
"""
[[benchmark]]
label = "reads its environment"
setup = { py = "import os" }
py = 'assert [os.environ["MY_" + x] for x in ("FIXED", "FOUND", "MODE")] == ["yes", "yes", "own"]'
cpp = """
const std::string all = std::string(std::getenv("MY_FIXED")) + std::getenv("MY_FOUND") + std::getenv("MY_MODE");
if (all != "yesyesown") throw std::runtime_error(all);
tally::keep(all.size());
"""
)toml"));
  const std::string record = (folder->path() / "record.json").string();
  const Ran ran = tally({"run", suite.string(), "--wall-only", "--max-run-time", "0.01", "--json", record});
  EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
  const Result<Record> written = record_from_json(read_file(record).value(), record);
  ASSERT_TRUE(written);
  for (const char* name : {"found [python]", "found [cpp]"}) {
    const auto& facts = written->environments.at(name).facts;
    EXPECT_EQ(facts.at("variable.MY_FOUND"), "yes");
    EXPECT_EQ(facts.at("variable.MY_MODE"), "own");
  }
}

TEST(Discover, WhereARuntimeIsNotToBeHadItsCasesSaySo) {
  const auto folder = TemporaryFolder::make();
  const fs::path path = folder->path() / "suite.toml";
  ASSERT_TRUE(write_file(path, R"toml(schema = 1
[toolchain.found]
requires = ['json']
discover = "found['no_runtime'] = {'traced': {'py': 'json is too old', 'cpp': ''}}"
[toolchain.found.runtime.traced]
file = "${digest}"
statement = "${statement}"
model = "${model}"
save = 'open("${file}", "w")'
call.py = "sum((1, 2))"
[[benchmark]]
label = ['sum']
py = 'y = sum((1, 2))'
signature = 'f() -> y'
traced = true
)toml"));
  const Ran ran = tally({"run", path.string(), "--wall-only", "--max-run-time", "0.01"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.out.find("no traced cases in Python with toolchain 'found': json is too old"), std::string::npos)
      << ran.out << ran.err;
  EXPECT_NE(ran.out.find("2 cases: 1 ok, 1 failed"), std::string::npos) << ran.out;
}

TEST(Discover, AMistakeInItIsOneErrorWithThePlace) {
  const auto folder = TemporaryFolder::make();
  const Ran unknown = discovering("found['includes'] = []", folder->path());
  EXPECT_EQ(unknown.code, 2) << unknown.out;
  EXPECT_NE(unknown.err.find("'discover' has found 'includes', which is unknown"), std::string::npos) << unknown.err;
  for (const auto& [text, error] :
       {std::pair{"'MY_MODE=1'", "'discover' has found an environment that is none: it is not a dictionary"},
        {"{'MY_THREADS': 4}",
         "'discover' has found an environment that is none: the value of 'MY_THREADS' is not text"},
        {"{'PATH': '/bin'}", "'discover' has found an environment: 'PATH' is not for a toolchain to set"}}) {
    const Ran wrong = discovering(std::string("found['environment'] = ") + text, folder->path());
    EXPECT_EQ(wrong.code, 2) << wrong.out;
    EXPECT_NE(wrong.err.find(error), std::string::npos) << wrong.err;
  }
  const Ran raises = discovering("found['flags'] = json.nothing", folder->path());
  EXPECT_EQ(raises.code, 2);
  EXPECT_NE(raises.err.find("has no attribute 'nothing'"), std::string::npos) << raises.err;
}

}  // namespace
}  // namespace tally::cli_test
