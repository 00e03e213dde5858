/// Starts two threads, forks a child that sleeps, says "threads", and sleeps for ever in all of them.
#include <unistd.h>

#include <cstdio>
#include <thread>

int main() {
  const auto sleep_for_ever = [] {
    for (;;) pause();
  };
  std::thread one(sleep_for_ever);
  std::thread other([] {
    if (fork() == 0) std::puts("child of a thread");
    std::fflush(stdout);
    for (;;) pause();
  });
  std::puts("threads");
  std::fflush(stdout);
  sleep_for_ever();
}
