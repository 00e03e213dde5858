#include "asked.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include "protocol/descriptors.h"
#include "registry.h"
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

void let_files_be_opened(bool they_may) {
  static const rlim_t allowed = [] {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur;
  }();
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = they_may ? allowed : 0;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void serve_call_if_asked() {
  static constexpr auto kForFurtherCalls = std::chrono::seconds(3);
  static std::optional<std::size_t> listed;
  if (asked() == Asked::nothing) return;
  if (asked() == Asked::serving) ::_exit(serve());
  const bool is_first = !listed;
  if (const int code = write_list(listed); code != 0) ::_exit(code);
  listed = registry().size();
  if (!is_first) return;
  // A report of results that it has not: none is written over one that it has made by itself.
  let_files_be_opened(false);
  std::thread([] {
    std::this_thread::sleep_for(kForFurtherCalls);
    ::_exit(0);
  }).detach();
}

}  // namespace tally::embedded
