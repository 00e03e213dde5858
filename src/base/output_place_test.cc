#include "base/output_place.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <fstream>
#include <thread>
#include <tuple>

#include "base/files.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

class OutputPlaceTest : public testing::Test {
 protected:
  OutputPlaceTest() : folder_(TemporaryFolder::make().value()) {}
  [[nodiscard]] fs::path path(const std::string& name) const { return folder_.path() / name; }
  static struct stat about(const fs::path& path) {
    struct stat result{};
    EXPECT_EQ(::lstat(path.c_str(), &result), 0) << path;
    return result;
  }
  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator());
  }

  TemporaryFolder folder_;
};

TEST_F(OutputPlaceTest, ALinkStaysAndWhatItNamesIsReplaced) {
  fs::create_directory(path("elsewhere"));
  ASSERT_TRUE(write_file(path("elsewhere/record.json"), "old"));
  fs::create_symlink("elsewhere/record.json", path("link"));
  fs::create_symlink(path("link"), path("link to it"));
  ASSERT_TRUE(write_file(path("link to it"), "new"));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_TRUE(fs::is_symlink(path("link to it")));
  EXPECT_EQ(read_file(path("elsewhere/record.json")), "new");
  EXPECT_FALSE(fs::is_symlink(path("elsewhere/record.json")));
}

TEST_F(OutputPlaceTest, ALinkToNothingIsFollowedToo) {
  fs::create_symlink("later/record.json", path("link"));
  ASSERT_TRUE(write_file(path("link"), "text"));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read_file(path("later/record.json")), "text");
  fs::create_symlink("circle", path("circle"));
  EXPECT_EQ(describe(write_file(path("circle"), "text").error()),
            path("circle").string() + ": cannot write: Too many levels of symbolic links");
}

TEST_F(OutputPlaceTest, AFileKeepsItsPermissionsAndItsOwner) {
  ASSERT_TRUE(write_file(path("record"), "old"));
  ASSERT_EQ(::chmod(path("record").c_str(), 0640), 0);
  // Of another user, where this one may give files away.
  std::ignore = ::chown(path("record").c_str(), 65534, 65533);
  const struct stat before = about(path("record"));
  ASSERT_TRUE(write_file(path("record"), "new"));
  const struct stat after = about(path("record"));
  EXPECT_EQ(read_file(path("record")), "new");
  EXPECT_EQ(after.st_mode & 07777U, 0640U);
  EXPECT_EQ(after.st_uid, before.st_uid);
  EXPECT_EQ(after.st_gid, before.st_gid);
  EXPECT_NE(after.st_ino, before.st_ino) << "a reader of the old one has all of it";
}

TEST_F(OutputPlaceTest, ANewFileHasThePermissionsThatTheUserGivesNewFiles) {
  const mode_t before = ::umask(027);
  ASSERT_TRUE(write_file(path("record"), "text"));
  ::umask(before);
  EXPECT_EQ(about(path("record")).st_mode & 07777U, 0640U);
}

TEST_F(OutputPlaceTest, ANamedPipeIsWrittenInto) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = read_file(path("pipe")).value_or("nothing"); });
  auto file = NewFile::create(path("pipe"));
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->append("first, "));
  EXPECT_TRUE(file->sync()) << "a pipe has no disk to wait for";
  EXPECT_TRUE(file->append("second"));
  EXPECT_TRUE(file->publish());
  reader.join();
  EXPECT_EQ(read, "first, second");
  EXPECT_TRUE(S_ISFIFO(about(path("pipe")).st_mode));
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputPlaceTest, ADeviceIsWrittenInto) {
  // Not the machine's own, which a mistake would replace.
  if (::mknod(path("null").c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0 ||
      ::mknod(path("full").c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0)
    GTEST_SKIP() << "mknod is not permitted";
  ASSERT_TRUE(write_file(path("null"), "text"));
  EXPECT_TRUE(S_ISCHR(about(path("null")).st_mode));
  EXPECT_EQ(describe(write_file(path("full"), "text").error()),
            path("full").string() + ": cannot write: No space left on device");
  EXPECT_TRUE(S_ISCHR(about(path("full")).st_mode));
}

TEST_F(OutputPlaceTest, ADescriptorOfOursIsWrittenIntoWhereItStands) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_TRUE(write_file("/dev/fd/" + std::to_string(ends[1]), "to a pipe"));
  char text[16] = {};
  EXPECT_EQ(::read(ends[0], text, sizeof text), 9);
  EXPECT_STREQ(text, "to a pipe");
  // What a shell has opened for `3> file` has a position, and text before it.
  UniqueFd file(::open(path("file").c_str(), O_RDWR | O_CREAT, 0600));
  ASSERT_EQ(::write(file.get(), "before ", 7), 7);
  fs::create_symlink("/proc/self/fd/" + std::to_string(file.get()), path("link"));
  ASSERT_TRUE(write_file(path("link"), "after"));
  EXPECT_EQ(read_file(path("file")), "before after");
  const std::string reading = "/proc/self/fd/" + std::to_string(ends[0]);
  EXPECT_EQ(describe(write_file(reading, "text").error()),
            reading + ": this descriptor is open for reading alone; open it for writing");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(OutputPlaceTest, SaysWhatIsInTheWay) {
  fs::create_directory(path("folder"));
  EXPECT_EQ(describe(write_file(path("folder"), "text").error()),
            path("folder").string() + ": this is a folder; give the path of a file");
  ASSERT_TRUE(write_file(path("file"), "text"));
  EXPECT_EQ(describe(write_file(path("file/record"), "text").error()),
            path("file/record").string() + ": cannot write: Not a directory");
  EXPECT_EQ(describe(write_file("/proc/none/record", "text").error()),
            "/proc/none: cannot make the folder: No such file or directory");
  EXPECT_EQ(describe(check_output("/proc/none/record").error()),
            "/proc/none: cannot make the folder: No such file or directory");
}

TEST_F(OutputPlaceTest, CheckingWritesNothing) {
  ASSERT_TRUE(check_output(path("a/record")));
  EXPECT_TRUE(fs::is_directory(path("a")));
  EXPECT_FALSE(fs::exists(path("a/record")));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(check_output(path("pipe")));
}

TEST_F(OutputPlaceTest, OfWhatFailsTheOldFileIsLeft) {
  ASSERT_TRUE(write_file(path("record"), "old"));
  {
    auto file = NewFile::create(path("record"));
    ASSERT_TRUE(file);
    EXPECT_TRUE(file->append(std::string(1 << 20, 'x')));
  }
  EXPECT_EQ(read_file(path("record")), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputPlaceTest, ADiskThatTakesNoMoreFilesKeepsTheOldOne) {
  const fs::path disk = path("disk");
  fs::create_directory(disk);
  // The root, the record and one more.
  if (::mount("tally", disk.c_str(), "tmpfs", 0, "size=16k,nr_inodes=3") != 0)
    GTEST_SKIP() << "only root may mount a tmpfs";
  ASSERT_TRUE(write_file(disk / "record", "old"));
  std::ofstream(disk / "other") << std::string(16384, 'x');
  const Status written = write_file(disk / "record", std::string(8192, 'x'));
  ASSERT_FALSE(written);
  EXPECT_EQ(describe(written.error()), (disk / "record").string() + ": cannot create: No space left on device");
  EXPECT_EQ(read_file(disk / "record"), "old");
  EXPECT_EQ(::umount(disk.c_str()), 0);
}

}  // namespace
}  // namespace tally
