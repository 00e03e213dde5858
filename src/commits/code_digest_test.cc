#include "commits/code_digest.h"

#include <gtest/gtest.h>

#include "base/digest.h"
#include "base/files.h"
#include "process/real_runner.h"

namespace tally {
namespace {

std::string key(char digit) { return std::string(32, digit); }

struct CodeDigest : testing::Test {
  /// Of a shared object made from this text.
  std::string of(const std::string& text, const std::string& level = "-O1") {
    const std::string source = (folder.path() / "a.c").string();
    const std::string object = (folder.path() / "a.so").string();
    EXPECT_TRUE(write_file(source, text));
    RealProcessRunner runner(TALLY_BUILD_DIR "/libexec/tallymark/tally-supervisor");
    ProcessRequest request;
    request.argv = {"clang-19", level, "-g", "-shared", "-fPIC", "-Wl,--build-id", source, "-o", object};
    request.environment = {{"PATH", "/usr/bin:/bin"}};
    const ProcessResult result = run(runner, std::move(request));
    EXPECT_TRUE(succeeded(result)) << result.err.text();
    return code_digest(*read_file(object));
  }
  static std::string snippet(char digit, const std::string& body) {
    return "void g(int);\nvoid h(int);\nint data = 7;\nvoid tally_" + key(digit) + "(void) { " + body + " }\n";
  }

  TemporaryFolder folder = TemporaryFolder::make().value();
};

TEST_F(CodeDigest, IsOfTheCodeAndNotOfTheKeyInItsNameOrOfItsLines) {
  const std::string one = of(snippet('a', "g(data);"));
  EXPECT_EQ(of(snippet('a', "g(data);")), one);
  EXPECT_EQ(of(snippet('b', "g(data);")), one);
  EXPECT_EQ(of("/* a comment */\n\n" + snippet('c', "g(data);")), one);
}

TEST_F(CodeDigest, ChangesWithCodeDataAndWhoIsCalled) {
  const std::string one = of(snippet('a', "g(data);"));
  EXPECT_NE(of(snippet('a', "g(data + 1);")), one);
  EXPECT_NE(of(snippet('a', "h(data);")), one);
  EXPECT_NE(of(snippet('a', "g(data);"), "-O0"), one);
  EXPECT_NE(of("void g(int);\nvoid h(int);\nint data = 8;\nvoid tally_" + key('a') + "(void) { g(data); }\n"), one);
}

TEST_F(CodeDigest, OfWhatIsNoObjectItIsOfTheBytes) {
  EXPECT_EQ(code_digest("text"), digest("text"));
  std::ignore = of(snippet('a', "g(data);"));
  const std::string whole = *read_file(folder.path() / "a.so");
  for (std::size_t size = 0; size < whole.size(); size += 97) std::ignore = code_digest(whole.substr(0, size));
}

}  // namespace
}  // namespace tally
