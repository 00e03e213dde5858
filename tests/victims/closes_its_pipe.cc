/// Closes descriptor 3 (a host's channel) at once and sleeps for ever.
#include <unistd.h>

int main() {
  close(3);
  for (;;) pause();
}
