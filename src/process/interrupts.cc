#include "process/interrupts.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace tally {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

// What a handler needs, and no more: the pipe's writing end, -1 while nothing is installed.
std::atomic<int> write_end = -1;
std::array<struct sigaction, kSignals.size()> previous;
std::array<std::atomic<std::int64_t>, kSignals.size()> last_ns;  // When each came last; 0: not yet.

constexpr std::int64_t kOnce = 50'000'000;  // ns

/// GNU timeout sends its signal to the command, and once more to the command's group: that asks once.
bool came_just_now(int signal) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t ns = now.tv_sec * 1'000'000'000LL + now.tv_nsec;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (kSignals[i] != signal) continue;
    const std::int64_t last = last_ns[i].exchange(ns);
    return last != 0 && ns - last < kOnce;
  }
  return false;
}

extern "C" void tally_on_interrupt(int signal) {
  const int kept = errno;
  const char one = 1;
  // Full: 65,536 are pending already.
  [[maybe_unused]] const ssize_t written = came_just_now(signal) ? 0 : write(write_end.load(), &one, 1);
  errno = kept;
}

}  // namespace

Result<Interrupts> Interrupts::install() {
  if (write_end.load() >= 0) return fail(ErrorKind::internal, "interrupts are installed twice");
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) return std::unexpected(errno_error("make a pipe", "interrupts"));
  write_end = ends[1];
  struct sigaction action{};
  action.sa_handler = tally_on_interrupt;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    last_ns[i] = 0;
    sigaction(kSignals[i], &action, &previous[i]);
    if (previous[i].sa_handler == SIG_IGN && kSignals[i] != SIGTERM) sigaction(kSignals[i], &previous[i], nullptr);
  }
  return Interrupts(UniqueFd(ends[0]));
}

Interrupts::Interrupts(Interrupts&& other) noexcept
    : InterruptionSource(),
      pipe_(std::move(other.pipe_)),
      count_(other.count_),
      installed_(std::exchange(other.installed_, false)) {}

Interrupts::~Interrupts() {
  if (!installed_) return;
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &previous[i], nullptr);
  close(write_end.exchange(-1));
}

int Interrupts::count() {
  std::array<char, 64> bytes{};
  ssize_t got = 0;
  while ((got = read(pipe_.get(), bytes.data(), bytes.size())) > 0) count_ += static_cast<int>(got);
  return count_;
}

}  // namespace tally
