#include "build/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "build/cache.h"

namespace tally {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::EndsWith;
using testing::StartsWith;

class Identity : public testing::Test {
 protected:
  fs::path file(const std::string& name, const std::string& text) {
    const fs::path path = folder_->path() / name;
    EXPECT_TRUE(write_file(path, text));
    return path;
  }
  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

TEST_F(Identity, ChangesWithSizeAndTimeAndFollowsLinks) {
  const fs::path path = file("a.h", "one");
  const std::string before = file_identity(path);
  EXPECT_EQ(file_identity(path), before);
  fs::create_symlink(path, folder_->path() / "link.h");
  EXPECT_EQ(file_identity(folder_->path() / "link.h"), before);
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::seconds(1));
  EXPECT_NE(file_identity(path), before);
  fs::remove(path);
  EXPECT_THAT(file_identity(path), EndsWith("a.h missing"));
  EXPECT_THAT(file_identity(folder_->path() / "link.h"), EndsWith("link.h missing"));
}

TEST_F(Identity, OfAllIsThatOfEachWhateverLeadsThere) {
  const fs::path top = folder_->path();
  fs::create_directories(top / "real" / "deep");
  ASSERT_TRUE(write_file(top / "real" / "a.h", "one"));
  ASSERT_TRUE(write_file(top / "real" / "deep" / "b.h", "two"));
  fs::create_directory_symlink(top / "real", top / "link");
  fs::create_symlink(top / "real" / "a.h", top / "real" / "deep" / "a.h");
  const auto same = [&](const fs::path& one, const fs::path& other) {
    EXPECT_EQ(identity_of_all({one.string()}), identity_of_all({other.string()})) << one << " and " << other;
  };
  same(top / "link" / "a.h", top / "real" / "a.h");
  same(top / "link" / "deep" / "b.h", top / "real" / "deep" / "b.h");
  same(top / "link" / "deep" / ".." / "a.h", top / "real" / "a.h");
  same(top / "real" / "deep" / "a.h", top / "real" / "a.h");
  EXPECT_EQ(file_identity(top / "link" / "deep"), file_identity(top / "real" / "deep" / "."));
  EXPECT_THAT(file_identity(top / "nowhere" / "c.h"), EndsWith("nowhere/c.h missing"));
}

TEST_F(Identity, DigestIsOfTheBytesAlone) {
  EXPECT_EQ(*file_digest(file("a", "same")), *file_digest(file("b", "same")));
  EXPECT_NE(*file_digest(file("a", "same")), *file_digest(file("c", "other")));
  const auto missing = file_digest(folder_->path() / "absent");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().where, EndsWith("absent"));
}

TEST(Dependencies, AsCompilersWriteThem) {
  EXPECT_THAT(parse_dependencies("x.o: a.h \\\n  /usr/b.h\\\n c.h\n"), ElementsAre("a.h", "/usr/b.h", "c.h"));
  EXPECT_THAT(parse_dependencies("x.o: with\\ blank.h \\#hash.h $$dollar.h back\\slash.h\n"),
              ElementsAre("with blank.h", "#hash.h", "$dollar.h", "back\\slash.h"));
  EXPECT_THAT(parse_dependencies("x.o: last"), ElementsAre("last"));
  EXPECT_THAT(parse_dependencies("no rule"), ElementsAre());
  EXPECT_THAT(parse_dependencies(""), ElementsAre());
}

TEST_F(Identity, OfAllDoesNotDependOnTheOrder) {
  const std::string a = file("a", "1").string();
  const std::string b = file("b", "2").string();
  EXPECT_EQ(identity_of_all({a, b}), identity_of_all({b, a}));
  EXPECT_NE(identity_of_all({a, b}), identity_of_all({a}));
}

TEST_F(Identity, ContentOfAllIsOfPathsAndBytesAndOfNoTimes) {
  const std::string a = file("a", "1").string();
  const std::string b = file("b", "2").string();
  const std::string before = content_of_all({a, b});
  EXPECT_EQ(content_of_all({b, a}), before);
  fs::last_write_time(a, fs::last_write_time(a) + std::chrono::seconds(1));
  EXPECT_EQ(content_of_all({a, b}), before);
  file("a", "3");
  EXPECT_NE(content_of_all({a, b}), before);
  fs::remove(a);
  EXPECT_NE(content_of_all({a, b}), before);
}

using CacheTest = Identity;

TEST_F(CacheTest, APreludeIsCurrentWhileItsHeadersAre) {
  const Cache cache(folder_->path() / "cache");
  const std::string header = file("a.h", "1").string();
  EXPECT_EQ(cache.current_prelude("key"), std::nullopt);
  ASSERT_TRUE(cache.set_current_prelude("key", "id", {header}));
  EXPECT_EQ(cache.current_prelude("key"), "id");
  EXPECT_EQ(cache.current_prelude("other"), std::nullopt);
  file("a.h", "changed");
  EXPECT_EQ(cache.current_prelude("key"), std::nullopt);
  ASSERT_TRUE(write_file(cache.prelude_folder("key") / "current", "half a fi"));
  EXPECT_EQ(cache.current_prelude("key"), std::nullopt);
}

TEST_F(CacheTest, TheSameHeadersInstalledAgainAreNoOthers) {
  const Cache cache(folder_->path() / "cache");
  const fs::path header = file("a.h", "1");
  ASSERT_TRUE(write_file(cache.snippet("key"), "object"));
  ASSERT_TRUE(cache.set_current_prelude("key", "id", {header.string()}));
  ASSERT_TRUE(cache.set_snippet_headers("key", {header.string()}));
  const auto then = fs::last_write_time(header);
  fs::remove(header);
  file("a.h", "1");
  fs::last_write_time(header, then + std::chrono::seconds(1));
  EXPECT_EQ(cache.current_prelude("key"), "id");
  EXPECT_TRUE(cache.has_snippet("key"));
  // Noted: the next one compares times alone.
  const std::string noted = *read_file(cache.prelude_folder("key") / "current");
  EXPECT_THAT(noted, testing::HasSubstr(identity_of_all({header.string()})));
  // The same size at another time.
  file("a.h", "2");
  fs::last_write_time(header, then + std::chrono::seconds(2));
  EXPECT_EQ(cache.current_prelude("key"), std::nullopt);
  EXPECT_FALSE(cache.has_snippet("key"));
}

TEST_F(CacheTest, ASnippetGoesWithTheHeadersThatItRead) {
  const Cache cache(folder_->path() / "cache");
  EXPECT_FALSE(cache.has_snippet("key"));
  ASSERT_TRUE(write_file(cache.snippet("key"), "object"));
  EXPECT_TRUE(cache.has_snippet("key"));
  ASSERT_TRUE(cache.set_snippet_headers("key", {file("own.h", "1").string()}));
  EXPECT_TRUE(cache.has_snippet("key"));
  fs::remove(folder_->path() / "own.h");
  EXPECT_FALSE(cache.has_snippet("key"));
}

TEST_F(CacheTest, ARootThatCannotBeWrittenIsNamedWithItsHint) {
  const auto scratch = Cache(file("a file", "") / "cache").scratch();
  ASSERT_FALSE(scratch);
  EXPECT_THAT(scratch.error().where, EndsWith("a file/cache/scratch"));
  EXPECT_THAT(scratch.error().hint, testing::HasSubstr("XDG_CACHE_HOME"));
}

TEST(CacheRoot, XdgThenHomeThenAnError) {
  EXPECT_EQ(*default_cache_root("/x", "/home/u"), "/x/tallymark/1");
  EXPECT_EQ(*default_cache_root("", "/home/u"), "/home/u/.cache/tallymark/1");
  // A relative XDG_CACHE_HOME is invalid and ignored, as the XDG specification asks.
  EXPECT_EQ(*default_cache_root("x", "/home/u"), "/home/u/.cache/tallymark/1");
  ASSERT_FALSE(default_cache_root("", ""));
  EXPECT_THAT(default_cache_root("", "").error().message, StartsWith("no place for the build cache"));
}

}  // namespace
}  // namespace tally
