/// Ignores SIGINT, SIGTERM and SIGHUP, says "ready", and sleeps for ever.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <initializer_list>

int main() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_IGN);
  std::puts("ready");
  std::fflush(stdout);
  for (;;) pause();
}
