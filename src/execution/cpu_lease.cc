#include "execution/cpu_lease.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>

#include "base/text.h"

namespace tally {
namespace {

std::string file_name(CpuIndex cpu) { return fmt::format("cpu-{}", cpu.value); }

std::vector<CpuIndex> all_of(const CpuRange& range) {
  std::vector<CpuIndex> all = range.use.cpus();
  std::ranges::copy(range.idle.cpus(), std::back_inserter(all));
  return all;
}

/// Who holds a flock, by device and inode, from the kernel's own list.
std::map<std::pair<dev_t, ino_t>, int> lock_holders() {
  std::map<std::pair<dev_t, ino_t>, int> holders;
  std::ifstream file("/proc/locks");
  std::string line;
  while (std::getline(file, line)) {
    int pid = 0;
    unsigned major_number = 0;
    unsigned minor_number = 0;
    unsigned long inode = 0;
    const int got =
        std::sscanf(line.c_str(), "%*d: FLOCK ADVISORY %*s %d %x:%x:%lu", &pid, &major_number, &minor_number, &inode);
    if (got == 4) holders[{makedev(major_number, minor_number), inode}] = pid;
  }
  return holders;
}

std::string process_name(int pid) {
  std::ifstream file(fmt::format("/proc/{}/comm", pid));
  std::string name;
  return std::getline(file, name) ? fmt::format(" ({})", name) : "";
}

}  // namespace

Result<std::string> CpuLeases::default_folder() {
  for (const auto& [parent, folder] :
       {std::pair{"/run/lock", "/run/lock/tallymark"}, {"/tmp", "/tmp/tallymark-cpus"}}) {
    struct stat about{};
    const bool there = stat(folder, &about) == 0 && S_ISDIR(about.st_mode);
    if (there || access(parent, W_OK) == 0) return folder;
  }
  return fail(ErrorKind::io, "cannot write to /run/lock or /tmp, where the CPU locks are kept", {},
              "make one of them writable");
}

Result<CpuLeases> CpuLeases::open(CpuTopology topology, const std::string& folder) {
  // 1777, whatever the umask: other users add and read files, and cannot remove ours.
  if (mkdir(folder.c_str(), 0777) == 0) chmod(folder.c_str(), 01777);
  UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened) return std::unexpected(errno_error("open the folder of the CPU locks", folder));
  return CpuLeases(std::move(topology), std::move(opened), folder);
}

Result<UniqueFd> CpuLeases::lock_file(CpuIndex cpu) const {
  const std::string name = file_name(cpu);
  // Two tries: between not finding it and making it another process may have made it. Opening first without O_CREAT
  // also serves fs.protected_regular, which refuses O_CREAT on other users' files in a sticky folder.
  for (int i = 0; i < 2; ++i) {
    UniqueFd there(openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (there || errno != ENOENT) {
      if (there) return there;
      break;
    }
    UniqueFd made(openat(folder_.get(), name.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (made) fchmod(made.get(), 0644);
    if (made) return made;
    if (errno != EEXIST) break;
  }
  return std::unexpected(errno_error("open a CPU lock", fmt::format("{}/{}", path_, name)));
}

Result<std::optional<UniqueFd>> CpuLeases::lock(CpuIndex cpu, Hold hold) const {
  for (;;) {
    Result<UniqueFd> file = lock_file(cpu);
    if (!file) return std::unexpected(file.error());
    if (flock(file->get(), (hold == Hold::alone ? LOCK_EX : LOCK_SH) | LOCK_NB) < 0) {
      if (errno == EWOULDBLOCK) return std::nullopt;
      if (errno == EINTR) continue;
      return std::unexpected(errno_error("lock", fmt::format("{}/{}", path_, file_name(cpu))));
    }
    // A cleaner of temporary files may have removed it between our open and our lock: then it locks nothing.
    struct stat held{};
    struct stat named{};
    fstat(file->get(), &held);
    const bool same = fstatat(folder_.get(), file_name(cpu).c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
                      held.st_ino == named.st_ino && held.st_dev == named.st_dev;
    if (same) return std::move(*file);
  }
}

const std::vector<CpuRange>& CpuLeases::ranges_for(const LeaseWish& wish) {
  const auto [at, is_new] = ranges_.try_emplace({wish.count, wish.whole_cores});
  if (is_new) at->second = possible_ranges(topology_, wish);
  return at->second;
}

bool CpuLeases::is_free_here(const CpuRange& range) {
  const auto is_free = [this](CpuIndex cpu) { return !uses_[cpu].has_alone() && uses_[cpu].shares() == 0; };
  return std::ranges::all_of(range.use.cpus(), is_free) && std::ranges::all_of(range.idle.cpus(), is_free);
}

Result<std::optional<CpuLease>> CpuLeases::try_lease(const LeaseWish& wish) {
  const std::vector<CpuRange>& ranges = ranges_for(wish);
  if (ranges.empty()) {
    return fail(ErrorKind::input,
                fmt::format("{} CPUs are needed at once, and only {} may be used ({})", wish.count,
                            topology_.allowed.size(), to_string(topology_.allowed)),
                {}, "allow more with --cores, or use fewer threads");
  }
  for (const CpuRange& range : ranges) {
    if (!is_free_here(range)) continue;
    CpuLease lease;
    lease.range_ = range;
    for (const CpuIndex cpu : all_of(range)) {
      Result<std::optional<UniqueFd>> locked = lock(cpu, Hold::alone);
      if (!locked) return std::unexpected(locked.error());
      if (!*locked) break;
      lease.locks_.push_back(std::move(**locked));
      lease.marks_.push_back(uses_[cpu].alone);
    }
    if (lease.locks_.size() == range.use.size() + range.idle.size()) return lease;
  }
  return std::nullopt;
}

std::vector<CpuIndex> CpuLeases::least_shared_first() {
  std::vector<std::pair<long, CpuIndex>> order;
  for (const CpuIndex cpu : topology_.allowed.cpus()) order.emplace_back(uses_[cpu].shares(), cpu);
  std::ranges::sort(order);
  std::vector<CpuIndex> cpus;
  cpus.reserve(order.size());
  for (const auto& [shares, cpu] : order) cpus.push_back(cpu);
  return cpus;
}

Result<CpuLease> CpuLeases::share() {
  const std::vector<CpuIndex> order = least_shared_first();
  CpuLease lease;
  CpuIndex chosen = order.front();
  for (const CpuIndex cpu : order) {
    if (uses_[cpu].has_alone()) continue;
    Result<std::optional<UniqueFd>> locked = lock(cpu, Hold::shared);
    if (!locked) return std::unexpected(locked.error());
    if (!*locked) continue;
    lease.locks_.push_back(std::move(**locked));
    chosen = cpu;
    break;
  }
  lease.range_.use = CpuSet({chosen});
  lease.marks_.push_back(uses_[chosen].shared);
  return lease;
}

std::vector<std::string> CpuLeases::holders() const {
  const std::map<std::pair<dev_t, ino_t>, int> holders = lock_holders();
  std::vector<std::string> lines;
  for (const CpuIndex cpu : topology_.allowed.cpus()) {
    struct stat about{};
    if (fstatat(folder_.get(), file_name(cpu).c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const auto holder = holders.find({about.st_dev, about.st_ino});
    if (holder == holders.end()) continue;
    lines.push_back(
        fmt::format("CPU {} is held by process {}{}", cpu.value, holder->second, process_name(holder->second)));
  }
  return lines;
}

}  // namespace tally
