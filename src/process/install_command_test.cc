#include "process/install_command.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

std::string on(const std::string& os_release, const std::string& package) {
  return install_command(package, os_release, false);
}

TEST(InstallCommand, IsTheDistributions) {
  EXPECT_EQ(on("NAME=\"Debian GNU/Linux\"\nID=debian\n", "valgrind"), "apt-get install valgrind");
  EXPECT_EQ(on("ID=ubuntu\nID_LIKE=debian\n", "clang-19"), "apt-get install clang-19");
  EXPECT_EQ(on("ID=fedora\nVERSION_ID=41\n", "clang-19"), "dnf install clang");
  EXPECT_EQ(on("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "python3-numpy"), "dnf install python3-numpy");
  EXPECT_EQ(on("ID=manjaro\nID_LIKE=arch\n", "python3-numpy"), "pacman -S python-numpy");
  EXPECT_EQ(on("ID=arch", "git"), "pacman -S git");
}

TEST(InstallCommand, IsCondasInAnEnvironmentOfIts) {
  EXPECT_EQ(install_command("valgrind", "ID=fedora\n", true), "conda install -c conda-forge valgrind");
  EXPECT_EQ(install_command("python3-numpy", "ID=debian\n", true), "conda install -c conda-forge numpy");
}

TEST(InstallCommand, IsDebiansWhereNothingIsKnown) {
  for (const char* const text : {"", "ID=", "ID=\"\n", "=", "VERSION_ID=fedora\n", "ID=nixos\n"})
    EXPECT_EQ(on(text, "valgrind"), "apt-get install valgrind") << text;
}

}  // namespace
}  // namespace tally
