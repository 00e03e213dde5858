#include "threads.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>

namespace tally::host {

int count_threads() {
  char text[1024];
  const int fd = ::open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t n = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  if (n <= 0) return 0;
  text[n] = 0;
  // num_threads is the 20th field; the second may hold blanks but ends with the last ')'.
  const char* at = std::strrchr(text, ')');
  for (int field = 2; at != nullptr && field < 20; ++field) at = std::strchr(at + 1, ' ');
  return at == nullptr ? 0 : std::atoi(at + 1);
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
    if ((after.tv_sec - before.tv_sec) * 1'000'000'000L + after.tv_nsec - before.tv_nsec < kQuiet) return;
  }
}

}  // namespace tally::host
