/// Double-forks a daemon with a session of its own, which ignores SIGTERM and holds no descriptor. With an argument it
/// then sleeps for ever instead of exiting 0. Says the daemon's pid.
#include <unistd.h>

#include <csignal>
#include <cstdio>

int main(int argc, char**) {
  int channel[2];
  if (pipe(channel) != 0) return 1;
  if (fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    std::signal(SIGTERM, SIG_IGN);
    const pid_t self = getpid();
    if (write(channel[1], &self, sizeof self) < 0) _exit(1);
    for (int fd = 0; fd < 64; ++fd) close(fd);
    if (chdir("/") != 0) _exit(1);
    for (;;) pause();
  }
  pid_t daemon = 0;
  if (read(channel[0], &daemon, sizeof daemon) != sizeof daemon) return 1;
  std::printf("%d\n", daemon);
  std::fflush(stdout);
  while (argc > 1) pause();
}
