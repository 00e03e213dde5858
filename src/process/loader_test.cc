#include "process/loader.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/files.h"

namespace tally {
namespace {

using ::testing::HasSubstr;

TEST(Loader, IsTheOneThatTheProgramNames) {
  const Result<std::string> loader = loader_of("/proc/self/exe");
  ASSERT_TRUE(loader) << describe(loader.error());
  EXPECT_THAT(*loader, HasSubstr("/ld-"));
}

TEST(Loader, SaysWhyThereIsNone) {
  EXPECT_THAT(describe(loader_of("/etc/passwd").error()), HasSubstr("/etc/passwd: it names no dynamic loader"));
  EXPECT_THAT(describe(loader_of("/etc/passwd").error()), HasSubstr("without -static and -static-pie"));
  EXPECT_THAT(describe(loader_of("/no/such/program").error()), HasSubstr("/no/such/program"));
}

TEST(Loader, ReadsNothingBeyondTheFile) {
  const std::string whole = read_file("/proc/self/exe").value();
  ASSERT_FALSE(program_interpreter(whole).empty());
  for (std::size_t size = 0; size < 1200; ++size) {
    const std::string cut = whole.substr(0, size);  // a block of its own, for the sanitizers
    EXPECT_TRUE(program_interpreter(cut).empty() || whole.contains(program_interpreter(cut)));
    EXPECT_EQ(path_from_origin(cut, "/a"), "");
  }
}

TEST(Loader, ReadsNothingWhereAPartLiesBeyondTheFile) {
  std::string program = read_file("/proc/self/exe").value();
  ASSERT_TRUE(needs_library(program, "lib"));
  Elf64_Ehdr header;
  std::memcpy(&header, program.data(), sizeof header);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    char* const at = program.data() + header.e_phoff + i * sizeof(Elf64_Phdr);
    Elf64_Phdr part;
    std::memcpy(&part, at, sizeof part);
    part.p_offset += part.p_type == PT_LOAD ? program.size() : 0;
    std::memcpy(at, &part, sizeof part);
  }
  EXPECT_FALSE(needs_library(program, "lib"));
  EXPECT_EQ(path_from_origin(program, "/a"), "");
}

}  // namespace
}  // namespace tally
