/// Whose files are whose, by their paths.
#include "symbols/source_lines.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/files.h"

namespace tally {
namespace {

TEST(UsersFiles, AreNotTheSystemsPackagesOrOurs) {
  const UsersFiles users("/home/u/project", {"/home/u/project/build/bench"});
  for (const char* file : {"/home/u/project/a.cc", "/elsewhere/b.h", "relative/c.cc", "/usr/src/app/d.cc"})
    EXPECT_TRUE(users.has_source(file)) << file;
  for (const char* file : {"", "/usr/include/c++/12/vector", "/opt/boost/include/x.hpp", "/nix/store/1-gcc/x.h",
                           "/usr/src/debug/glibc/malloc.c", "/home/u/.cargo/registry/src/x.rs",
                           "/home/u/venv/lib/python3.11/site-packages/x.pyx"})
    EXPECT_FALSE(users.has_source(file)) << file;
  EXPECT_FALSE(users.has_object("/usr/lib/x86_64-linux-gnu/libc.so.6"));
  EXPECT_TRUE(users.has_object("/home/u/project/build/libx.so"));
}

/// Where its own headers are, in an installation, and in the place of Google Benchmark's.
TEST(UsersFiles, AreNotWhatRunsTheLoop) {
  const UsersFiles users("/home/u/project", {});
  for (const std::string prefix : {"/home/u/tally/include/", "/home/u/.local/include/"}) {
    for (const std::string file :
         {"tally/snippet.h", "tallymark/bench.h", "tallymark/bench_c.h", "tallymark/loop.h", "tallymark/reached.h",
          "tallymark/catch2.h", "tallymark/nanobench.h", "tallymark/google/benchmark/state.h",
          "tallymark/google/benchmark/utils.h", "tallymark/catch2/catch2/benchmark/catch_benchmark.hpp",
          "tallymark/nanobench/nanobench.h", "benchmark/benchmark.h"})
      EXPECT_FALSE(users.has_source(prefix + file)) << prefix << file;
  }
  EXPECT_FALSE(users.has_source("/home/u/.local/lib/tallymark/drop-in/include/benchmark/utils.h"));
  EXPECT_TRUE(users.has_source("/home/u/tallymark/src/loop.h"));
  EXPECT_TRUE(users.has_source("/home/u/project/include/benchmark/utils.h"));
}

TEST(UsersFiles, MayLieWhereASystemHasItsOwn) {
  const UsersFiles users("/opt/project", {"/nix/work/build/bench"});
  EXPECT_TRUE(users.has_source("/opt/project/a.cc"));
  EXPECT_FALSE(users.has_source("/opt/projects/a.cc"));
  EXPECT_FALSE(users.has_source("/opt/project/venv/lib/python3.11/site-packages/x.pyx"));
  EXPECT_TRUE(users.has_object("/opt/project/libx.so"));
  EXPECT_TRUE(users.has_object("/nix/work/build/bench")) << "it is what is measured";
  EXPECT_FALSE(users.has_object("/nix/work/build/libx.so"));
  // A folder that has the system's own files, too, makes nothing of these the user's.
  for (const char* folder : {"/", "/usr", "/usr/", "/usr/local", "/opt", "/nix", "/nix/store", "/usr/include"}) {
    const UsersFiles here(folder, {});
    for (const char* file : {"/usr/include/stdio.h", "/usr/local/include/x.h", "/opt/x/x.h", "/nix/store/1-x/x.h"})
      EXPECT_FALSE(here.has_source(file)) << folder << " " << file;
  }
}

TEST(UsersFiles, AreThoseOfTheWholeWorkTree) {
  // In a temporary folder, which is no system's: of a work tree only where it begins can be seen here.
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const std::string top = folder->path().string();
  std::filesystem::create_directories(top + "/tree/.git");
  std::filesystem::create_directories(top + "/tree/build/bin");
  EXPECT_EQ(work_tree_of(top + "/tree/build/bin"), top + "/tree");
  EXPECT_EQ(work_tree_of(top + "/tree"), top + "/tree");
  EXPECT_EQ(work_tree_of(top).rfind(top, 0), std::string::npos);
}

}  // namespace
}  // namespace tally
