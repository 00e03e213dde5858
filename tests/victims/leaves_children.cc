/// Forks N (argument, default 3) children that sleep for ever, one of them with a child of its own, and exits 0.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  const int children = argc > 1 ? std::atoi(argv[1]) : 3;
  for (int i = 0; i < children; ++i) {
    if (fork() != 0) continue;
    if (i == 0) fork();
    for (;;) pause();
  }
  std::puts("left");
}
