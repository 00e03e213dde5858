// Any bytes as a host's image, before its memory is mapped: the loader refuses them, or what its later steps go by lies
// within the tables.
#include <algorithm>
#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

// The loader with another kernel below it: the image is the input, no file is there, and an end is a return.
#define call kernel_call
#include "system.h"
#undef call

namespace {
std::string_view g_input;
std::jmp_buf g_ended;
}  // namespace

namespace tally::host::system {
namespace {
long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long = 0, long = 0) {
  if (number == kExit) std::longjmp(g_ended, 1);                            // NOLINT(cert-err52-cpp)
  if (number == kFstat) reinterpret_cast<Stat*>(b)->size = g_input.size();  // NOLINT(performance-no-int-to-ptr)
  if (number == kFstat || number == kWrite) return 0;
  if (number != kPread || a < 0 || d < 0) return -1;
  const std::string_view rest = g_input.substr(std::min<std::size_t>(d, g_input.size()), c);
  std::memcpy(reinterpret_cast<void*>(b), rest.data(), rest.size());  // NOLINT(performance-no-int-to-ptr)
  return static_cast<long>(rest.size());
}
}  // namespace
}  // namespace tally::host::system

#define TALLY_NO_ENTRY
#include "loader.cc"  // NOLINT(bugprone-suspicious-include)

namespace tally::host {
namespace {

/// Of a string that somebody will read up to its end.
void hold_within_tables(const char* text) {
  const char* const end = g_memory.tables + head().table_size;
  if (text < g_memory.tables || text >= end || std::memchr(text, 0, static_cast<std::size_t>(end - text)) == nullptr)
    std::abort();
}

/// As the loader does, without a file that would have to be there.
void go_through() {
  read_tables();
  check_memory();
  check_descriptors();
  hold_within_tables(string(head().folder));
  const image::Run* run = entries<image::Run>(head().runs);
  for (std::uint64_t i = 0; i < head().mappings.size; ++i) {
    const image::Mapping& mapping = entries<image::Mapping>(head().mappings)[i];
    for (std::uint32_t k = 0; k < mapping.runs; ++k, ++run) {
      if (run->at + run->size > g_input.size() || run->begin + run->size > kAddresses) std::abort();
    }
  }
  for (std::uint64_t i = 0; i < head().descriptors.size; ++i) {
    const image::Descriptor& one = entries<image::Descriptor>(head().descriptors)[i];
    if (one.kind == image::Open::named || one.kind == image::Open::content) hold_within_tables(string(one.name));
  }
  check_files();
}

}  // namespace
}  // namespace tally::host

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tally::host::image::kMagic;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size >= sizeof kMagic) std::memcpy(bytes.data(), &kMagic, sizeof kMagic);
  g_input = bytes;
  std::memset(tally::host::g_memory.tables, 0, sizeof(tally::protocol::image::Head));
  if (setjmp(g_ended) == 0) tally::host::go_through();  // NOLINT(cert-err52-cpp)
  return 0;
}
