#include "parent_death.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>

namespace tally::host {

void die_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
}

}  // namespace tally::host
