#include "build/named_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"

namespace tally {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class NamedFiles : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    const fs::path path = folder_->path() / name;
    fs::create_directories(path.parent_path());
    EXPECT_TRUE(write_file(path, text));
    return path.string();
  }
  std::vector<std::string> named(const std::vector<std::string>& arguments) {
    return files_named_in(arguments, folder_->path().string());
  }
  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

TEST_F(NamedFiles, OptionsNameThemInEachForm) {
  const std::string profile = file("code.profdata", "");
  const std::string map = file("names.map", "");
  EXPECT_THAT(named({"-O2", "-fprofile-use=" + profile, "-Wl,--version-script=names.map"}), ElementsAre(profile, map));
  EXPECT_THAT(named({"-T", map}), ElementsAre(map));
  EXPECT_THAT(named({"-O2", "-DN=1", "-I/usr/include", "-Wl,-z,now", ""}), IsEmpty());
}

TEST_F(NamedFiles, AResponseFileNamesOthersInTurn) {
  const std::string specs = file("own.specs", "");
  const std::string inner = file("inner.rsp", "-O2\n-specs=own.specs @outer.rsp");
  const std::string outer = file("outer.rsp", "-DN=100 \"@inner.rsp\"");
  EXPECT_THAT(named({"@" + outer}), ElementsAre(outer, inner, specs));
}

TEST_F(NamedFiles, LibrariesAreLookedForInEachFolderOfTheLinker) {
  const std::string shared = file("two/libmy.so", "");
  const std::string fixed = file("one/libmy.a", "");
  const std::string here = folder_->path().string();
  const std::vector<std::string> arguments = {"-L" + here + "/one", "-L", "two", "-L/no/such", "-lmy"};
  EXPECT_THAT(libraries_named("-lmy", arguments, here), ElementsAre(fixed, shared));
  EXPECT_THAT(libraries_named("-l:libmy.a", arguments, here), ElementsAre(fixed));
  EXPECT_THAT(libraries_named("-lother", arguments, here), IsEmpty());
}

}  // namespace
}  // namespace tally
