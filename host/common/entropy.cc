#include "entropy.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <valgrind/valgrind.h>

#include <cerrno>
#include <cstring>

#include "callgrind.h"
#include "protocol/entropy_stream.h"
#include "shared_page.h"

namespace tally::host::entropy {

namespace {

constinit Entropy g_entropy;
bool g_answers = true;
bool g_counter = false;  ///< It answers.
/// Natively a word that the kernel zeroes in a forked process: asking for its number would take a tenth of the time
/// that os.urandom() takes.
unsigned* g_mine = nullptr;
long g_owner = 0;  ///< Under Callgrind.

bool ask_counter(unsigned request, unsigned argument) {
  return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, request, argument, 0, 0, 0, 0) == 1;
}

#ifdef __x86_64__

/// Not the C library's, whose page may just not be executable.
long call(long number, long first, long second, long third) {
  asm volatile("syscall" : "+a"(number) : "D"(first), "S"(second), "d"(third) : "rcx", "r11", "memory");
  return number;  // the result by now
}

void own() {
  if (g_mine != nullptr) *g_mine = 1;
  if (g_mine == nullptr) g_owner = call(SYS_getpid, 0, 0, 0);
}

/// A process that the case has forked has bytes of its own, by when it asks first.
void look_whose() {
  const bool mine = g_mine != nullptr ? *g_mine != 0 : g_owner == call(SYS_getpid, 0, 0, 0);
  if (mine) return;
  const unsigned number = __atomic_add_fetch(&shared_page().askers, 1, __ATOMIC_RELAXED);
  g_entropy.usual.forks = number;
  g_entropy.in_passing.forks = number;
  g_entropy = g_entropy.of_child();
  own();
}

/// What writing over takes is not the case's: the counter has it done outside of the program. The main thread may be
/// in a pause; all others are counted.
class Uncounted {
 public:
  Uncounted() {
    if (g_mine != nullptr) return;
    is_main_ = call(SYS_gettid, 0, 0, 0) == call(SYS_getpid, 0, 0, 0);
    was_counted_ = is_main_ ? callgrind::collects() : callgrind::running();
    if (was_counted_) change(false);
  }
  Uncounted(const Uncounted&) = delete;
  Uncounted& operator=(const Uncounted&) = delete;
  ~Uncounted() {
    if (was_counted_) change(true);
  }

 private:
  void change(bool counted) const {
    if (is_main_) callgrind::collect(counted);
    if (!is_main_) callgrind::toggle();
  }
  bool is_main_ = false;
  bool was_counted_ = false;
};

void write_over(void* to, std::size_t size, unsigned flags) {
  constexpr unsigned kNonBlocking = 1;
  if (!g_answers) return;
  const Uncounted here;
  look_whose();
  ((flags & kNonBlocking) != 0 ? g_entropy.in_passing : g_entropy.usual).fill(static_cast<unsigned char*>(to), size);
}

ssize_t getrandom(void* to, std::size_t size, unsigned flags) {
  const long given = call(SYS_getrandom, reinterpret_cast<long>(to), static_cast<long>(size), flags);
  if (given < 0) {
    errno = static_cast<int>(-given);
    return -1;
  }
  write_over(to, static_cast<std::size_t>(given), flags);
  return given;
}

int getentropy(void* to, std::size_t size) {
  if (size > 256) {
    errno = EIO;
    return -1;
  }
  return getrandom(to, size, 0) == static_cast<ssize_t>(size) ? 0 : -1;
}

void arc4random_buf(void* to, std::size_t size) {
  for (auto* at = static_cast<char*>(to); size > 0;) {
    const ssize_t given = getrandom(at, size, 0);
    if (given <= 0) continue;
    at += given;
    size -= static_cast<std::size_t>(given);
  }
}

unsigned arc4random() {
  unsigned word = 0;
  arc4random_buf(&word, sizeof word);
  return word;
}

unsigned arc4random_uniform(unsigned end) {
  if (end < 2) return 0;
  const unsigned least = -end % end;
  for (;;) {
    if (const unsigned word = arc4random(); word >= least) return word % end;
  }
}

/// std::random_device's. It asks the processor, which nobody can answer for.
unsigned random_value(void* /*device*/) {
  if (!g_answers) return arc4random();
  const Uncounted here;
  look_whose();
  return static_cast<unsigned>(g_entropy.usual.next());
}

/// From now on `name` is `replacement`, whoever calls it. Where its code may not be written it stays what it is.
void replace(const char* name, const void* replacement) {
  struct Jump {
    unsigned char indirect[6] = {0xff, 0x25, 0, 0, 0, 0};  // to where the next eight bytes say
    unsigned char target[8];
  } jump;
  constexpr long kPage = 4096;
  void* const code = ::dlsym(RTLD_DEFAULT, name);
  if (code == nullptr) return;
  std::memcpy(jump.target, static_cast<const void*>(&replacement), sizeof jump.target);
  const long from = reinterpret_cast<long>(code) & -kPage;
  const long size = ((reinterpret_cast<long>(code) + static_cast<long>(sizeof jump) + kPage - 1) & -kPage) - from;
  // Without leave to execute it meanwhile: Valgrind then forgets what it has translated of it.
  if (call(SYS_mprotect, from, size, PROT_READ | PROT_WRITE) != 0) return;
  // Byte by byte: memcpy may lie on that page.
  auto* const to = static_cast<volatile unsigned char*>(code);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&jump);
  for (std::size_t i = 0; i < sizeof jump; ++i) to[i] = bytes[i];
  call(SYS_mprotect, from, size, PROT_READ | PROT_EXEC);
}

void answer_here() {
  if (RUNNING_ON_VALGRIND == 0) {
    void* const page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED && ::madvise(page, 4096, MADV_WIPEONFORK) == 0) g_mine = static_cast<unsigned*>(page);
  }
  own();
  replace("getrandom", reinterpret_cast<const void*>(&getrandom));
  replace("getentropy", reinterpret_cast<const void*>(&getentropy));
  replace("arc4random", reinterpret_cast<const void*>(&arc4random));
  replace("arc4random_buf", reinterpret_cast<const void*>(&arc4random_buf));
  replace("arc4random_uniform", reinterpret_cast<const void*>(&arc4random_uniform));
  replace("_ZNSt13random_device9_M_getvalEv", reinterpret_cast<const void*>(&random_value));
}

#else

void own() {}
void answer_here() {}

#endif

}  // namespace

void prepare() {
  g_counter = ask_counter(kBeginEntropy, 1);
  if (!g_counter) answer_here();
}

void begin(bool system_answers) {
  if (ask_counter(kBeginEntropy, system_answers ? 0 : 1)) return;
  g_entropy = Entropy{};
  g_answers = !system_answers;
  own();
}

void keep_over_fork() { ask_counter(kKeepEntropy, 0); }

void continue_after_fork() {
  if (!g_counter) own();
}

}  // namespace tally::host::entropy
