#include "cli/standard_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <string_view>
#include <tuple>

#include "base/files.h"
#include "cli/context.h"

namespace tally::cli {
namespace {

constexpr int kPipeClosed = 128 + SIGPIPE;

}  // namespace

void prepare_standard_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest number that is free is this one.
    std::ignore = ::open("/dev/null", O_PATH);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

StandardOutput::StandardOutput(int descriptor)
    : descriptor_(descriptor), is_terminal_(::isatty(descriptor) == 1), before_(std::cout.rdbuf(this)) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

StandardOutput::~StandardOutput() {
  sync();
  std::cout.rdbuf(before_);
}

int StandardOutput::sync() {
  const std::string_view text(pbase(), static_cast<std::size_t>(pptr() - pbase()));
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  if (error_ == 0 && !write_all(descriptor_, text, {})) error_ = errno;
  return error_ == 0 ? 0 : -1;
}

StandardOutput::int_type StandardOutput::overflow(int_type letter) {
  if (sync() != 0) return traits_type::eof();
  if (!traits_type::eq_int_type(letter, traits_type::eof())) sputc(traits_type::to_char_type(letter));
  return traits_type::not_eof(letter);
}

std::streamsize StandardOutput::xsputn(const char* text, std::streamsize length) {
  const std::streamsize taken = std::streambuf::xsputn(text, length);
  if (is_terminal_ && std::string_view(text, static_cast<std::size_t>(length)).contains('\n')) sync();
  return taken;
}

int StandardOutput::finish(int code, std::ostream& err) {
  sync();
  if (error_ == 0) return code;
  if (error_ != EPIPE)
    err << fmt::format("tally: error: cannot write to standard output: {}\n", std::strerror(error_)) << std::flush;
  if (code != kFine) return code;
  return error_ == EPIPE ? kPipeClosed : kFailed;
}

}  // namespace tally::cli
