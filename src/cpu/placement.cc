#include "cpu/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tally {

namespace {

constexpr Milliseconds kUnspoken{1000};
constexpr Milliseconds kBetweenNews{10'000};

}  // namespace

Result<std::optional<CpuLease>> Placement::share() {
  if (full()) return std::nullopt;
  return leases_.share();
}

Result<std::optional<CpuLease>> Placement::alone(int threads, std::vector<std::string> devices) {
  if (full()) return std::nullopt;
  wanted_alone_ = true;
  const int allowed = static_cast<int>(leases_.topology().allowed.size());
  return leases_.try_lease({.count = std::min(threads, allowed), .whole_cores = true, .devices = std::move(devices)});
}

void Placement::end_round(Clock::time_point now) {
  if (!wanted_alone_) leave();
  if (!leases_.is_waiting() || used_() > 0) {
    since_.reset();
  } else if (!since_) {
    since_ = now;
    news_at_ = now + kUnspoken;
  }
}

void Placement::leave() {
  leases_.leave();
  since_.reset();
}

std::optional<Clock::time_point> Placement::next(Clock::time_point now) const {
  if (!leases_.is_waiting()) return std::nullopt;
  return now + leases_.retry();
}

std::string Placement::news(Clock::time_point now) {
  if (!since_ || now < news_at_) return {};
  news_at_ = now + kBetweenNews;
  return "waiting for CPUs to take times on: " + leases_.waited_for();
}

std::optional<Error> Placement::gives_up(Clock::time_point now) {
  if (!since_ || !most_wait_ || now < *since_ + *most_wait_) return std::nullopt;
  const double seconds = std::chrono::duration<double>(*most_wait_).count();
  return Error{
      ErrorKind::failed,
      fmt::format("times have waited for CPUs for {:g} s, which is the most: {}", seconds, leases_.waited_for()),
      {},
      "let them wait longer (--max-wait), choose other CPUs (--cores), or take no times (--counts-only)"};
}

}  // namespace tally
