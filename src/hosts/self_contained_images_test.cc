#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "base/digest.h"
#include "base/files.h"
#include "build/identity.h"
#include "hosts/carried_images.h"
#include "hosts/exported_images.h"
#include "hosts/image_files.h"
#include "json/text.h"
#include "protocol/host_image.h"

namespace tally {
namespace {

namespace fs = std::filesystem;
namespace image = protocol::image;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// An image of a host that has mapped two libraries of an installation and a file of tally's own, and has read a
/// module.
class SelfContainedImagesTest : public ::testing::Test {
 protected:
  SelfContainedImagesTest() {
    write("python/lib/library.so", std::string(300'000, 'l'));
    write("python/lib/more/other.so", "code");
    write("python/packages/module/__init__.py", "x = 1");
    write("tally/host.so", "tally's");
    origin.files = {at("tally/host.so"), at("python/packages/module/__init__.py")};
    origin.state = state_of_all(origin.files);
    origin.installation = json::to_text(to_json(
        Installation{.question = "q",
                     .interpreter = {.path = at("python/bin/python3"),
                                     .version = "3.11.2",
                                     .identity = "not kept",
                                     .start_text = "start",
                                     .started = {},
                                     .folders = {"", at("python/packages")},
                                     .modules = {"module 1.0 " + at("python/packages/module/__init__.py")}},
                     .discovery = json::Object{{"modules", json::Object{{"module", at("python/packages/module")}}}},
                     .glibc = "2.36"}));
    origin.own_folder = at("tally");
    origin.mapped = {at("python/lib/library.so"), at("tally/host.so")};
  }

  [[nodiscard]] std::string at(const std::string& name) const { return (folder.path() / name).string(); }
  void write(const std::string& name, const std::string& text) const { ASSERT_TRUE(write_file(at(name), text)); }

  [[nodiscard]] std::string bytes_of_image() const {
    std::string strings = at("") + '\0';
    std::vector<image::File> files;
    const auto add_file = [&](const std::string& name) {
      const ImageFile now = ImageFile::now(at(name));
      files.push_back({now.inode, now.size, now.changed, now.changed_ns, strings.size()});
      strings += at(name) + '\0';
    };
    for (const char* name : {"python/packages/module/__init__.py", "python/lib/library.so", "tally/host.so",
                             "python/lib/more/other.so", "python/packages/none.py"})
      add_file(name);
    std::vector<image::Mapping> mappings(4);
    for (const std::uint32_t i : {1U, 2U, 3U}) mappings[i] = {.backing = image::Backing::file, .file = i};
    const image::Descriptor program{.number = 9, .kind = image::Open::named, .name = files[1].name, .original = 0};
    image::Head head{.magic = image::kMagic};
    std::string tables(sizeof head, '\0');
    const auto add = [&](image::Table& table, const void* from, std::size_t entries, std::size_t size) {
      table = {tables.size(), entries};
      tables.append(static_cast<const char*>(from), entries * size);
    };
    add(head.mappings, mappings.data(), mappings.size(), sizeof(image::Mapping));
    add(head.files, files.data(), files.size(), sizeof(image::File));
    add(head.descriptors, &program, 1, sizeof program);
    add(head.strings, strings.data(), strings.size(), 1);
    head.runs = {head.files.at, 0};
    head.table_size = tables.size();
    std::memcpy(tables.data(), &head, sizeof head);
    tables.resize(image::kPage, '\0');
    return tables + std::string(100'000, 'm');
  }

  void leave_image() const {
    const auto place = images.place_for_new("a");
    ASSERT_TRUE(place);
    const UniqueFd fd(::open(place->c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600));
    ASSERT_TRUE(write_all(fd.get(), bytes_of_image(), *place));
    ASSERT_TRUE(images.publish("a", *place, origin));
  }

  /// In `file`, and on a machine that has of all this no more than tally.
  void carry() {
    leave_image();
    const auto written = export_images(images, "*", file, {}, Brings::libraries);
    ASSERT_TRUE(written) << describe(written.error());
    ASSERT_THAT(*written, SizeIs(1));
    ASSERT_EQ(written->front().why_not, "");
    images.clear();
    fs::remove_all(at("python"));
    const auto taken = import_images(images, file);
    ASSERT_TRUE(taken) << describe(taken.error());
    ASSERT_THAT(*taken, SizeIs(1));
    EXPECT_EQ(taken->front().bytes, written->front().bytes);
  }

  /// As the host's specification has it here.
  [[nodiscard]] ImageOrigin origin_here() const {
    return {.host = origin.host,
            .content = origin.own_content,
            .files = origin.files,
            .state = {},
            .own_content = origin.own_content,
            .own_folder = origin.own_folder};
  }

  void expect_unfit(const std::string& why) const {
    const auto adopted = adopt_image(images, "b", origin_here());
    ASSERT_FALSE(adopted);
    EXPECT_THAT(describe(adopted.error()), HasSubstr(why));
    EXPECT_FALSE(images.open("b"));
  }

  TemporaryFolder folder = *TemporaryFolder::make();
  HostImages images{folder.path() / "cache" / "images"};
  std::string file = at("images.tally");
  ImageOrigin origin{.host = "Python host of module",
                     .content = "0123456789abcdef0123456789abcdef",
                     .files = {},
                     .state = {},
                     .own_content = "fedcba9876543210fedcba9876543210"};
};

TEST_F(SelfContainedImagesTest, AnImageIsUsedWithoutTheFilesThatItNames) {
  carry();
  const auto adopted = adopt_image(images, "b", origin_here());
  ASSERT_TRUE(adopted) << describe(adopted.error());
  ASSERT_TRUE(*adopted);
  const auto fd = images.open("b");
  ASSERT_TRUE(fd);
  const auto about = images.about("b");
  ASSERT_TRUE(about);
  EXPECT_THAT(about->origin.mapped, ElementsAre(at("python/lib/library.so"), at("tally/host.so")));
  EXPECT_THAT(about->origin.folders, ElementsAre("/etc/ld.so.cache", at("python/lib"), at("python/packages")));
  const std::string library = images.library(about->origin.libraries.at(at("python/lib/library.so"))).string();
  EXPECT_EQ(*read_file(library), std::string(300'000, 'l'));
  const auto files = files_of_image(fd->get(), "b");
  ASSERT_TRUE(files);
  EXPECT_THAT(*files, SizeIs(3)) << "those that are mapped";
  EXPECT_THAT(*files, Contains(ImageFile::now(library)));
  EXPECT_THAT(*files, Contains(ImageFile::now(at("tally/host.so"))));
  const std::string bytes = *read_file(images.image("b"));
  EXPECT_EQ(bytes.size(), image::kPage + 100'000) << "its memory lies where it lay";
  EXPECT_EQ(bytes.substr(image::kPage), std::string(100'000, 'm'));
  image::Head head{};
  std::memcpy(&head, bytes.data(), sizeof head);
  image::Descriptor program{};
  std::memcpy(&program, bytes.data() + head.descriptors.at, sizeof program);
  EXPECT_EQ(std::string(bytes.data() + head.strings.at + program.name), library) << "what is open is the store's, too";
  EXPECT_EQ(std::string(bytes.data() + head.strings.at + head.folder), at(""));
}

TEST_F(SelfContainedImagesTest, ItSaysWhatItsPythonIs) {
  const std::string module = *file_digest(at("python/packages/module/__init__.py"));
  carry();
  auto found = carried_installations(images);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].found.question, "q");
  EXPECT_EQ(found[0].found.interpreter.path, at("python/bin/python3"));
  EXPECT_EQ(found[0].found.interpreter.start_text, "start");
  EXPECT_EQ(found[0].found.glibc, "2.36");
  EXPECT_EQ(found[0].digests.of(at("python/packages/module/__init__.py")), module);
  EXPECT_TRUE(found[0].digests.is_elsewhere(at("python/packages/module"))) << "the sources of a module's folder";
  write("python/packages/module/__init__.py", "x = 2");
  EXPECT_EQ(found[0].digests.of(at("python/packages/module/__init__.py")), module) << "whatever lies there here";
}

TEST_F(SelfContainedImagesTest, OneIsLeftWhereTallyIsAnother) {
  carry();
  write("tally/host.so", "another");
  expect_unfit("another file is here than was there: " + at("tally/host.so"));
}

TEST_F(SelfContainedImagesTest, OneIsLeftWhereALibraryOfTheStoreIsDamagedGoneOrOthersMayWriteIt) {
  for (const char* how : {"damaged", "gone", "shared"}) {
    SCOPED_TRACE(how);
    write("python/lib/library.so", std::string(300'000, 'l'));
    write("python/lib/more/other.so", "code");
    write("python/packages/module/__init__.py", "x = 1");
    origin.state = state_of_all(origin.files);
    carry();
    const std::string library = images.library(digest(std::string(300'000, 'l'))).string();
    ASSERT_TRUE(fs::exists(library));
    if (how == std::string("damaged")) ASSERT_TRUE(write_file(library, std::string(300'000, 'k')));
    if (how == std::string("gone")) fs::remove(library);
    if (how == std::string("shared")) fs::permissions(library, fs::perms::others_write, fs::perm_options::add);
    expect_unfit("a library that it brought along is gone");
    images.clear();
  }
}

TEST_F(SelfContainedImagesTest, DamageIsAnErrorWithItsPlaceAndNothingOfItIsUsed) {
  carry();
  images.clear();
  const std::string whole = *read_file(file);
  for (const std::size_t length : {std::size_t{3}, std::size_t{20}, whole.size() / 2, whole.size() - 1}) {
    ASSERT_TRUE(write_file(file, whole.substr(0, length)));
    const auto taken = import_images(images, file);
    ASSERT_FALSE(taken) << length;
    EXPECT_EQ(taken.error().kind, ErrorKind::input);
    EXPECT_THAT(taken.error().where, HasSubstr(file));
    EXPECT_THAT(carried_installations(images), IsEmpty());
  }
  for (std::size_t at = 16; at < whole.size(); at += whole.size() / 50) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    ASSERT_TRUE(write_file(file, damaged));
    EXPECT_FALSE(import_images(images, file)) << at;
  }
}

TEST_F(SelfContainedImagesTest, AnImageThatCannotSayWhatItsPythonIsIsLeftOut) {
  origin.installation.clear();
  leave_image();
  const auto written = export_images(images, "*", file, {}, Brings::libraries);
  ASSERT_TRUE(written);
  ASSERT_THAT(*written, SizeIs(1));
  EXPECT_THAT(written->front().why_not, HasSubstr("it cannot bring its libraries along"));
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(SelfContainedImagesTest, OneThatWasBroughtHereIsNotPassedOn) {
  carry();
  ASSERT_TRUE(adopt_image(images, "b", origin_here()).value_or(false));
  const auto written = export_images(images, "*", at("again.tally"), {}, Brings::libraries);
  ASSERT_TRUE(written);
  EXPECT_THAT(written->front().why_not, HasSubstr("it was carried here itself"));
}

TEST_F(SelfContainedImagesTest, LibrariesGoWithTheStoreAndCountInItsSize) {
  carry();
  EXPECT_GE(images.library_bytes(), 300'000U);
  EXPECT_THAT(images.list().front().libraries, SizeIs(2));
  images.clear();
  EXPECT_EQ(images.library_bytes(), 0U);
}

}  // namespace
}  // namespace tally
