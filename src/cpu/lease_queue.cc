#include "cpu/lease_queue.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <limits>

#include "base/files.h"
#include "cpu/lock_file.h"

namespace tally {
namespace {

constexpr const char* kName = "queue";
constexpr long long kFirstTicket = 65536;  // below it are the CPUs' bytes; a machine that is up has counted further
constexpr long long kEnd = std::numeric_limits<off_t>::max();
constexpr std::size_t kMostSeen = 64;

long long now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<long long>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// By Ctrl-Z or a debugger. The state follows the name, which is in brackets and may hold any.
bool is_stopped(int pid) {
  const auto text = read_file(fmt::format("/proc/{}/stat", pid));
  if (!text) return false;
  const std::size_t name = text->rfind(") ");
  return name != std::string::npos && name + 2 < text->size() && ((*text)[name + 2] == 'T' || (*text)[name + 2] == 't');
}

}  // namespace

Status LeaseQueue::open() {
  if (file_ && is_named(file_.get(), folder_, kName)) return {};
  ticket_.reset();
  wanted_ = {};
  file_.reset();
  auto opened = open_lock_file(folder_, path_, kName);
  if (!opened) return std::unexpected(opened.error());
  file_ = *std::move(opened);
  return {};
}

bool LeaseQueue::lock(short kind, long long from, long long length) const {
  struct flock wanted{};
  wanted.l_type = kind;
  wanted.l_whence = SEEK_SET;
  wanted.l_start = from;
  wanted.l_len = length;
  return fcntl(file_.get(), F_OFD_SETLK, &wanted) == 0;
}

std::optional<LeaseQueue::Found> LeaseQueue::first_lock(long long from, long long end) const {
  if (from >= end) return std::nullopt;
  struct flock asked{};
  asked.l_type = F_WRLCK;  // one that nobody's read lock would let through
  asked.l_whence = SEEK_SET;
  asked.l_start = from;
  asked.l_len = end - from;
  if (fcntl(file_.get(), F_OFD_GETLK, &asked) != 0 || asked.l_type == F_UNLCK) return std::nullopt;
  return Found{asked.l_start, asked.l_len};
}

Status LeaseQueue::enter() {
  if (Status opened = open(); !opened || ticket_) return opened;
  const long long ticket = now_ns();
  lock(F_RDLCK, ticket, getpid());
  ticket_ = ticket;
  return {};
}

void LeaseQueue::leave() {
  if (!ticket_ && wanted_.empty()) return;
  lock(F_UNLCK, 0, 0);
  ticket_.reset();
  wanted_ = {};
}

std::vector<int> LeaseQueue::ahead() {
  if (!open()) return {};
  std::vector<std::pair<long long, int>> found;
  std::vector<std::pair<long long, long long>> open = {{kFirstTicket, ticket_.value_or(kEnd)}};
  while (!open.empty() && found.size() < kMostSeen) {
    const auto [from, end] = open.back();
    open.pop_back();
    const auto one = first_lock(from, end);
    if (!one) continue;
    // The kernel names any of them.
    found.emplace_back(one->start, static_cast<int>(one->length));
    open.emplace_back(from, one->start);
    open.emplace_back(one->start + one->length, end);
  }
  std::ranges::sort(found);
  std::vector<int> pids;
  for (const auto& [start, pid] : found) {
    if (!is_stopped(pid)) pids.push_back(pid);
  }
  return pids;
}

void LeaseQueue::want(const CpuSet& cpus) {
  if (cpus == wanted_ || !file_) return;
  for (const CpuIndex cpu : wanted_.cpus()) lock(F_UNLCK, cpu.value, 1);
  for (const CpuIndex cpu : cpus.cpus()) lock(F_RDLCK, cpu.value, 1);
  wanted_ = cpus;
}

bool LeaseQueue::is_wanted_by_others(CpuIndex cpu) {
  return open() && first_lock(cpu.value, cpu.value + 1).has_value();
}

}  // namespace tally
