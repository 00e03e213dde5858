/// Prints what it was given: arguments, environment, folder, CPUs, descriptors, signals, limits, personality, stdin.
#include <dirent.h>
#include <sched.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

int main(int argc, char** argv) {
  for (int i = 0; i < argc; ++i) std::printf("arg %s\n", argv[i]);
  for (char** variable = environ; *variable != nullptr; ++variable) std::printf("env %s\n", *variable);
  char folder[4096];
  std::printf("folder %s\n", getcwd(folder, sizeof folder));
  cpu_set_t cpus;
  sched_getaffinity(0, sizeof cpus, &cpus);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &cpus)) std::printf("cpu %d\n", cpu);
  }
  std::set<int> fds;
  DIR* list = opendir("/proc/self/fd");
  while (const dirent* entry = readdir(list)) {
    if (entry->d_name[0] != '.' && std::atoi(entry->d_name) != dirfd(list)) fds.insert(std::atoi(entry->d_name));
  }
  closedir(list);
  for (const int fd : fds) std::printf("fd %d\n", fd);
  sigset_t mask;
  sigprocmask(SIG_SETMASK, nullptr, &mask);
  for (int number = 1; number < 32; ++number) {
    struct sigaction action{};
    sigaction(number, nullptr, &action);
    if (action.sa_handler != SIG_DFL) std::printf("signal %d is not default\n", number);
    if (sigismember(&mask, number) == 1) std::printf("signal %d is blocked\n", number);
  }
  rlimit core{};
  getrlimit(RLIMIT_CORE, &core);
  std::printf("core %llu\n", static_cast<unsigned long long>(core.rlim_cur));
  std::printf("aslr %s\n", (personality(0xffffffff) & ADDR_NO_RANDOMIZE) != 0 ? "off" : "on");
  std::printf("session %s\n", getsid(0) == getpid() ? "own" : "another");
  char text[4096];
  const ssize_t got = read(0, text, sizeof text);
  std::printf("stdin %.*s\n", static_cast<int>(got), text);
}
