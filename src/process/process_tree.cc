#include "process/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tally {
namespace {

/// At most `size` - 1 bytes of a /proc file, ended by a 0; the length, or -1.
ssize_t read_text(const char* path, char* buffer, std::size_t size) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  std::size_t used = 0;
  ssize_t got = 0;
  while (used + 1 < size && (got = read(fd, buffer + used, size - 1 - used)) > 0) used += static_cast<std::size_t>(got);
  close(fd);
  buffer[used] = 0;
  return got < 0 ? -1 : static_cast<ssize_t>(used);
}

/// The children of `pid` by the kernel's own list; false when the kernel lacks it (CONFIG_PROC_CHILDREN).
bool listed_children(pid_t pid, std::vector<TreeProcess>& into) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR* tasks = opendir(path);
  if (tasks == nullptr) return true;  // It is gone.
  bool have_list = true;
  while (const dirent* task = readdir(tasks)) {
    if (task->d_name[0] == '.') continue;
    char list[400];
    char text[16384];  // Some 2,000 children of one thread; more are found on the next pass.
    std::snprintf(list, sizeof list, "/proc/%d/task/%s/children", pid, task->d_name);
    if (read_text(list, text, sizeof text) < 0) {
      have_list = errno != ENOENT || access(path, F_OK) != 0;
      continue;
    }
    for (char* at = text; *at != 0;) {
      char* end = at;
      const long child = std::strtol(at, &end, 10);
      if (end == at || *end != ' ') break;  // The end, or a number that was cut off.
      into.push_back({static_cast<pid_t>(child), pid});
      at = end + 1;
    }
  }
  closedir(tasks);
  return have_list;
}

std::vector<TreeProcess> every_process() {
  std::vector<TreeProcess> all;
  DIR* proc = opendir("/proc");
  if (proc == nullptr) return all;
  while (const dirent* entry = readdir(proc)) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    const pid_t parent = living_parent(pid);
    if (parent > 0) all.push_back({pid, parent});
  }
  closedir(proc);
  return all;
}

std::vector<TreeProcess> descendants_by_scan(pid_t root) {
  const std::vector<TreeProcess> all = every_process();
  std::vector<TreeProcess> found{{root, 0}};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const pid_t parent = found[i].pid;
    for (const TreeProcess& process : all) {
      if (process.parent == parent) found.push_back(process);
    }
  }
  found.erase(found.begin());
  return found;
}

bool signal_verified(const TreeProcess& process, int signal) {
  const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0));
  if (pidfd < 0) return errno == ENOSYS && kill(process.pid, signal) == 0;
  // Still the child that was listed? Not if it was reaped and another process got its number before pidfd_open.
  const bool sent =
      living_parent(process.pid) == process.parent && syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0) == 0;
  close(pidfd);
  return sent;
}

int signal_all(const std::vector<TreeProcess>& processes, int signal) {
  int sent = 0;
  for (auto process = processes.rbegin(); process != processes.rend(); ++process) {
    sent += signal_verified(*process, signal) ? 1 : 0;
  }
  return sent;
}

}  // namespace

pid_t living_parent(pid_t pid) {
  char path[64];
  char text[1024];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  if (read_text(path, text, sizeof text) <= 0) return -1;
  const char* after_name = std::strrchr(text, ')');  // The name may hold anything, a ')' too.
  char state = 0;
  pid_t parent = -1;
  if (after_name == nullptr || std::sscanf(after_name, ") %c %d", &state, &parent) != 2) return -1;
  return state == 'Z' || state == 'X' ? -1 : parent;
}

std::vector<TreeProcess> descendants(pid_t root) {
  std::vector<TreeProcess> found;
  if (!listed_children(root, found)) return descendants_by_scan(root);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const pid_t parent = found[i].pid;
    if (!listed_children(parent, found)) return descendants_by_scan(root);
  }
  return found;
}

int signal_descendants(pid_t root, int signal) { return signal_all(descendants(root), signal); }

int signal_tree(pid_t root, int signal) {
  const std::vector<TreeProcess> below = descendants(root);  // Before the root dies and they get another parent.
  const int sent = kill(root, signal) == 0 ? 1 : 0;
  return sent + signal_all(below, signal);
}

}  // namespace tally
