/// Touches N MiB (argument, default 4096), 4 MiB every 2 ms, and then sleeps for ever. With a second argument it first
/// forks that many children that share what it touched up to then.
#include <unistd.h>

#include <cstdlib>

static void touch(long mebibytes) {
  constexpr std::size_t step = 4 * 1024 * 1024;
  for (long done = 0; done < mebibytes; done += 4) {
    // volatile: a compiler may remove a malloc whose memory nobody reads.
    auto* block = static_cast<volatile char*>(std::malloc(step));
    if (block == nullptr) std::_Exit(3);
    for (std::size_t at = 0; at < step; at += 4096) block[at] = 1;
    usleep(2000);
  }
}

int main(int argc, char** argv) {
  touch(argc > 1 ? std::atol(argv[1]) : 4096);
  for (int i = 0; argc > 2 && i < std::atoi(argv[2]); ++i) {
    if (fork() == 0) break;
  }
  if (write(1, "full\n", 5) != 5) return 1;
  for (;;) pause();
}
