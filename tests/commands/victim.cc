// What a counted command may do, of known work: `victim HOW [N]`.
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <semaphore.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

void work(long count) {
  for (long i = 0; i < count; ++i) asm volatile("nop");
}

constexpr long kWork = 1'000'000;

/// The child is killed when all is done that it does.
int killed() {
  int ends[2];
  if (::pipe(ends) != 0) return 1;
  const pid_t child = ::fork();
  if (child == 0) {
    work(kWork);
    (void)!::write(ends[1], "x", 1);
    for (;;) ::pause();
  }
  char byte = 0;
  if (::read(ends[0], &byte, 1) != 1) return 1;
  ::usleep(300'000);  // until it pauses, on a busy machine, too
  ::kill(child, SIGKILL);
  ::wait(nullptr);
  return 0;
}

int daemon() {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setsid();
    if (::fork() == 0) {
      ::usleep(200'000);
      work(kWork);
    }
    ::_exit(0);
  }
  ::wait(nullptr);
  return 0;
}

/// Waits until a moment of the day that no clock of the system's reaches in its lifetime.
int semaphore() {
  auto* const shared =
      static_cast<sem_t*>(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ::sem_init(shared, 1, 0);
  timespec until{};
  ::clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 50'000'000;
  if (until.tv_nsec >= 1'000'000'000) {
    ++until.tv_sec;
    until.tv_nsec -= 1'000'000'000;
  }
  return ::sem_timedwait(shared, &until) == -1 && errno == ETIMEDOUT ? 0 : 1;
}

long long now_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

timespec moment(long long ns) { return {ns / 1'000'000'000, ns % 1'000'000'000}; }

/// Waits until a moment, of either clock, by each call that takes one, and notes when it has come.
int sleeps() {
  constexpr long long kWait = 100'000'000;
  for (const clockid_t clock : {CLOCK_MONOTONIC, CLOCK_REALTIME}) {
    const long long until = now_ns(clock) + kWait;
    const timespec at = moment(until);
    if (::clock_nanosleep(clock, TIMER_ABSTIME, &at, nullptr) != 0 || now_ns(clock) < until) return 1;
    const int timer = ::timerfd_create(clock, 0);
    const itimerspec alarm{{}, moment(now_ns(clock) + kWait)};
    if (::timerfd_settime(timer, TFD_TIMER_ABSTIME, &alarm, nullptr) != 0) return 2;
    unsigned long long times = 0;
    if (::read(timer, &times, sizeof times) != sizeof times || times != 1) return 3;
  }
  return 0;
}

/// How much is done follows from what the system answers.
int asks() {
  unsigned char bytes[2] = {};
  if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return 1;
  work(bytes[0] * 100L);
  const int file = ::open("/dev/urandom", O_RDONLY);
  if (::read(file, bytes, 1) != 1) return 1;
  work(bytes[0] * 100L);
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  work(now.tv_nsec % 1000);
  work(std::time(nullptr) % 1000);
  return 0;
}

/// What cannot be started, its starter is to know.
int spawns() {
  const char* const argv[] = {"no-such-program", nullptr};
  pid_t child = 0;
  if (::posix_spawnp(&child, argv[0], nullptr, nullptr, const_cast<char* const*>(argv), environ) != ENOENT) return 1;
  const char* const good[] = {"true", nullptr};
  int status = 0;
  if (::posix_spawnp(&child, good[0], nullptr, nullptr, const_cast<char* const*>(good), environ) != 0) return 2;
  return ::waitpid(child, &status, 0) == child && status == 0 ? 0 : 3;
}

/// Waits for what nobody writes, until a signal comes.
int interrupted() {
  int ends[2];
  if (::pipe(ends) != 0) return 1;
  struct sigaction action{};
  action.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &action, nullptr);
  ::alarm(1);
  char byte = 0;
  return ::read(ends[0], &byte, 1) == -1 && errno == EINTR ? 0 : 2;
}

/// Each call that waits for a time at the most takes that time of the clock, too.
int waits() {
  constexpr long long kWait = 50'000'000;
  const timespec time = moment(kWait);
  const int epoll = ::epoll_create1(0);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  int word = 0;
  epoll_event event{};
  const std::function<void()> calls[] = {[&] { ::ppoll(nullptr, 0, &time, nullptr); },
                                         [&] { ::epoll_pwait(epoll, &event, 1, kWait / 1'000'000, &signals); },
                                         [&] { ::sigtimedwait(&signals, nullptr, &time); },
                                         [&] { ::syscall(SYS_futex, &word, FUTEX_WAIT, 0, &time, nullptr, 0); },
                                         [&] { ::poll(nullptr, 0, kWait / 1'000'000); },
                                         [&] { ::pselect(0, nullptr, nullptr, nullptr, &time, nullptr); }};
  int number = 1;
  for (const auto& call : calls) {
    const long long until = now_ns(CLOCK_MONOTONIC) + kWait;
    call();
    const long long late = now_ns(CLOCK_MONOTONIC) - until;
    if (late < 0 || late > kWait) return number;
    ++number;
  }
  return 0;
}

/// A child that writes in small pieces, and a reader that takes what is there.
int reads_pipe() {
  int ends[2];
  if (::pipe(ends) != 0) return 1;
  if (::fork() == 0) {
    ::close(ends[0]);
    for (int i = 0; i < 50; ++i) {
      if (i % 10 == 0) ::usleep(1000);
      (void)!::write(ends[1], "0123456789", 10);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  char block[4096];
  while (::read(ends[0], block, sizeof block) > 0) work(1000);
  ::wait(nullptr);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  const long count = argc > 2 ? std::atol(argv[2]) : kWork;
  if (how == "nops") return work(count), 0;
  if (how == "threads") {
    std::vector<std::thread> threads;
    threads.reserve(3);
    for (int i = 0; i < 3; ++i) threads.emplace_back(work, count);
    for (std::thread& one : threads) one.join();
    return 0;
  }
  if (how == "fork") {
    if (::fork() == 0) {
      work(count);
      ::_exit(0);
    }
    ::wait(nullptr);
    return 0;
  }
  if (how == "exec") {
    ::execl("/no/such/program", "program", nullptr);
    ::execl(argv[0], argv[0], "nops", argc > 2 ? argv[2] : "1000000", nullptr);
    return 1;
  }
  if (how == "killed") return killed();
  if (how == "daemon") return daemon();
  if (how == "semaphore") return semaphore();
  if (how == "asks") return asks();
  if (how == "sleeps") return sleeps();
  if (how == "spawns") return spawns();
  if (how == "interrupted") return interrupted();
  if (how == "waits") return waits();
  if (how == "pipe") return reads_pipe();
  if (how == "exit") return static_cast<int>(count);
  if (how == "crash") ::raise(SIGSEGV);
  if (how == "unknown") asm volatile(".byte 0x62, 0xf1, 0x7c, 0x48, 0x28, 0xc0");  // vmovaps %zmm0, %zmm0
  if (how == "memory") {
    std::vector<char> bytes(static_cast<std::size_t>(count) << 20U);
    std::memset(bytes.data(), 1, bytes.size());
    return bytes[bytes.size() / 2] - 1;
  }
  if (how == "stays") {
    if (::fork() == 0) ::sleep(60);
    return 0;
  }
  return 2;
}
