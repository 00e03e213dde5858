#include "process/watched_fds.h"

#include <sys/ioctl.h>

namespace tally {
namespace {

/// The other side has hung up and everything it sent has been read.
bool is_closed(const pollfd& polled) {
  if ((polled.revents & POLLNVAL) != 0) return true;
  if ((polled.revents & (POLLHUP | POLLERR)) == 0) return false;
  int waiting = 0;
  return ioctl(polled.fd, FIONREAD, &waiting) == 0 ? waiting == 0 : (polled.revents & POLLIN) == 0;
}

}  // namespace

void WatchedFds::add(const pollfd& polled) {
  if (polled.revents != 0) (is_closed(polled) ? closed : readable).insert(polled.fd);
}

void WatchedFds::report(std::vector<Event>& events, std::set<int>& watched) const {
  for (const int fd : readable) events.emplace_back(FdReadable{fd});
  for (const int fd : closed) {
    watched.erase(fd);
    events.emplace_back(FdClosed{fd});
  }
}

WatchedFds look_at(const std::set<int>& fds) {
  std::vector<pollfd> polled;
  polled.reserve(fds.size());
  for (const int fd : fds) polled.push_back({fd, POLLIN, 0});
  WatchedFds found;
  if (poll(polled.data(), polled.size(), 0) <= 0) return found;
  for (const pollfd& one : polled) found.add(one);
  return found;
}

}  // namespace tally
