/// Where a region allocates: a library that is preloaded into one native host, whose children neither time nor count.
///
/// It stands before the C library's allocator, and before CPython's own where there is one, and keeps for each stack
/// the number of requests and their bytes, between the two calls of tally_allocation_watch() that
/// host/common/allocations.cc makes around a region. At the second it writes what it has seen to
/// $TALLY_ALLOCATION_SITES/PID, as src/profile/allocation_trace.h reads it. Its tables are mapped when it is loaded:
/// it never allocates while it records. What a stack has in common with that of the region's start is the host's, and
/// is left out; the statement's own frame is not.
#include "recorder.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "protocol/dump_names.h"
#include "python_frames.h"

extern "C" {
// glibc's own, under the names that stay when malloc is replaced.
void* __libc_malloc(std::size_t size);                           // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(std::size_t n, std::size_t size);            // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* old, std::size_t size);               // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(std::size_t alignment, std::size_t size);  // NOLINT(bugprone-reserved-identifier)
}

namespace tally::host::sites {
namespace {

constexpr std::size_t kMostFrames = 96;
constexpr std::size_t kMostSites = std::size_t{1} << 15U;

struct Stack {
  std::size_t depth = 0;
  std::uintptr_t frames[kMostFrames];
};

struct Site {
  std::uint64_t hash = 0;  ///< 0: no site.
  Domain domain = Domain::c;
  std::uint32_t python = 0;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  Stack stack;
};

Site* g_sites = nullptr;
std::size_t g_site_count = 0;
std::uint64_t g_lost = 0;  ///< Requests that no place was left for.
Totals g_totals;
Stack g_start;                    ///< Of the region's start.
std::uintptr_t g_host_begin = 0;  ///< The object that named it, as it lies in memory.
std::uintptr_t g_host_end = 0;
std::atomic<bool> g_recording{false};
std::atomic_flag g_busy = ATOMIC_FLAG_INIT;
/// This thread is in the recorder: what it asks for is not the statement's.
__attribute__((tls_model("initial-exec"))) thread_local bool t_inside = false;

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* argument) {
  auto* stack = static_cast<Stack*>(argument);
  if (stack->depth == kMostFrames) return _URC_END_OF_STACK;
  int before = 0;
  const std::uintptr_t ip = _Unwind_GetIPInfo(context, &before);
  if (ip == 0) return _URC_END_OF_STACK;
  // The call itself, not what comes after it: the next instruction may belong to another line or function.
  stack->frames[stack->depth++] = before != 0 ? ip : ip - 1;
  return _URC_NO_REASON;
}

__attribute__((noinline)) void take_stack(Stack& stack) {
  stack.depth = 0;
  _Unwind_Backtrace(add_frame, &stack);
}

bool is_host(std::uintptr_t address) { return address >= g_host_begin && address < g_host_end; }

/// Without the frames of the region's start.
std::size_t own_depth(const Stack& stack) {
  std::size_t same = 0;
  while (same < stack.depth && same < g_start.depth &&
         stack.frames[stack.depth - 1 - same] == g_start.frames[g_start.depth - 1 - same])
    ++same;
  // The Python host's extension has no unwinding tables: every stack ends in it, wherever it was when the region began.
  if (same == 0 && stack.depth > 0 && is_host(stack.frames[stack.depth - 1])) return stack.depth - 1;
  return stack.depth - same;
}

Site* find_site(const Stack& stack, Domain domain, std::uint32_t python) {
  std::uint64_t hash = 0xcbf29ce484222325U ^ static_cast<std::uint64_t>(domain) ^ (std::uint64_t{python} << 8U);
  for (std::size_t i = 0; i < stack.depth; ++i) hash = (hash ^ stack.frames[i]) * 0x9e3779b97f4a7c15U;
  if (hash == 0) hash = 1;
  for (std::size_t at = (hash >> 20U) % kMostSites;; at = (at + 1) % kMostSites) {
    Site& site = g_sites[at];
    if (site.hash == 0) {
      if (g_site_count == kMostSites * 3 / 4) return nullptr;
      ++g_site_count;
      site.hash = hash;
      site.domain = domain;
      site.python = python;
      site.stack.depth = stack.depth;
      std::memcpy(site.stack.frames, stack.frames, stack.depth * sizeof stack.frames[0]);
      return &site;
    }
    if (site.hash == hash && site.domain == domain && site.python == python && site.stack.depth == stack.depth &&
        std::memcmp(site.stack.frames, stack.frames, stack.depth * sizeof stack.frames[0]) == 0)
      return &site;
  }
}

__attribute__((noinline)) void record(Domain domain, std::size_t size) {
  t_inside = true;
  const int saved = errno;
  Stack stack;
  take_stack(stack);
  stack.depth = own_depth(stack);
  const std::uint32_t python = running_frame();
  while (g_busy.test_and_set(std::memory_order_acquire)) {
  }
  if (Site* site = find_site(stack, domain, python)) {
    ++site->count;
    site->bytes += size;
  } else {
    ++g_lost;
  }
  if (domain == Domain::c) {
    ++g_totals.count;
    g_totals.bytes += size;
  }
  g_busy.clear(std::memory_order_release);
  errno = saved;
  t_inside = false;
}

struct Object {
  std::uintptr_t address;
  std::uintptr_t base;
  const char* path;
  std::uintptr_t begin;  ///< Of the segment that holds the address.
  std::uintptr_t end;
};

int find_object(dl_phdr_info* info, std::size_t /*size*/, void* argument) {
  auto* wanted = static_cast<Object*>(argument);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const std::uintptr_t start = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || wanted->address < start || wanted->address >= start + segment.p_memsz) continue;
    wanted->base = info->dlpi_addr;
    wanted->path = info->dlpi_name;
    wanted->begin = start;
    wanted->end = start + segment.p_memsz;
    return 1;
  }
  return 0;
}

void write_frame(std::FILE* file, std::uintptr_t address) {
  Object object{address, 0, "", 0, 0};
  char program[4096];
  if (::dl_iterate_phdr(find_object, &object) != 0 && object.path[0] == 0) {
    const ssize_t length = ::readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    object.path = program;
  }
  std::fprintf(file, "frame %lx %s\n", static_cast<unsigned long>(address - object.base), object.path);
}

void write_sites() {
  const char* folder = std::getenv("TALLY_ALLOCATION_SITES");
  if (folder == nullptr) return;
  const auto path = tally::protocol::observed_path(folder, static_cast<std::uint64_t>(::getpid()),
                                                   tally::protocol::kAllocationTraceEnding);
  std::FILE* file = std::fopen(path, "we");
  if (file == nullptr) return;
  std::fprintf(file, "allocations 1\n");
  for (std::size_t i = 0; i < kMostSites; ++i) {
    const Site& site = g_sites[i];
    if (site.count == 0) continue;
    std::fprintf(file, "site %s %llu %llu\n", site.domain == Domain::c ? "c" : "python",
                 static_cast<unsigned long long>(site.count), static_cast<unsigned long long>(site.bytes));
    if (const char* python = frame_text(site.python)) std::fprintf(file, "python %s\n", python);
    for (std::size_t frame = 0; frame < site.stack.depth; ++frame) write_frame(file, site.stack.frames[frame]);
  }
  if (g_lost > 0) std::fprintf(file, "lost %llu\n", static_cast<unsigned long long>(g_lost));
  std::fprintf(file, "end\n");
  std::fclose(file);
}

/// Of a region before, where one process runs several.
void clear() {
  g_totals = {};
  g_lost = 0;
  if (g_site_count > 0) std::memset(static_cast<void*>(g_sites), 0, kMostSites * sizeof(Site));
  g_site_count = 0;
}

__attribute__((constructor)) void prepare() {
  void* place = ::mmap(nullptr, kMostSites * sizeof(Site), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place != MAP_FAILED) g_sites = static_cast<Site*>(place);
  Stack first;
  take_stack(first);  // what the unwinder sets up once is set up
}

}  // namespace

void note(Domain domain, std::size_t size) {
  if (!g_recording.load(std::memory_order_relaxed) || t_inside) return;
  record(domain, size);
}

}  // namespace tally::host::sites

using tally::host::sites::Domain;
using tally::host::sites::note;

extern "C" {

/// Null: a region starts. Else it has ended, and its count and bytes go there.
__attribute__((visibility("default"))) void tally_allocation_watch(std::uint64_t* totals) {
  using namespace tally::host::sites;
  if (g_sites == nullptr) return;
  if (totals == nullptr) {
    clear();
    Object host{reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)), 0, "", 0, 0};
    ::dl_iterate_phdr(find_object, &host);
    g_host_begin = host.begin;
    g_host_end = host.end;
    take_stack(g_start);
    hook_python();
    g_recording = true;
    return;
  }
  g_recording = false;
  t_inside = true;
  unhook_python();
  write_sites();
  t_inside = false;
  totals[0] = g_totals.count;
  totals[1] = g_totals.bytes;
}

__attribute__((visibility("default"))) void* malloc(std::size_t size) {
  note(Domain::c, size);
  return __libc_malloc(size);
}
__attribute__((visibility("default"))) void* calloc(std::size_t n, std::size_t size) {
  note(Domain::c, n * size);
  return __libc_calloc(n, size);
}
__attribute__((visibility("default"))) void* realloc(void* old, std::size_t size) {
  note(Domain::c, size);
  return __libc_realloc(old, size);
}
__attribute__((visibility("default"))) void* memalign(std::size_t alignment, std::size_t size) {
  note(Domain::c, size);
  return __libc_memalign(alignment, size);
}
__attribute__((visibility("default"))) void* aligned_alloc(std::size_t alignment, std::size_t size) {
  note(Domain::c, size);
  return __libc_memalign(alignment, size);
}
__attribute__((visibility("default"))) int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  note(Domain::c, size);
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void* place = __libc_memalign(alignment, size);
  if (place == nullptr) return ENOMEM;
  *result = place;
  return 0;
}
}
