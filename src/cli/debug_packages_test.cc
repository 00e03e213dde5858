#include "cli/debug_packages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "profile/callgrind.h"

namespace tally::cli {
namespace {

class DebugPackages : public ::testing::Test {
 protected:
  void SetUp() override {
    write("info/python3.11-minimal.list", "/.\n/usr/bin/python3.11\n");
    write("info/libc6:amd64.list", "/.\n/lib/x86_64-linux-gnu/libc.so.6\n");
    write("info/libssl3:amd64.list", "/.\n/usr/lib/x86_64-linux-gnu/libssl.so.3\n");
    write("status",
          "Package: libssl3\nSource: openssl\nStatus: install ok installed\n\n"
          "Package: python3.11-minimal\nStatus: install ok installed\nSource: python3.11\nVersion: 3\n\n"
          "Package: libc6\nSource: glibc (2.36-9)\nVersion: 2\n");
  }
  void write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(write_file(folder_->path() / name, text));
  }
  [[nodiscard]] std::string package(const std::string& object) const {
    return debug_packages_of({object}, folder_->path()).front();
  }

  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

TEST_F(DebugPackages, ByWhatDpkgHasNoted) {
  EXPECT_EQ(package("/usr/bin/python3.11"), "python3.11-dbg");
  EXPECT_EQ(package("/usr/lib/x86_64-linux-gnu/libc.so.6"), "libc6-dbg");
  EXPECT_EQ(package("/usr/lib/x86_64-linux-gnu/libssl.so.3"), "libssl3-dbgsym");
  EXPECT_EQ(package("/usr/lib/x86_64-linux-gnu/libssl.so"), "");
  EXPECT_EQ(package("/home/me/lib.so"), "");
  EXPECT_EQ(package("/usr/bin/python3"), "");
  EXPECT_THAT(debug_packages_of({"/usr/lib/x86_64-linux-gnu/libc.so.6", "/a", "/usr/bin/python3.11"}, folder_->path()),
              testing::ElementsAre("libc6-dbg", "", "python3.11-dbg"));
  EXPECT_THAT(debug_packages_of({"/usr/bin/python3.11"}, folder_->path() / "none"), testing::ElementsAre(""));
}

TEST_F(DebugPackages, OneNoteForAll) {
  const auto profile = parse_callgrind(
      "events: Ir\nob=/usr/bin/python3.11\nfl=???\nfn=0x1000\n0 500\nfn=0x2000\n0 100\nob=/home/me/lib.so\nfn=0x1000\n"
      "0 300\nob=/usr/lib/x86_64-linux-gnu/libssl.so.3\nfn=0x1000\n0 5\nfn=SSL_new\n0 95\ntotals: 1000\n");
  ASSERT_TRUE(profile);
  EXPECT_EQ(
      nameless_note(*profile, 0, folder_->path()),
      "code without names is in python3.11 (60 %, named by python3.11-dbg), lib.so (30 %); install the package and "
      "measure again");
  const auto named = parse_callgrind("events: Ir\nob=/a\nfn=main\n0 500\ntotals: 500\n");
  ASSERT_TRUE(named);
  EXPECT_EQ(nameless_note(*named, 0, folder_->path()), "");
}

}  // namespace
}  // namespace tally::cli
