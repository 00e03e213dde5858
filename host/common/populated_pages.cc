#include "populated_pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string_view>

#include "memory_map.h"

namespace tally::host {

namespace {

constexpr unsigned long kPage = 4096;
constexpr unsigned long kMostPages = 1024;
/// Of a mapping: nobody looks through what somebody has only reserved.
constexpr unsigned long kLargest = 1UL << 30U;
constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE

/// An entry of /proc/self/pagemap.
using Entry = std::uint64_t;
constexpr Entry kPresent = Entry{1} << 63U;
constexpr Entry kFiles = Entry{1} << 61U;
constexpr Entry kExclusive = Entry{1} << 56U;

struct Range {
  unsigned long begin;
  unsigned long end;
};

struct Learned {
  static constexpr unsigned kMostRanges = 254;
  Range ranges[kMostRanges];
  int claimed;
  unsigned count;  ///< 0 until all are there.
};
Learned* g_learned = nullptr;

class Pages {
 public:
  /// False when there is no room for more.
  bool add(unsigned long page) {
    if (pages_ == kMostPages) return false;
    if (count_ > 0 && g_learned->ranges[count_ - 1].end == page) {
      g_learned->ranges[count_ - 1].end += kPage;
    } else {
      if (count_ == Learned::kMostRanges) return false;
      g_learned->ranges[count_++] = {page, page + kPage};
    }
    ++pages_;
    return true;
  }
  void publish() const { __atomic_store_n(&g_learned->count, count_, __ATOMIC_RELEASE); }

 private:
  unsigned count_ = 0;
  unsigned long pages_ = 0;
};

bool add_written(const Mapping& mapping, int pagemap, Pages& pages) {
  Entry entries[512];
  for (unsigned long at = mapping.begin; at < mapping.end;) {
    const ssize_t n = ::pread(pagemap, entries, sizeof entries, static_cast<off_t>(at / kPage * sizeof(Entry)));
    if (n < static_cast<ssize_t>(sizeof(Entry))) return false;
    for (unsigned i = 0; i < n / sizeof(Entry) && at < mapping.end; ++i, at += kPage) {
      const bool is_written = (entries[i] & (kPresent | kFiles | kExclusive)) == (kPresent | kExclusive);
      if (is_written && !pages.add(at)) return false;
    }
  }
  return true;
}

}  // namespace

void prepare_to_learn_pages() {
  void* const at = ::mmap(nullptr, sizeof(Learned), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at != MAP_FAILED) g_learned = static_cast<Learned*>(at);
}

void learn_written_pages() {
  if (g_learned == nullptr || __atomic_exchange_n(&g_learned->claimed, 1, __ATOMIC_RELAXED) != 0) return;
  const int pagemap = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  Pages pages;
  Mapping mapping;
  for (std::string_view maps = read_maps(); take_mapping(maps, mapping);) {
    if (!mapping.allows("rw-p") || mapping.end - mapping.begin > kLargest) continue;
    if (!add_written(mapping, pagemap, pages)) break;
  }
  ::close(pagemap);
  pages.publish();
}

void populate_learned_pages() {
  if (g_learned == nullptr) return;
  const unsigned count = __atomic_load_n(&g_learned->count, __ATOMIC_ACQUIRE);
  for (unsigned i = 0; i < count && i < Learned::kMostRanges; ++i) {
    const auto [begin, end] = g_learned->ranges[i];
    if (end - begin > kMostPages * kPage) continue;  // a case has written here
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel reports this process's memory as numbers
    ::madvise(reinterpret_cast<void*>(begin), end - begin, kPopulateWrite);
  }
}

}  // namespace tally::host
