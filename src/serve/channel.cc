#include "serve/channel.h"

#include <fmt/format.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "serve/events.h"
#include "serve/request.h"

namespace tally::serve {

namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10;
constexpr int kBlocksAtOnce = 128;  // then others have their turn
constexpr std::size_t kMostFiles = 4;
/// What a pipe that poll() calls writable takes at once.
constexpr std::size_t kPipeBlock = 4096;

bool ready(int fd, short what) {
  pollfd polled{fd, what, 0};
  return ::poll(&polled, 1, 0) > 0;
}

/// The one descriptor that came beside some bytes, or of several the last: nobody sends two at once.
void take_files(msghdr& message, std::deque<UniqueFd>& files) {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      files.emplace_back(fd);
    }
  }
  while (files.size() > kMostFiles) files.pop_front();
}

/// A file in memory that holds the text; invalid where the system has no room.
UniqueFd file_of(std::string_view text) {
  UniqueFd fd(::memfd_create("tally", MFD_CLOEXEC));
  while (fd && !text.empty()) {
    const ssize_t n = ::write(fd.get(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fd.reset();
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
  return fd;
}

}  // namespace

Channel::Channel(UniqueFd socket, std::uint64_t longest_passed, std::uint64_t most_unsent)
    : socket_(std::move(socket)),
      longest_passed_(longest_passed),
      most_unsent_(most_unsent),
      in_(socket_.get()),
      out_(socket_.get()) {}

Channel::Channel(int in, int out) : in_(in), out_(out) {}

std::size_t Channel::longest_line() const { return is_socket() ? kLongestLine : kLongestPassed; }

/// As read(): 0 at the end, -1 when nothing is there now.
std::ptrdiff_t Channel::read_some(std::string_view& bytes) {
  static std::array<char, kBlock> block;
  ssize_t n = -1;
  if (!is_socket()) {
    // Its other users would see O_NONBLOCK too.
    if (!ready(in_, POLLIN)) return -1;
    n = ::read(in_, block.data(), block.size());
  } else {
    iovec part{block.data(), block.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(8 * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    n = ::recvmsg(in_, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n >= 0) take_files(message, files_);
  }
  if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? -1 : 0;
  bytes = {block.data(), static_cast<std::size_t>(n)};
  return n;
}

std::vector<Result<std::string>> Channel::receive() {
  std::vector<Result<std::string>> documents;
  for (int i = 0; i < kBlocksAtOnce && !ended_; ++i) {
    std::string_view bytes;
    const std::ptrdiff_t n = read_some(bytes);
    if (n < 0) break;
    ended_ = n == 0;
    take(bytes, documents);
  }
  // A last line need not end.
  if (ended_ && !line_.empty()) documents.push_back(document_of(std::exchange(line_, {})));
  return documents;
}

void Channel::take(std::string_view bytes, std::vector<Result<std::string>>& documents) {
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    const std::string_view part = bytes.substr(0, newline);
    if (!skips_line_ && line_.size() + part.size() > longest_line()) {
      skips_line_ = true;
      line_ = {};
      documents.push_back(fail(ErrorKind::input, fmt::format("a line of more than {} MiB", longest_line() >> 20), {},
                               is_socket() ? "pass the document as a file: {\"passed\": BYTES}" : ""));
    }
    if (!skips_line_) line_ += part;
    if (newline == std::string_view::npos) return;
    bytes.remove_prefix(newline + 1);
    if (!std::exchange(skips_line_, false) && !line_.empty())
      documents.push_back(document_of(std::exchange(line_, {})));
  }
}

Result<std::string> Channel::document_of(std::string line) {
  const auto passed = passed_bytes(line);
  if (!passed) return line;
  return passed_document(*passed);
}

Result<std::string> Channel::passed_document(std::uint64_t bytes) {
  if (files_.empty())
    return fail(ErrorKind::input, "no file came with this line", "passed", "send its descriptor beside it");
  const UniqueFd file = std::move(files_.front());
  files_.pop_front();
  if (bytes > longest_passed_) {
    return fail(ErrorKind::input, fmt::format("a document of more than {} MiB", longest_passed_ >> 20), "passed",
                "larger data belong in a file that the document names");
  }
  struct stat about{};
  if (::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode) || static_cast<std::uint64_t>(about.st_size) < bytes)
    return fail(ErrorKind::input, "the file that came is shorter than it should be, or is none", "passed",
                "say as many bytes as the file has");
  std::string text(bytes, '\0');
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::pread(file.get(), text.data() + at, text.size() - at, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::unexpected(errno_error("read the file that came", "passed"));
    at += static_cast<std::size_t>(n);
  }
  return text;
}

void Channel::send(std::string document) {
  if (broken_ || breaks_when_sent_) return;
  if (int unread = 0; unread_files_ > 0 && ::ioctl(out_, SIOCOUTQ, &unread) == 0 && unread == 0) unread_files_ = 0;
  if (unsent_bytes_ + unread_files_ > most_unsent_) {
    broken_ = true;
    return;
  }
  Unsent next;
  if (is_socket() && document.size() > kLongestLine) {
    next.file = file_of(document);
    if (!next.file) {
      const Error error =
          errno_error(fmt::format("pass a document of {} bytes as a file in memory", document.size()), "passed");
      queue({.bytes = error_event({}, error)});
      breaks_when_sent_ = true;
      flush();
      return;
    }
    next.file_bytes = document.size();
    document = passed_line(document.size());
  }
  next.bytes = std::move(document);
  queue(std::move(next));
  flush();
}

void Channel::queue(Unsent next) {
  next.bytes.push_back('\n');
  unsent_bytes_ += next.bytes.size() + next.file_bytes;
  unsent_.push_back(std::move(next));
}

/// As write(); -1 with EAGAIN when it takes nothing now.
std::ptrdiff_t Channel::write_some(const Unsent& next) const {
  const std::string_view rest = std::string_view(next.bytes).substr(next.sent);
  if (!is_socket()) {
    errno = EAGAIN;
    return ready(out_, POLLOUT) ? ::write(out_, rest.data(), std::min(rest.size(), kPipeBlock)) : -1;
  }
  iovec part{const_cast<char*>(rest.data()), rest.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (next.file && next.sent == 0) {
    const int fd = next.file.get();
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  return ::sendmsg(out_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void Channel::flush() {
  while (!unsent_.empty() && !broken_) {
    Unsent& next = unsent_.front();
    const std::ptrdiff_t n = write_some(next);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n < 0) {
      broken_ = true;
      return;
    }
    next.sent += static_cast<std::size_t>(n);
    unsent_bytes_ -= static_cast<std::size_t>(n);
    if (n > 0 && next.file) {
      unsent_bytes_ -= next.file_bytes;
      unread_files_ += next.file_bytes;
      next.file.reset();
    }
    if (next.sent == next.bytes.size()) unsent_.pop_front();
  }
  if (unsent_.empty() && breaks_when_sent_) broken_ = true;
}

}  // namespace tally::serve
