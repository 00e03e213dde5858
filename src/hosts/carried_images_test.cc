#include "hosts/carried_images.h"
#include "hosts/exported_images.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "base/files.h"
#include "build/identity.h"
#include "hosts/image_files.h"
#include "protocol/host_image.h"

namespace tally {
namespace {

namespace fs = std::filesystem;
namespace image = protocol::image;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CarriedImagesTest : public ::testing::Test {
 protected:
  CarriedImagesTest() {
    write("library.so", "code");
    write("package/__init__.py", "x = 1");
    write("package/__pycache__/__init__.cpython-311.pyc", "when it was written, and code");
    write("site-packages/one.py", "");
    write("host.py", "serve()");
    write("data/one", "");
    origin.files = {at("host.py")};
    origin.state = state_of_all(origin.files);
  }

  [[nodiscard]] std::string at(const std::string& name) const { return (folder.path() / name).string(); }
  void write(const std::string& name, const std::string& text) const { ASSERT_TRUE(write_file(at(name), text)); }

  /// As the counter writes one of a host that has mapped, read, and not found these files.
  [[nodiscard]] std::string bytes_of_image() const {
    image::Head head{};
    std::vector<image::File> files;
    std::string strings;
    for (const std::string& name : names) {
      const ImageFile now = ImageFile::now(at(name));
      files.push_back({now.inode, now.size, now.changed, now.changed_ns, strings.size()});
      strings += at(name) + '\0';
    }
    head.magic = image::kMagic;
    head.files = {sizeof head, files.size()};
    head.strings = {sizeof head + files.size() * sizeof(image::File), strings.size()};
    head.table_size = head.strings.at + strings.size();
    std::string bytes(sizeof head, '\0');
    std::memcpy(bytes.data(), &head, sizeof head);
    for (const image::File& one : files) bytes.append(reinterpret_cast<const char*>(&one), sizeof one);
    return bytes + strings + std::string(100'000, 'm');
  }

  void leave_image(const std::string& key) const {
    const auto place = images.place_for_new(key);
    ASSERT_TRUE(place);
    const UniqueFd fd(::open(place->c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600));
    ASSERT_TRUE(write_all(fd.get(), bytes_of_image(), *place));
    ASSERT_TRUE(images.publish(key, *place, origin));
  }

  /// The image of key "a" in `file`, and no other trace of it. Its files are others with the same bytes.
  void carry() {
    leave_image("a");
    ASSERT_TRUE(export_images(images, "*", file));
    images.clear();
    for (const std::string& name : {"library.so", "package/__init__.py", "host.py"}) {
      const std::string text = *read_file(at(name));
      fs::remove(at(name));
      write(name, text);
    }
    write("package/__pycache__/__init__.cpython-311.pyc", "another day, and code");
    origin.state = state_of_all(origin.files);
  }
  void expect_unfit(const std::string& why) {
    ASSERT_TRUE(import_images(images, file));
    const auto adopted = adopt_image(images, "b", origin);
    ASSERT_FALSE(adopted);
    EXPECT_THAT(describe(adopted.error()), HasSubstr(why));
    EXPECT_THAT(images.list(), IsEmpty()) << "nothing is left of it";
    EXPECT_FALSE(images.open("b"));
    EXPECT_FALSE(adopt_image(images, "b", origin).value_or(true)) << "and it is not tried again";
  }

  TemporaryFolder folder = *TemporaryFolder::make();
  HostImages images{folder.path() / "cache" / "images"};
  std::string file = at("images.tally");
  ImageOrigin origin{
      .host = "Python host of torch", .content = "0123456789abcdef0123456789abcdef", .files = {}, .state = {}};
  std::vector<std::string> names = {
      "library.so",    "package/__init__.py", "package/__pycache__/__init__.cpython-311.pyc",
      "site-packages", "not-there",           "data/"};
};

TEST_F(CarriedImagesTest, AnImageIsTheOtherMachinesOnceItsFilesHaveTheSameBytes) {
  carry();
  EXPECT_FALSE(adopt_image(images, "b", origin).value_or(true)) << "nothing was carried here yet";
  const auto taken = import_images(images, file);
  ASSERT_TRUE(taken) << describe(taken.error());
  EXPECT_THAT(*taken, ElementsAre(Field(&CarriedImage::host, "Python host of torch")));
  EXPECT_FALSE(images.open("b"));
  const auto adopted = adopt_image(images, "b", origin);
  ASSERT_TRUE(adopted) << describe(adopted.error());
  EXPECT_TRUE(*adopted);
  const auto fd = images.open("b");
  ASSERT_TRUE(fd);
  const auto files = files_of_image(fd->get(), "b");
  ASSERT_TRUE(files);
  ASSERT_THAT(*files, SizeIs(names.size()));
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ((*files)[i], ImageFile::now(at(names[i])));
  EXPECT_EQ(*read_file(images.image("b")), bytes_of_image()) << "everything else is as it was";
  EXPECT_THAT(images.list(), SizeIs(2)) << "it may be taken again";
}

TEST_F(CarriedImagesTest, OneOfAnotherFolderIsLeftOutWhenItIsTaken) {
  origin.own_folder = "/usr/libexec/tallymark";
  carry();
  const auto why_not = [&](const HostImages& store, const std::string& libexec) {
    const auto taken = import_images(store, file, {}, libexec);
    EXPECT_THAT(taken.value(), SizeIs(1));
    return taken->front().why_not;
  };
  EXPECT_THAT(why_not(images, "/opt/tally"),
              HasSubstr("tally lies in /opt/tally here, and lay in /usr/libexec/tallymark where it was made"));
  EXPECT_THAT(why_not(HostImages{folder.path() / "other" / "images"}, "/usr/libexec/tallymark"),
              HasSubstr("the store of images lies in " + at("other/images") + " here"));
  EXPECT_THAT(images.list(), IsEmpty());
  EXPECT_EQ(why_not(images, "/usr/libexec/tallymark"), "");
  EXPECT_THAT(images.list(), SizeIs(1));
}

TEST_F(CarriedImagesTest, OneIsLeftWhereAFileHasOtherBytes) {
  carry();
  write("library.so", "edoc");
  expect_unfit("another file is here than was there: " + at("library.so"));
}

TEST_F(CarriedImagesTest, OneIsLeftWhereASourceHasOtherBytes) {
  carry();
  write("package/__init__.py", "x = 2");
  expect_unfit("another file is here than was there: " + at("package"));
}

TEST_F(CarriedImagesTest, WhetherASourceIsCompiledMakesNoDifference) {
  const std::string compiled = "package/__pycache__/__init__.cpython-311.pyc";
  fs::remove(at(compiled));
  leave_image("a");
  ASSERT_TRUE(export_images(images, "*", file));
  images.clear();
  ASSERT_TRUE(import_images(images, file));
  write(compiled, "code");
  EXPECT_TRUE(adopt_image(images, "b", origin).value_or(false));
  images.clear();
  ASSERT_TRUE(import_images(images, file));
  fs::remove(at(compiled));
  EXPECT_TRUE(adopt_image(images, "b", origin).value_or(false));
}

TEST_F(CarriedImagesTest, OneIsLeftWhereAListedFolderHasOtherNames) {
  carry();
  write("data/two", "");
  expect_unfit("another file is here than was there: " + at("data/"));
}

/// The loader, the counter and the command go by one sum of them.
TEST_F(CarriedImagesTest, NamesOfAFolderAreWithoutWhatIsNoInput) {
  const ImageFile before = ImageFile::now(at("data/"));
  EXPECT_EQ(before.inode, image::kListedFolder);
  EXPECT_EQ(before.size, 1U);
  write("data/__pycache__/one.pyc", "");
  write("data/.pytest_cache/README.md", "");
  write("data/r.json.journal", "");
  write("data/r.json.profiles/1.json", "");
  write("data/r.json", "{\n \"schema\": 2,\n \"tool\": {\"name\":\"tallymark\",\"version\":\"0.1.0\"}}");
  EXPECT_EQ(ImageFile::now(at("data/")), before);
  write("data/two.json", "{}");
  EXPECT_NE(ImageFile::now(at("data/")), before);
  fs::remove(at("data/two.json"));
  fs::rename(at("data/one"), at("data/eno"));
  EXPECT_NE(ImageFile::now(at("data/")), before);
  EXPECT_EQ(ImageFile::now(at("none/")).inode, 0U);
}

TEST_F(CarriedImagesTest, OneIsLeftWhereAFileIsThatWasNotThere) {
  carry();
  write("not-there", "");
  expect_unfit("a file is here that was not there: " + at("not-there"));
}

TEST_F(CarriedImagesTest, OneIsLeftWhereAFileIsNot) {
  carry();
  fs::remove(at("library.so"));
  expect_unfit("a file is not here that was there: " + at("library.so"));
}

TEST_F(CarriedImagesTest, OneIsLeftWhereAFolderOfPackagesHoldsOthers) {
  carry();
  write("site-packages/two.py", "");
  expect_unfit("site-packages");
}

TEST_F(CarriedImagesTest, OneIsLeftWhereTheHostIsMadeOfOthers) {
  carry();
  write("host.py", "serve_otherwise()");
  expect_unfit(at("host.py"));
}

TEST_F(CarriedImagesTest, AnotherHostDoesNotTakeIt) {
  carry();
  ASSERT_TRUE(import_images(images, file));
  origin.content.back() = '0';
  EXPECT_FALSE(adopt_image(images, "b", origin).value_or(true));
}

TEST_F(CarriedImagesTest, WhatHasChangedWhereItWasWrittenIsNotCarried) {
  leave_image("a");
  write("library.so", "code");
  const auto report = export_images(images, "*", file);
  ASSERT_TRUE(report);
  ASSERT_THAT(*report, SizeIs(1));
  EXPECT_THAT(report->front().why_not, HasSubstr("library.so"));
}

TEST_F(CarriedImagesTest, AFilterChoosesByTheHostsName) {
  leave_image("a");
  EXPECT_THAT(*export_images(images, "C++*", file), IsEmpty());
  EXPECT_THAT(*export_images(images, "*torch*", file), SizeIs(1));
}

TEST_F(CarriedImagesTest, DamageIsAnErrorWithItsPlaceAndNothingIsKept) {
  carry();
  const std::string whole = *read_file(file);
  for (std::size_t length = 0; length < whole.size(); length += 5) {
    write("images.tally", whole.substr(0, length));
    const auto taken = import_images(images, file);
    if (length == std::string_view("tally images 1\n").size()) continue;  // there is none in it
    ASSERT_FALSE(taken) << length;
    EXPECT_EQ(taken.error().kind, ErrorKind::input);
    EXPECT_THAT(taken.error().where, HasSubstr(file));
  }
  for (std::size_t at = 0; at < whole.size(); at += 5) {
    std::string damaged = whole;
    damaged[at] ^= 0x20;
    write("images.tally", damaged);
    ASSERT_FALSE(import_images(images, file)) << at;
  }
  EXPECT_THAT(images.list(), IsEmpty());
  EXPECT_TRUE(fs::is_empty(images.folder()));
}

TEST_F(CarriedImagesTest, WhenTheUserEndsItNothingOfItIsLeft) {
  carry();
  const auto stopped = [] { return true; };
  EXPECT_EQ(import_images(images, file, stopped).error().kind, ErrorKind::interrupted);
  EXPECT_TRUE(fs::is_empty(images.folder()));
  leave_image("a");
  const std::string other = at("other.tally");
  EXPECT_EQ(export_images(images, "*", other, stopped).error().kind, ErrorKind::interrupted);
  for (const auto& entry : fs::directory_iterator(folder.path()))
    EXPECT_FALSE(entry.path().filename().string().starts_with("other")) << entry.path();
}

TEST_F(CarriedImagesTest, WhatSomebodyElseMayWriteIsNotTaken) {
  carry();
  ASSERT_TRUE(import_images(images, file));
  fs::permissions(images.carried(origin.content), fs::perms(0620));
  EXPECT_FALSE(adopt_image(images, "b", origin));
}

TEST_F(CarriedImagesTest, OneThatWasDamagedInTheStoreIsNotTaken) {
  carry();
  ASSERT_TRUE(import_images(images, file));
  const UniqueFd fd(::open(images.carried(origin.content).c_str(), O_RDWR));
  const auto size = static_cast<off_t>(fs::file_size(images.carried(origin.content)));
  ASSERT_EQ(::pwrite(fd.get(), "yyyy", 4, size - 20), 4);
  EXPECT_FALSE(adopt_image(images, "b", origin));
  EXPECT_FALSE(images.open("b"));
}

TEST_F(CarriedImagesTest, WhereImagesAreSwitchedOffNoneIsTaken) {
  carry();
  const HostImages none(images.folder(), 0);
  const auto taken = import_images(none, file);
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().where, "TALLY_IMAGES");
}

TEST(ImageMachine, AnotherProcessorAnOlderKernelAndAnotherUserAreUnfit) {
  const ImageMachine here{.processor = "avx avx2", .kernel = "6.1", .user = "0 0", .limits = "1 1"};
  ImageMachine image = here;
  EXPECT_EQ(why_unfit(image, here), "");
  image.kernel = "5.15";
  EXPECT_EQ(why_unfit(image, here), "") << "a newer kernel does what an older one did";
  image.kernel = "6.10";
  EXPECT_EQ(why_unfit(image, here), "it is of Linux 6.10, and this is the older 6.1");
  image = here;
  image.processor = "avx";
  EXPECT_EQ(why_unfit(image, here), "it is of a processor with avx, and this one has avx avx2");
  image = here;
  image.user = "1000 1000";
  EXPECT_THAT(why_unfit(image, here), HasSubstr("1000 1000"));
  const ImageMachine this_one = ImageMachine::here();
  EXPECT_EQ(why_unfit(this_one, ImageMachine::here()), "");
  EXPECT_THAT(this_one.processor, HasSubstr("sse4_2"));
  EXPECT_THAT(this_one.kernel, ::testing::MatchesRegex("[0-9]+\\.[0-9]+"));
}

}  // namespace
}  // namespace tally
