// Executes many blocks of its own making before it is counted and after, and prints what the kernel says of it.

#include <sys/mman.h>
#include <valgrind/callgrind.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace {

/// Valgrind keeps 42,588 translations in a sector.
constexpr unsigned kBlocks = 100'000;
constexpr unsigned kBytes = 8;

/// Each function returns its number: mov $number, %eax; ret.
unsigned char* make_blocks() {
  void* const at = ::mmap(nullptr, std::size_t{kBlocks} * kBytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) std::abort();
  auto* const blocks = static_cast<unsigned char*>(at);
  for (unsigned i = 0; i < kBlocks; ++i) {
    unsigned char* const block = blocks + std::size_t{i} * kBytes;
    block[0] = 0xb8;
    std::memcpy(block + 1, &i, sizeof i);
    block[1 + sizeof i] = 0xc3;
  }
  return blocks;
}

void execute(unsigned char* blocks) {
  for (unsigned i = 0; i < kBlocks; ++i) {
    const auto function = reinterpret_cast<unsigned (*)()>(blocks + std::size_t{i} * kBytes);
    if (function() != i) std::abort();
  }
}

void report() {
  long resident = 0;
  std::ifstream("/proc/self/statm").ignore(100, ' ') >> resident;
  int mappings = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.contains("/libstdc++.so")) ++mappings;
  }
  std::printf("%ld pages, %d mappings of the library\n", resident, mappings);
}

}  // namespace

int main() {
  unsigned char* const blocks = make_blocks();
  execute(blocks);
  report();
  CALLGRIND_START_INSTRUMENTATION;
  report();
  CALLGRIND_STOP_INSTRUMENTATION;
  CALLGRIND_START_INSTRUMENTATION;
  for (int i = 0; i < 2; ++i) {
    CALLGRIND_DUMP_STATS_AT("before");
    execute(blocks);
    CALLGRIND_DUMP_STATS;
  }
}
