#include "run/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"

namespace tally {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// As the driver's folders are, of versions 535 and 580.
TEST(Machine, CardsAreNamedByTheirDriversOwnFiles) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const std::string root = folder->path().string();
  EXPECT_THAT(gpu_facts(root), IsEmpty());
  for (const char* const card : {"0000:0f:00.0", "0000:1f:00.0"}) {
    const std::filesystem::path own = folder->path() / "gpus" / card;
    std::filesystem::create_directories(own);
    ASSERT_TRUE(
        write_file(own / "information", "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 16\nGPU UUID: \t GPU-1\n"));
  }
  ASSERT_TRUE(write_file(folder->path() / "version",
                         "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (x)\n"
                         "GCC version:  gcc version 13.3.0 (Ubuntu 13.3.0-6ubuntu2)\n"));
  EXPECT_THAT(gpu_facts(root), ElementsAre(Pair("gpu", "2 NVIDIA H100 80GB HBM3"), Pair("gpu.driver", "580.159.04")));
  ASSERT_TRUE(write_file(folder->path() / "version",
                         "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\n"));
  std::filesystem::remove_all(folder->path() / "gpus" / "0000:1f:00.0");
  EXPECT_THAT(gpu_facts(root), ElementsAre(Pair("gpu", "NVIDIA H100 80GB HBM3"), Pair("gpu.driver", "535.104.05")));
}

}  // namespace
}  // namespace tally
