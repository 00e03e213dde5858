/// --env-command with what a virtual environment is made of, and environments that do not import what they should.
#include <sys/stat.h>

#include "execution/command.h"

namespace tally::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

/// A virtual environment in which, and only in which, a module is to be found.
class EnvironmentsTest : public CommandTest {
 protected:
  EnvironmentsTest() {
    fs::create_directories(path("venv/bin"));
    fs::create_symlink("/usr/bin/python3", path("venv/bin/python3"));
    write("venv/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = false\n");
    write("venv/bin/activate", "export VIRTUAL_ENV='" + path("venv") + "'\nexport PATH=\"$VIRTUAL_ENV/bin:$PATH\"\n" +
                                   "export OMP_NUM_THREADS=3 KMP_BLOCKTIME=7 SECRET=1\n");
    // Debian's minor version is in the path.
    for (const auto& entry : fs::directory_iterator("/usr/lib")) {
      const std::string name = entry.path().filename();
      if (!name.starts_with("python3.")) continue;
      packages_.push_back("venv/lib/" + name + "/site-packages/");
      fs::create_directories(path(packages_.back()));
    }
    module("value = 7\n");
    write("suite.toml", R"(schema = 1
[defaults]
toolchain = "mine"
[toolchain.mine]
extends = "python"
python = ["python3"]
requires = ["only_in_the_venv"]
[[benchmark]]
label = ["a"]
py = "only_in_the_venv.value + x"
setup = { py = """
import os, sys
x = 1
assert sys.prefix == os.environ["VIRTUAL_ENV"], sys.prefix
assert os.environ["OMP_NUM_THREADS"] == "3" and os.environ["KMP_BLOCKTIME"] == "7"
assert os.environ["MKL_DYNAMIC"] == "FALSE" and os.environ["OMP_DYNAMIC"] == "false"
assert "SECRET" not in os.environ
""" }
[[benchmark]]
label = ["b"]
cpp = "tally::keep(1);"
toolchain = "cpp"
)");
  }
  void module(const std::string& text) const {
    for (const std::string& folder : packages_) write(folder + "only_in_the_venv.py", text);
  }
  std::string activate() const { return "source '" + path("venv") + "/bin/activate'"; }

  std::vector<std::string> packages_;
};

TEST_F(EnvironmentsTest, AnActivatedOneIsWhatCasesAndTheirSettingsSee) {
  ASSERT_EQ(run({"--json", "r.json", "--wall-only", "--env-command", activate()}), 0) << read("output");
  const nlohmann::json facts = record("r.json")["environments"]["mine [python]"]["facts"];
  EXPECT_EQ(facts["variable.OMP_NUM_THREADS"], "3");
  EXPECT_EQ(facts["variable.KMP_BLOCKTIME"], "7") << "the user's own";
  EXPECT_EQ(facts["variable.MKL_DYNAMIC"], "FALSE");
  EXPECT_EQ(facts["variable.OMP_WAIT_POLICY"], "passive");
}

/// jsonschema is Debian's, and not in the environment. What was requested is measured, or nothing is.
TEST_F(EnvironmentsTest, WhereTheActivatedOneIsPassedOverItIsReportedAndWhereItWasRequestedItIsAnError) {
  write("suite.toml", R"(schema = 1
[toolchain.mine]
extends = "python"
python = ["python3", "/usr/bin/python3"]
requires = ["jsonschema"]
[[benchmark]]
label = ["a"]
toolchain = "mine"
py = "x = 1"
)");
  const std::string interpreter = path("venv") + "/bin/python3 has no module jsonschema";
  EXPECT_EQ(run({"--wall-only", "--env-command", activate()}), 2);
  EXPECT_THAT(read("output"), HasSubstr("the environment of --env-command has no interpreter for toolchain 'mine': " +
                                        interpreter + "; install jsonschema in it"));
  write("activated", "#!/bin/sh\n" + activate().replace(0, 6, ".") + "\nexec '" + tally_ + "' \"$@\"\n");
  fs::permissions(path("activated"), fs::perms::owner_all);
  tally_ = path("activated");
  EXPECT_EQ(run({"--wall-only"}), 0) << read("output");
  EXPECT_THAT(read("output"), HasSubstr("takes /usr/bin/python3, not the activated environment's: " + interpreter));
}

/// A team that is counted sleeps while it waits; one that is timed waits as in the user's own program.
TEST_F(EnvironmentsTest, TeamsSpinWhereTimeIsTaken) {
  write("suite.toml", R"(schema = 1
toolchain = "python"
[[benchmark]]
label = ["counted"]
setup = { py = "import os" }
py = 'assert os.environ["OMP_WAIT_POLICY"] == "passive" and "GOMP_SPINCOUNT" not in os.environ'
[[benchmark]]
label = ["timed"]
setup = { py = "import os" }
py = 'assert os.environ["OMP_WAIT_POLICY"] == "active" and os.environ["GOMP_SPINCOUNT"] == "300000"'
[[benchmark]]
label = ["kept"]
setup = { py = "import os" }
py = 'assert os.environ["OMP_WAIT_POLICY"] == "mine" and "GOMP_SPINCOUNT" not in os.environ'
)");
  EXPECT_EQ(run({"--counts-only", "--filter", "counted*"}), 0) << read("output");
  EXPECT_EQ(run({"--wall-only", "--filter", "timed*"}), 0) << read("output");
  EXPECT_EQ(run({"--filter", "kept*", "--env-command", "export OMP_WAIT_POLICY=mine", "--keep-env", "OMP_WAIT_POLICY"}),
            0)
      << read("output");
}

TEST_F(EnvironmentsTest, ARequestedOneThatCannotImportIsTheOnlyError) {
  module("raise RuntimeError('broken on purpose')\n");
  EXPECT_EQ(run({"--json", "r.json", "--wall-only", "--env-command", activate()}), 2);
  EXPECT_THAT(read("output"), AllOf(HasSubstr("cannot import only_in_the_venv in the environment that cases get: "
                                              "RuntimeError: broken on purpose"),
                                    HasSubstr("toolchain 'mine'"), Not(HasSubstr("["))));
  EXPECT_FALSE(fs::exists(path("r.json")));
  EXPECT_FALSE(fs::exists(path("r.json.journal")));
  // A failure is not remembered.
  module("value = 8\n");
  EXPECT_EQ(run({"--json", "r.json", "--wall-only", "--env-command", activate()}), 0) << read("output");
}

TEST_F(EnvironmentsTest, ATextThatFailsIsTheOnlyError) {
  EXPECT_EQ(run({"--json", "r.json", "--wall-only", "--env-command", "source /no/venv/bin/activate"}), 2);
  EXPECT_THAT(read("output"), AllOf(HasSubstr("the environment command exited with code 1"), Not(HasSubstr("["))));
}

TEST_F(EnvironmentsTest, AFolderOfDataThatHasAModulesNameIsNoModule) {
  fs::create_directories(path("only_in_the_venv/data"));
  EXPECT_EQ(run({"--json", "r.json", "--wall-only"}), 1);
  EXPECT_THAT(read("output"), HasSubstr("has no module only_in_the_venv"));
}

TEST_F(EnvironmentsTest, OneThatAToolchainChoseFailsItsOwnCases) {
  EXPECT_EQ(run({"--json", "r.json", "--wall-only"}), 1);
  EXPECT_THAT(read("output"), HasSubstr("has no module only_in_the_venv"));
  const nlohmann::json cases = record("r.json")["cases"];
  EXPECT_EQ(cases[0]["status"], "failed");
  EXPECT_EQ(cases[1]["status"], "ok");
  EXPECT_EQ(run({"--json", "r.json", "--wall-only", "--filter", "language=python"}), 2) << "nothing is left to do";
}

/// A module that is to be found from the user's folder only, and is neither a folder nor a .py file.
TEST_F(EnvironmentsTest, AnExtensionInTheWorkingFolderIsFound) {
  write("only_here.c", R"(#include <Python.h>
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "only_here", 0, -1, 0, 0, 0, 0, 0};
PyMODINIT_FUNC PyInit_only_here(void) { return PyModule_Create(&module); }
)");
  const std::string compile = "cd '" + folder_ +
                              "' && cc -shared -fPIC -DPy_LIMITED_API=0x03080000 -I\"$(/usr/bin/python3 -c 'import "
                              "sysconfig; print(sysconfig.get_path(\"include\"))')\" only_here.c -o only_here.abi3.so";
  ASSERT_EQ(std::system(compile.c_str()), 0);  // NOLINT: a test may use a shell
  write("suite.toml", R"(schema = 1
[toolchain.mine]
extends = "python"
python = ["/usr/bin/python3"]
requires = ["only_here"]
[[benchmark]]
label = ["a"]
py = "only_here.__name__"
)");
  EXPECT_EQ(run({"--json", "r.json", "--wall-only"}), 0) << read("output");
}

/// The interpreter keeps a list of the files of each folder that it looks through: those of the user's come and go.
TEST_F(EnvironmentsTest, AFileThatIsNoModuleDoesNotMakeItStartInTheWorkingFolder) {
  write("wave.data", "");
  write("suite.toml", R"(schema = 1
[toolchain.mine]
extends = "python"
python = ["/usr/bin/python3"]
requires = ["wave"]
[[benchmark]]
label = ["a"]
setup = { py = "import os, sys\nassert os.getcwd() not in sys.path_importer_cache" }
py = "wave.__name__"
)");
  EXPECT_EQ(run({"--json", "r.json", "--wall-only"}), 0) << read("output");
  write("wave.py", "");
  EXPECT_EQ(run({"--json", "r.json", "--wall-only"}), 1) << "it would find that one";
}

}  // namespace
}  // namespace tally::testing
