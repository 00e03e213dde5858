/// Writes 64 bytes of nonsense to descriptor 3 (a host's channel) and sleeps for ever.
#include <unistd.h>

#include <cstring>

int main() {
  char nonsense[64];
  std::memset(nonsense, 0xff, sizeof nonsense);
  if (write(3, nonsense, sizeof nonsense) != sizeof nonsense) return 1;
  for (;;) pause();
}
