// What forked processes share with this one, and how many mappings it takes.

#include "written_memory.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "fresh_heap.h"
#include "joined_mappings.h"
#include "memory_map.h"

namespace tally::host {
namespace {

/// The line of /proc/self/maps that an address is in; "" if there is none.
std::string mapping_of(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::string_view maps = read_maps();
  for (std::size_t end = 0; (end = maps.find('\n')) != std::string_view::npos; maps.remove_prefix(end + 1)) {
    const std::string line(maps.substr(0, end));
    unsigned long begin = 0;
    unsigned long behind = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &behind) != 2) continue;  // NOLINT(cert-err34-c)
    if (begin <= wanted && wanted < behind) return line;
  }
  return "";
}

int g_variable = 41;
int g_zero;
constexpr std::size_t kLarge = std::size_t{8} << 20U;
char g_unused[kLarge];
std::string g_text = "longer than what a string has room for in itself";

TEST(WrittenMemory, WhatIsSharedStaysWhatItIsAndIsEachProcesssOwn) {
  if (other_allocator() != nullptr) GTEST_SKIP() << "malloc is another's";
  g_variable = 42;
  const auto block = std::make_unique<std::string>(1000, 'x');
  share_written_memory();
  for (const void* address : {static_cast<const void*>(&g_variable), static_cast<const void*>(&g_zero),
                              static_cast<const void*>(block->data())}) {
    EXPECT_NE(mapping_of(address).find("memfd:heap"), std::string::npos) << mapping_of(address);
    EXPECT_NE(mapping_of(address).find("rw-p"), std::string::npos) << mapping_of(address);
  }
  EXPECT_TRUE(std::ranges::all_of(g_unused, [](char byte) { return byte == 0; }));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool as_it_was =
        g_variable == 42 && g_zero == 0 && g_text.starts_with("longer") && *block == std::string(1000, 'x');
    g_variable = 7;
    g_zero = 7;
    (*block)[0] = 'y';
    g_text += std::string(100'000, 'z');
    ::_exit(as_it_was && g_variable == 7 && g_text.ends_with("z") ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(g_variable, 42);
  EXPECT_EQ(g_zero, 0);
  EXPECT_EQ(*block, std::string(1000, 'x'));
  EXPECT_TRUE(g_text.ends_with("itself"));
}

TEST(JoinedMappings, WhatALibraryHasToReadAndToExecuteIsOne) {
  Dl_info library{};
  void* const code = ::dlsym(RTLD_DEFAULT, "qsort");
  ASSERT_NE(::dladdr(code, &library), 0);
  join_mappings_of_libraries();
  EXPECT_NE(mapping_of(code).find("r-xp"), std::string::npos);
  EXPECT_EQ(mapping_of(code), mapping_of(library.dli_fbase)) << "the file's header, and its code";
}

/// Who takes a function over has made its page writable.
TEST(JoinedMappings, APageThatMayBeWrittenStaysSo) {
  void* const code = ::dlsym(RTLD_DEFAULT, "strfry");
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  auto* const start = static_cast<unsigned char*>(code) - reinterpret_cast<std::uintptr_t>(code) % page;
  ASSERT_EQ(::mprotect(start, page, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
  join_mappings_of_libraries();
  EXPECT_NE(mapping_of(start).find("rwxp"), std::string::npos) << mapping_of(start);
}

}  // namespace
}  // namespace tally::host
