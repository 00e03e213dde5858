#include "profile/lint.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "profile/names.h"

namespace tally {

namespace {

struct Rule {
  std::string_view why;
  std::string_view names;  ///< Separated by blanks; each is matched whole, versions and leading underscores taken off.
};

constexpr std::array kRules = {
    Rule{"reads a clock", "clock_gettime gettimeofday time clock times ftime"},
    Rule{"asks for random numbers of the system", "getrandom getentropy arc4random rand_r"},
    Rule{"sleeps or waits",
         "nanosleep clock_nanosleep usleep sleep poll ppoll select pselect epoll_wait sem_wait sem_timedwait "
         "sched_yield"},
    Rule{"does input or output",
         "read write readv writev pread pwrite pread64 pwrite64 open open64 openat openat64 close fsync recv recvfrom "
         "recvmsg send "
         "sendto sendmsg connect accept stat fstat lstat access"},
    Rule{"starts a thread or a process",
         "pthread_create clone clone3 fork vfork posix_spawn posix_spawnp execve waitpid wait4"},
};

bool is_c_library(std::string_view object) {
  const std::string_view name = base_name(object);
  return name.starts_with("libc.so") || name.starts_with("libc-") || name.starts_with("libpthread");
}

/// "__clock_gettime@@GLIBC_2.17" is "clock_gettime".
std::string_view plain(std::string_view name) {
  name = name.substr(0, name.find_first_of("@'"));
  while (name.starts_with('_')) name.remove_prefix(1);
  if (name.starts_with("GI_")) name.remove_prefix(3);
  while (name.starts_with('_')) name.remove_prefix(1);
  return name;
}

bool holds(std::string_view names, std::string_view name) {
  return std::ranges::any_of(split(names, ' '), [name](std::string_view one) { return one == name; });
}

}  // namespace

std::vector<LintFinding> lint_region(const Profile& profile) {
  std::map<std::string, std::uint64_t, std::less<>> executed;  // calls by plain name
  for (const Profile::Row& row : profile.rows) {
    const Profile::Function& function = profile.functions[row.function];
    if (is_c_library(profile.object_of(function))) executed.emplace(plain(profile.name_of(function)), 0);
  }
  for (const Profile::Call& call : profile.calls) {
    const Profile::Function& callee = profile.functions[call.callee];
    if (!is_c_library(profile.object_of(callee))) continue;
    const auto found = executed.find(plain(profile.name_of(callee)));
    if (found != executed.end()) found->second += call.count;
  }
  std::vector<LintFinding> findings;
  for (const Rule& rule : kRules) {
    for (const auto& [name, calls] : executed) {
      if (holds(rule.names, name)) findings.push_back({name, std::string(rule.why), calls});
    }
  }
  return findings;
}

}  // namespace tally
