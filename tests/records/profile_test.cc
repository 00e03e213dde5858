#include "cli/profile_command.h"

#include "base/golden.h"
#include "files.h"
#include "profile/store.h"

namespace tally::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kExample =
    "events: Ir Dr\nob=/usr/bin/python3.11\nfl=ceval.c\nfn=_PyEval_EvalFrameDefault\n1 700 "
    "3\ncfn=_Py_dict_lookup\ncalls=2 0\n1 300 1\n"
    "fn=_Py_dict_lookup\n2 300 1\ntotals: 1000 4\n";

class ProfileCommand : public Files {
 protected:
  int profile(const ProfileCommandOptions& options) {
    out.str("");
    err.str("");
    return run_profile({}, options, out, err);
  }
};

TEST_F(ProfileCommand, ShowsFunctionsAndLeavesNoiseOut) {
  ProfileCommandOptions options;
  options.file = write("callgrind.out", kExample);
  EXPECT_EQ(profile(options), 0);
  EXPECT_THAT(out.str(), HasSubstr("700   70 %         python3.11  _PyEval_EvalFrameDefault"));
  options.inclusive = true;
  EXPECT_EQ(profile(options), 0);
  EXPECT_THAT(out.str(), HasSubstr("1,000  100 %         python3.11  _PyEval_EvalFrameDefault"));
  options.inclusive = false;
  options.denoise = true;
  EXPECT_EQ(profile(options), 0);
  EXPECT_THAT(out.str(), Not(HasSubstr("_Py_dict_lookup")));
  options.event = "Dr";
  options.by = "object";
  options.denoise = false;
  EXPECT_EQ(profile(options), 0);
  EXPECT_THAT(out.str(), HasSubstr("100 %  python3.11"));
}

TEST_F(ProfileCommand, IsGolden) {
  ProfileCommandOptions options;
  options.file = write("callgrind.out", kExample);
  ASSERT_EQ(profile(options), 0);
  expect_golden("cli/profile.txt", out.str());
  options.by = "object";
  options.json = true;
  out.str("");
  ASSERT_EQ(profile(options), 0);
  expect_golden("cli/profile.json", out.str());
}

TEST_F(ProfileCommand, LinesAreGolden) {
  StoredProfile stored;
  stored.lines = LineCosts{.lines = {{{"suite.toml", 2}, 700},
                                     {{"/home/me/a/work.h", 9}, 60},
                                     {{"/home/me/b/work.h", 9}, 40},
                                     {{"/home/me/b/work.cc", 1}, 1}},
                           .elsewhere = {{"/usr/lib/x86_64-linux-gnu/libc.so.6", 199}},
                           .sources = {{"suite.toml", "d1"}},
                           .newer = {"/home/me/b/work.cc"}};
  ProfileCommandOptions options;
  options.file = write("profiles/p.json", to_json(stored));
  options.view = ProfileView::lines;
  write("profiles/sources/d1", "schema = 1\n  std::sort(v.begin(), v.end());\n");
  ASSERT_EQ(profile(options), 0) << err.str();
  expect_golden("cli/profile_lines.txt", out.str());
  options.json = true;
  options.top = 2;
  ASSERT_EQ(profile(options), 0);
  expect_golden("cli/profile_lines.json", out.str());

  // Against a base: twice the iterations, another folder, the line further up and written otherwise.
  stored.iterations = 2;
  stored.lines->lines = {{{"suite.toml", 1}, 1000}, {{"/home/me/b/work.h", 9}, 80}};
  stored.lines->sources = {{"suite.toml", "d0"}};
  options.base = write("base/p.json", to_json(stored));
  write("base/sources/d0", "  std::stable_sort(v.begin(), v.end());\n");
  options.top = 0;
  options.json = false;
  out.str("");
  ASSERT_EQ(profile(options), 0) << err.str();
  expect_golden("cli/profile_lines_base.txt", out.str());
  options.json = true;
  out.str("");
  ASSERT_EQ(profile(options), 0) << err.str();
  expect_golden("cli/profile_lines_base.json", out.str());
}

TEST_F(ProfileCommand, LinesOfAProfileThatHasNone) {
  ProfileCommandOptions options;
  options.file = write("callgrind.out", kExample);
  options.view = ProfileView::lines;
  EXPECT_EQ(profile(options), 2);
  EXPECT_THAT(err.str(), HasSubstr("no source lines were kept"));
  options.inclusive = true;
  EXPECT_EQ(profile(options), 2);
  EXPECT_THAT(err.str(), HasSubstr("--lines shows own instructions"));
}

TEST_F(ProfileCommand, SubtractsABase) {
  ProfileCommandOptions options;
  options.file = write("callgrind.out", kExample);
  options.base = options.file;
  options.json = true;
  EXPECT_EQ(profile(options), 0);
  EXPECT_THAT(out.str(), HasSubstr("\"functions\": []"));
}

TEST_F(ProfileCommand, OneCaseOfARecord) {
  CaseRecord one = example_case("Pointwise/add [cpp]");
  one.profile = "p.out";
  write("p.out", kExample);
  ProfileCommandOptions options;
  options.file = record("record.json", {one, example_case("Pointwise/mul [cpp]")}) + "#add";
  EXPECT_EQ(profile(options), 0) << err.str();
  EXPECT_THAT(out.str(), HasSubstr("_PyEval_EvalFrameDefault"));
  options.file = path("record.json") + "#mul";
  EXPECT_EQ(profile(options), 2);
  EXPECT_THAT(err.str(), HasSubstr("tally run --profiles"));
  options.file = path("record.json") + "#Pointwise";
  EXPECT_EQ(profile(options), 2);
  EXPECT_THAT(err.str(), HasSubstr("means 2 cases"));
  options.file = path("record.json");
  EXPECT_EQ(profile(options), 2);
  EXPECT_THAT(err.str(), HasSubstr("this is a record, not a profile"));
}

TEST_F(ProfileCommand, ExportsAndReportsACutFile) {
  ProfileCommandOptions options;
  options.file = write("callgrind.out", std::string(kExample).substr(0, 150));
  options.export_as = "collapsed";
  EXPECT_EQ(profile(options), 0);
  EXPECT_THAT(err.str(), HasSubstr("the file is cut off"));
  EXPECT_THAT(out.str(), HasSubstr("_PyEval_EvalFrameDefault"));
  options.export_as = "speedscope";
  options.output = path("out.json");
  EXPECT_EQ(profile(options), 0);
  EXPECT_THAT(read("out.json"), HasSubstr("speedscope.app"));
}

TEST_F(ProfileCommand, ListsItsRules) {
  ProfileCommandOptions options;
  options.list_rules = true;
  EXPECT_EQ(profile(options), 0);
  EXPECT_THAT(out.str(), HasSubstr("dict-probing: how often"));
}

}  // namespace
}  // namespace tally::cli
