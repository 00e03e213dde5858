#include "asked.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "protocol/descriptors.h"
#include "served.h"

namespace tally::embedded {

namespace {

Asked take_question() {
  const char* const word = std::getenv(protocol::kAskVariable);
  if (word == nullptr) return Asked::nothing;
  const Asked asked = std::strcmp(word, protocol::kAskToServe) == 0  ? Asked::serving
                      : std::strcmp(word, protocol::kAskToList) == 0 ? Asked::list
                                                                     : Asked::nothing;
  ::unsetenv(protocol::kAskVariable);
  return asked;
}

Asked& question() {
  static Asked taken = take_question();
  return taken;
}

/// Before the program's own static objects are made, which may look at the environment, too.
[[maybe_unused]] __attribute__((constructor(101))) void take_early() { static_cast<void>(asked()); }

}  // namespace

Asked asked() { return question(); }
void forget_question() { question() = Asked::nothing; }

void serve_if_asked() {
  if (asked() == Asked::nothing) return;
  ::_exit(asked() == Asked::serving ? serve() : write_list());
}

}  // namespace tally::embedded
