// Does one thing, chosen by its argument, most of them with a file in a folder of its own, and prints what the counter
// has seen of it.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/callgrind.h>
#include <valgrind/valgrind.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

#include "protocol/case_watch.h"

namespace tally::host {

/// As the code that runs a case asks, in one object with the case.
[[gnu::noinline]] int ask_for_number() { return static_cast<int>(::getpid() + ::gettid()); }

}  // namespace tally::host

namespace {

int opened(const char* path, int flags) { return ::open(path, flags, 0600); }

int act(const std::string& what, int earlier) {
  if (what == "read") return ::close(opened("there", O_RDONLY));
  if (what == "write") return ::close(opened("there", O_WRONLY));
  if (what == "append") return std::ofstream("there", std::ios::app).good() ? 0 : 1;
  if (what == "make") return ::close(opened("new", O_RDONLY | O_CREAT));
  if (what == "lock") return opened("there", O_RDWR | O_CREAT | O_EXCL) < 0 ? 0 : 1;
  if (what == "earlier") return ::write(earlier, "x", 1) == 1 ? 0 : 1;
  if (what == "folder") return ::mkdir("folder", 0700);
  if (what == "rename") return ::rename("there", "elsewhere");
  if (what == "remove") return ::unlink("there");
  if (what == "missing") return ::unlink("missing") < 0 ? 0 : 1;
  if (what == "null") return ::close(opened("/dev/null", O_RDWR | O_CREAT));
  if (what == "proc") return ::close(opened("/proc/self/comm", O_RDWR));
  if (what == "memory") return ::write(::memfd_create("memory", 0), "x", 1) == 1 ? 0 : 1;
  if (what == "nameless") return std::fputs("x", std::tmpfile()) >= 0 ? std::fflush(nullptr) : 1;
  if (what == "day") return std::chrono::system_clock::now().time_since_epoch().count() > 0 ? 0 : 1;
  if (what == "seconds") return std::time(nullptr) > 0 ? 0 : 1;
  if (what == "processor") return __builtin_ia32_rdtsc() > 0 ? 0 : 1;
  if (what == "process") return ::getpid() > 0 ? 0 : 1;
  if (what == "own thread") return ::gettid() > 0 ? 0 : 1;
  if (what == "by number") return ::syscall(SYS_getpid) > 0 ? 0 : 1;
  if (what == "of host") return tally::host::ask_for_number() > 0 ? 0 : 1;
  if (what == "own time") return std::clock() >= 0 ? 0 : 1;
  if (what == "steady") return std::chrono::steady_clock::now().time_since_epoch().count() > 0 ? 0 : 1;
  // All that a case can make a seed of, and time that passes by this clock: else this would wait for ever.
  if (what == "seed") {
    using std::chrono::system_clock;
    timeval now{};
    ::gettimeofday(&now, nullptr);
    std::printf("%lld %lld %ld %llu", static_cast<long long>(std::time(nullptr)),
                static_cast<long long>(system_clock::now().time_since_epoch().count()), static_cast<long>(now.tv_usec),
                static_cast<unsigned long long>(__builtin_ia32_rdtsc()));
    std::this_thread::sleep_until(system_clock::now() + std::chrono::milliseconds(20));
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_until(lock, system_clock::now() + std::chrono::milliseconds(20));
    std::printf(" %lld\n", static_cast<long long>(system_clock::now().time_since_epoch().count()));
    return 0;
  }
  if (what == "pauses") {
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_TOGGLE_COLLECT;
    const int status = act("child", earlier);
    CALLGRIND_TOGGLE_COLLECT;
    return status;
  }
  if (what == "starts" || what == "runs" || what == "threads") {
    CALLGRIND_START_INSTRUMENTATION;
    if (what == "starts") return act("child", earlier);
    if (what == "runs") return std::system("/bin/true");
    std::thread([] {}).join();
    return 0;
  }
  if (what == "child") {
    if (::fork() == 0) std::_Exit(act("write", earlier));
    int status = 0;
    ::wait(&status);
    return status;
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tally::host;
  char folder[] = "/tmp/tally_files_XXXXXX";
  if (argc != 2 || ::mkdtemp(folder) == nullptr || ::chdir(folder) != 0) return 2;
  ::close(opened("there", O_WRONLY | O_CREAT));
  const int earlier = opened("earlier", O_WRONLY | O_CREAT);
  const auto* const seen = static_cast<const CaseWatch*>(
      ::mmap(nullptr, sizeof(CaseWatch), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  VALGRIND_DO_CLIENT_REQUEST_STMT(kWatchCase, seen, 0, 0, 0, 0);
  const int failed = act(argv[1], earlier);
  std::printf("%s%s%s%s\n", seen->changed_file[0] == 0 ? "nothing" : seen->changed_file,
              (seen->requested & kTimeOfDay) == 0 ? "" : ", the clock",
              (seen->requested & kOwnNumber) != 0                   ? ", its number"
              : (seen->requested & (kClock | kTimeOfDay)) == kClock ? ", a steady clock"
                                                                    : "",
              (seen->requested & kProcess) != 0 ? ", a process" : "");
  std::filesystem::remove_all(folder);
  return failed == 0 ? 0 : 1;
}
