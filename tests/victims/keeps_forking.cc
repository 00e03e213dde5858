/// Forks and lets the parent exit, over and over, in four lines at once: a tree that moves while it is being killed.
/// Says nothing. Ends by itself after 10 s.
#include <unistd.h>

#include <csignal>
#include <ctime>

int main() {
  std::signal(SIGCHLD, SIG_IGN);
  const std::time_t end = std::time(nullptr) + 10;
  const pid_t first = getpid();
  for (int i = 0; i < 4; ++i) {
    if (fork() == 0) break;
  }
  if (getpid() == first) {
    for (;;) pause();
  }
  setsid();
  while (std::time(nullptr) < end) {
    const pid_t child = fork();
    if (child > 0) _exit(0);
    if (child == 0 && getpid() % 3 == 0) setsid();
  }
}
