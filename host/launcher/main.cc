/// Starts tally's counter where no Valgrind is installed that it belongs to, or none at all.
///
///   tally-launcher [--first] --tool=PATH OPTION… PROGRAM ARGUMENT…
///
/// The counter is a whole program, Valgrind's core being in it; what Valgrind's own launcher does is to find it, and to
/// say who it is (VALGRIND_LAUNCHER), so that a program which a guest executes is started the same way. With --first,
/// which the counter does not know and so never passes on, the environment becomes what Debian's `valgrind` makes of
/// it: a count does not depend on who started its host.
#include <linux/limits.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr char kFirst[] = "--first";
constexpr char kTool[] = "--tool=";
constexpr char kPlatform[] = "-amd64-linux";

int fail(const char* message, const char* what) {
  std::fprintf(stderr, "tally-launcher: %s %s\n", message, what);
  return 127;
}

/// Ours; what Valgrind needs of its own lies beside it, in `valgrind`.
bool find_self(char* path, size_t size) {
  const ssize_t length = ::readlink("/proc/self/exe", path, size - 1);
  if (length <= 0) return false;
  path[length] = 0;
  return true;
}

void set_first_variables() {
  constexpr char kDebug[] = "/usr/lib/debug";
  const char* const before = std::getenv("LD_LIBRARY_PATH");
  char paths[PATH_MAX * 2];
  if (before == nullptr || *before == 0) {
    std::snprintf(paths, sizeof paths, "%s", kDebug);
  } else {
    std::snprintf(paths, sizeof paths, "%s:%s", before, kDebug);
  }
  ::setenv("LD_LIBRARY_PATH", paths, 1);
  ::setenv("GLIBCPP_FORCE_NEW", "1", 1);
  ::setenv("GLIBCXX_FORCE_NEW", "1", 1);
}

}  // namespace

int main(int argc, char** argv) {
  char self[PATH_MAX];
  if (!find_self(self, sizeof self)) return fail("cannot find itself in", "/proc");
  const bool is_first = argc > 1 && std::strcmp(argv[1], kFirst) == 0;
  char** const arguments = argv + (is_first ? 1 : 0);
  if (argc - (is_first ? 1 : 0) < 2 || std::strncmp(arguments[1], kTool, sizeof kTool - 1) != 0)
    return fail("which tool is to be started? it begins with", kTool);
  // Valgrind's launcher takes it for a path within its own folder, which leads up to the root.
  const char* tool = arguments[1] + sizeof kTool - 1;
  while (std::strncmp(tool, "../", 3) == 0) tool += 3;
  char file[PATH_MAX];
  if (std::snprintf(file, sizeof file, "/%s%s", *tool == '/' ? tool + 1 : tool, kPlatform) >= PATH_MAX)
    return fail("too long a path:", tool);
  if (is_first) set_first_variables();
  ::setenv("VALGRIND_LAUNCHER", self, 1);
  std::strcpy(std::strrchr(self, '/'), "/valgrind");
  ::setenv("VALGRIND_LIB", self, 1);
  arguments[0] = argv[0];
  ::execv(file, arguments);
  return fail("cannot start", file);
}
