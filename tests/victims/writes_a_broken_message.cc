/// Writes 64 bytes that are no message to descriptor 3 (a host's channel) and sleeps for ever.
#include <unistd.h>

#include <cstring>

int main() {
  char bytes[64];
  std::memset(bytes, 0xff, sizeof bytes);
  if (write(3, bytes, sizeof bytes) != sizeof bytes) return 1;
  for (;;) pause();
}
