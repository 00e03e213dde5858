#include "threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

#include "shared_page.h"

namespace tally::host {

int count_threads() {
  // The kernel counts a link for each thread, and two of the folder. (It adds up what all threads have done for whoever
  // reads their number in /proc/self/stat.)
  constexpr nlink_t kLinks = 2;
  struct stat task{};
  if (::stat("/proc/self/task", &task) != 0 || task.st_nlink < kLinks) return 0;
  return static_cast<int>(task.st_nlink - kLinks);
}

namespace {

long nanoseconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return t.tv_sec * 1'000'000'000L + t.tv_nsec;
}

}  // namespace

bool alone_since_fork() {
  constexpr long kLeastOfAThread = 10'000;  // ns; 21,000 were seen at the least natively, 90,000 under Valgrind
  for (int i = 0; i < 20; ++i) {
    // All but what passes between the two readings is other threads'. An interruption lies between them now and then.
    const long own = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    if (nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - own < kLeastOfAThread) return true;
  }
  return false;
}

namespace {

/// What the kernel says of a thread behind `key`, which begins with a newline, in `text`; null where it says nothing.
const char* status_of(const char* thread, const char* key, char (&text)[4096]) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%.20s/status", thread);
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return nullptr;
  const ssize_t n = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  if (n <= 0) return nullptr;
  text[n] = 0;
  const char* const line = std::strstr(text, key);
  return line == nullptr ? nullptr : line + std::strlen(key);
}

unsigned long long sleeps_of(const char* thread) {
  char text[4096];
  const char* const times = status_of(thread, "\nvoluntary_ctxt_switches:", text);
  return times == nullptr ? 0 : std::strtoull(times, nullptr, 10);
}

void note_running(const char* thread, void* any) {
  char text[4096];
  const char* const state = status_of(thread, "\nState:\t", text);
  if (state != nullptr && *state == 'R') *static_cast<bool*>(any) = true;
}

/// As the kernel writes directory entries; the C library's own reader would allocate.
struct KernelEntry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[1];
};

/// Calls `use` with the name of each thread but the calling one, in the order in which they were started. No template:
/// three copies of it would make the host a page longer, which moves what is mapped after it
/// (tests/suites/host_footprint.py).
void each_other_thread(void (*use)(const char* name, void* context), void* context) {
  const int folder = ::open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  char own[24];
  std::snprintf(own, sizeof own, "%ld", ::syscall(SYS_gettid));
  alignas(KernelEntry) char block[4096];
  for (long size = 0; (size = ::syscall(SYS_getdents64, folder, block, sizeof block)) > 0;) {
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const KernelEntry*>(block + at);
      at += entry->length;
      if (entry->name[0] != '.' && std::strcmp(entry->name, own) != 0) use(entry->name, context);
    }
  }
  ::close(folder);
}

/// How often the other threads have slept, in the order in which they were started.
struct Sleeps {
  static constexpr int kMost = 128;
  int count = 0;
  struct {
    pid_t thread;
    unsigned times;
  } of[kMost];
};

/// Not CPU_COUNT(): that is a function of another version of the C library's interface, which the loader would keep one
/// entry more for (CMakeLists.txt, where the extension's layout is).
int count_of(const cpu_set_t& cpus) {
  int count = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) count += CPU_ISSET(cpu, &cpus) != 0 ? 1 : 0;
  return count;
}

void add_sleeps(const char* name, void* context) {
  auto& sleeps = *static_cast<Sleeps*>(context);
  if (sleeps.count < Sleeps::kMost) sleeps.of[sleeps.count] = {std::atoi(name), static_cast<unsigned>(sleeps_of(name))};
  ++sleeps.count;  // also of those that have no place: then there are too many to bind any
}

/// Where samples will lie, which nobody has taken yet: a separate page would be one more, as above.
Sleeps& noted_sleeps() {
  static_assert(sizeof(Sleeps) <= sizeof shared_page().samples);
  return *reinterpret_cast<Sleeps*>(shared_page().samples);
}

}  // namespace

unsigned long long sleeps_of_others() {
  unsigned long long sleeps = 0;
  each_other_thread([](const char* name, void* sum) { *static_cast<unsigned long long*>(sum) += sleeps_of(name); },
                    &sleeps);
  return sleeps;
}

void note_sleeps() { each_other_thread(add_sleeps, ::new (&noted_sleeps()) Sleeps); }

bool bind_working_threads() {
  const char* const wish = std::getenv("OMP_PROC_BIND");
  if (wish != nullptr && ::strcasecmp(wish, "false") == 0) return false;
  const Sleeps& before = noted_sleeps();
  Sleeps now;
  each_other_thread(add_sleeps, &now);
  cpu_set_t cpus;
  if (now.count != before.count || now.count > Sleeps::kMost || ::sched_getaffinity(0, sizeof cpus, &cpus) != 0)
    return false;
  // The calling thread, then each that has slept since: it was woken, and had something to do.
  pid_t threads[Sleeps::kMost + 1] = {0};
  int working = 1;
  for (int i = 0; i < now.count; ++i) {
    const pid_t thread = now.of[i].thread;
    if (thread != before.of[i].thread) return false;
    if (now.of[i].times == before.of[i].times) continue;
    cpu_set_t own;
    if (::sched_getaffinity(thread, sizeof own, &own) != 0 || CPU_EQUAL(&own, &cpus) == 0) return false;
    threads[working++] = thread;
  }
  if (working < 2 || working != count_of(cpus)) return false;
  for (int i = 0, cpu = 0; i < working; ++i, ++cpu) {
    while (CPU_ISSET(cpu, &cpus) == 0) ++cpu;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ::sched_setaffinity(threads[i], sizeof one, &one);
  }
  return true;
}

void wait_until_others_sleep() {
  constexpr long kPause = 3'000'000;  // ns
  constexpr long kQuiet = 300'000;    // ns of CPU time in a pause: our own waking up and going to sleep
  for (int i = 0; i < 600; ++i) {
    timespec before{};
    timespec after{};
    const timespec pause{0, kPause};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    nanosleep(&pause, nullptr);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    if ((after.tv_sec - before.tv_sec) * 1'000'000'000L + after.tv_nsec - before.tv_nsec >= kQuiet) continue;
    // One that spins uses no time either while another program has its CPU.
    bool running = false;
    each_other_thread(note_running, &running);
    if (!running) return;
  }
}

}  // namespace tally::host
