/// Hides drivers of devices from the process that preloads it, as the counter does from those that it runs: a library
/// that is loaded by its name, or a file that is opened by its path, is not there (protocol/hidden_drivers.h).
///
/// The real functions are entered by a jump: the loader looks for a library by the rules of the one that calls, which
/// it knows by the address to return to.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "protocol/descriptors.h"
#include "protocol/hidden_drivers.h"

namespace {

using namespace tally;

const char* list() {
  static const char* const hidden = ::getenv(protocol::kHiddenDriversVariable);
  return hidden == nullptr ? "" : hidden;
}

bool is_in(const char* folder, std::size_t length, const char* name) {
  char path[4096];
  const int written = ::snprintf(path, sizeof path, "%.*s/%s", static_cast<int>(length), folder, name);
  return written > 0 && written < static_cast<int>(sizeof path) && ::access(path, F_OK) == 0;
}

/// Whether the loader's own list of libraries has the name.
bool is_in_cache(const char* name) {
  const int file = ::open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
  struct stat about{};
  if (file < 0) return false;
  void* const bytes = ::fstat(file, &about) == 0 && about.st_size > 0
                          ? ::mmap(nullptr, static_cast<std::size_t>(about.st_size), PROT_READ, MAP_PRIVATE, file, 0)
                          : MAP_FAILED;
  ::close(file);
  if (bytes == MAP_FAILED) return false;
  // With the null behind it: another one's name may begin as it does.
  const bool found = ::memmem(bytes, static_cast<std::size_t>(about.st_size), name, ::strlen(name) + 1) != nullptr;
  ::munmap(bytes, static_cast<std::size_t>(about.st_size));
  return found;
}

/// Whether it would be found if it were not hidden. On a machine without a driver, the runner gets no message.
bool is_there(const char* path) {
  if (::strchr(path, '/') != nullptr) return ::access(path, F_OK) == 0;
  const char* folders = ::getenv("LD_LIBRARY_PATH");
  while (folders != nullptr && *folders != 0) {
    const std::size_t length = ::strcspn(folders, ":;");
    if (length > 0 && is_in(folders, length, path)) return true;
    folders += length + (folders[length] != 0 ? 1 : 0);
  }
  for (const char* folder :
       {"/lib64", "/usr/lib64", "/lib", "/usr/lib", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu"}) {
    if (is_in(folder, ::strlen(folder), path)) return true;
  }
  return is_in_cache(path);
}

bool hides(const char* path) {
  if (path == nullptr || !protocol::is_hidden(list(), path)) return false;
  static pid_t reporter = 0;
  if (reporter != ::getpid() && is_there(path)) {
    reporter = ::getpid();
    const int before = errno;
    const protocol::AskedFrame frame = protocol::asked_frame(path);
    if (::write(protocol::kCaseSocket, frame.bytes, frame.size) < 0) errno = before;  // no case has begun
  }
  return true;
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// Of files that are opened, those alone are hidden that the list has by their paths: without any, a measured open()
/// pays for nothing.
bool hides_file(const char* path) {
  static const bool has_paths = ::strchr(list(), '/') != nullptr;
  if (!has_paths || !hides(path)) return false;
  errno = ENOENT;
  return true;
}

mode_t mode_of(int flags, va_list& rest) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void* dlopen(const char* name, int flags) {
  using Open = void*(const char*, int);
  static Open* const real = next<Open>("dlopen");
  // RTLD_NOLOAD looks for what is loaded already: that asks no driver. A hidden one is looked for under a name that no
  // file has, so that the loader itself reports the error.
  if ((flags & RTLD_NOLOAD) == 0 && hides(name)) name = "/nonexistent/driver-that-this-host-does-not-find.so";
  [[clang::musttail]] return real(name, flags);
}

// NOLINTBEGIN(bugprone-macro-parentheses): parameters and arguments have their own
// With a mode, whether there is one or not: the kernel looks at it where a file is made.
#define HIDE_OPEN(function, parameters, arguments)   \
  EXPORTED int function parameters {                 \
    using Open = int parameters;                     \
    static Open* const real = next<Open>(#function); \
    va_list rest;                                    \
    va_start(rest, flags);                           \
    const mode_t mode = mode_of(flags, rest);        \
    va_end(rest);                                    \
    return hides_file(path) ? -1 : real arguments;   \
  }

HIDE_OPEN(open, (const char* path, int flags, ...), (path, flags, mode))
HIDE_OPEN(open64, (const char* path, int flags, ...), (path, flags, mode))
HIDE_OPEN(openat, (int folder, const char* path, int flags, ...), (folder, path, flags, mode))
HIDE_OPEN(openat64, (int folder, const char* path, int flags, ...), (folder, path, flags, mode))
// NOLINTEND(bugprone-macro-parentheses)
