#include "cpu/lease.h"

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
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>

#include "base/contains.h"
#include "base/files.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cpu/lock_file.h"

namespace tally {
namespace {

std::string file_name(CpuIndex cpu) { return fmt::format("cpu-{}", cpu.value); }
std::string file_name(const std::string& device) { return fmt::format("device-{}", device); }

std::vector<CpuIndex> all_of(const CpuRange& range) {
  std::vector<CpuIndex> all = range.use.cpus();
  std::ranges::copy(range.idle.cpus(), std::back_inserter(all));
  return all;
}

/// What is locked, by device and inode, and the processes that lock it, from the kernel's own list. Those of other
/// containers have no number here.
std::multimap<std::pair<dev_t, ino_t>, int> lock_holders() {
  std::multimap<std::pair<dev_t, ino_t>, int> holders;
  std::ifstream file("/proc/locks");
  std::string line;
  while (std::getline(file, line)) {
    int pid = 0;
    unsigned major_number = 0;
    unsigned minor_number = 0;
    unsigned long inode = 0;
    const int got =
        std::sscanf(line.c_str(), "%*d: FLOCK ADVISORY %*s %d %x:%x:%lu", &pid, &major_number, &minor_number, &inode);
    if (got == 4) holders.insert({{makedev(major_number, minor_number), inode}, pid});
  }
  return holders;
}

/// "process 4711 (tally time 'x + 1')".
std::string process_text(int pid) {
  constexpr std::size_t kShown = 60;  // bytes of a command
  const auto arguments = read_file(fmt::format("/proc/{}/cmdline", pid));
  std::string command;
  if (arguments) {
    for (const std::string_view argument : split(*arguments, '\0')) {
      if (!command.empty() && !argument.empty()) command += ' ';
      command += command.empty() ? argument.substr(argument.rfind('/') + 1) : argument;
    }
  }
  if (command.empty()) return fmt::format("process {}", pid);
  std::ranges::replace_if(command, [](unsigned char letter) { return letter < ' '; }, ' ');
  if (command.size() > kShown) command = std::string(cut_to_bytes(command, kShown)) + "…";
  return fmt::format("process {} ({})", pid, command);
}

}  // namespace

Result<std::string> CpuLeases::default_folder(const std::string& named) {
  if (!named.empty()) return named;
  constexpr std::pair<const char*, const char*> kPlaces[] = {{"/run/lock", "/run/lock/tallymark"},
                                                             {"/tmp", "/tmp/tallymark-cpus"}};
  struct stat about{};
  const auto is_there = [&](const char* folder) { return stat(folder, &about) == 0 && S_ISDIR(about.st_mode); };
  for (const auto& [parent, folder] : kPlaces) {
    if (access(is_there(folder) ? folder : parent, W_OK) == 0) return folder;
  }
  // What must not be written may have all files already.
  for (const auto& [parent, folder] : kPlaces) {
    if (is_there(folder)) return folder;
  }
  return fail(ErrorKind::io, "cannot write to /run/lock or /tmp, where the CPU locks are kept", {},
              "make one of them writable, or name a folder of yours in TALLY_CPU_LOCKS");
}

Result<CpuLeases> CpuLeases::open(CpuTopology topology, const std::string& folder) {
  std::error_code ignored;  // open() says it better
  std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), ignored);
  // 1777, whatever the umask: other users add and read files, and cannot remove ours.
  if (mkdir(folder.c_str(), 0777) == 0) chmod(folder.c_str(), 01777);
  UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened) return std::unexpected(errno_error("open the folder of the CPU locks", folder));
  return CpuLeases(std::move(topology), std::move(opened), folder);
}

Result<std::optional<UniqueFd>> CpuLeases::lock(const std::string& name, Hold hold) const {
  for (;;) {
    Result<UniqueFd> file = open_lock_file(folder_.get(), path_, name);
    if (!file) return std::unexpected(file.error());
    if (flock(file->get(), (hold == Hold::alone ? LOCK_EX : LOCK_SH) | LOCK_NB) < 0) {
      if (errno == EWOULDBLOCK) return std::nullopt;
      if (errno == EINTR) continue;
      return std::unexpected(errno_error("lock", fmt::format("{}/{}", path_, name)));
    }
    if (is_named(file->get(), folder_.get(), name)) return std::move(*file);
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
  std::vector<const CpuRange*> open;
  for (const CpuRange& range : ranges) {
    if (is_free_here(range)) open.push_back(&range);
  }
  // What this process has itself comes back without anybody's help, and nobody should stand behind it meanwhile.
  if (open.empty()) {
    leave();
    return std::nullopt;
  }
  devices_ = wish.devices;
  is_first_ = queue_.ahead().empty();
  // Without its devices it takes no CPU, not even for a moment.
  Result<std::optional<std::vector<UniqueFd>>> devices = std::nullopt;
  if (is_first_) devices = take_devices(wish.devices);
  if (!devices) return std::unexpected(devices.error());
  if (*devices) {
    // A machine of many CPUs is not looked through every time.
    constexpr int kLooksAround = 8;
    const bool looks_around = !contains(open, waits_for_) || tries_++ % kLooksAround == 0;
    const CpuRange* const awaited[] = {waits_for_};
    auto lease = take(looks_around ? std::span<const CpuRange* const>(open) : awaited);
    if (!lease) return lease;
    if (*lease) {
      std::ranges::move(**devices, std::back_inserter((*lease)->locks_));
      leave();
      return lease;
    }
  }
  if (Status entered = queue_.enter(); !entered) return std::unexpected(entered.error());
  if (!is_first_ || contains(open, waits_for_)) return std::nullopt;
  const auto best = best_to_wait_for(open);
  if (!best) return std::unexpected(best.error());
  waits_for_ = *best;
  queue_.want(CpuSet(all_of(**best)));
  return std::nullopt;
}

void CpuLeases::leave() {
  queue_.leave();
  is_first_ = false;
  waits_for_ = nullptr;
  tries_ = 0;
}

Result<std::optional<CpuLease>> CpuLeases::take(std::span<const CpuRange* const> ranges) {
  for (const CpuRange* const range : ranges) {
    CpuLease lease;
    lease.range_ = *range;
    for (const CpuIndex cpu : all_of(*range)) {
      Result<std::optional<UniqueFd>> locked = lock(file_name(cpu), Hold::alone);
      if (!locked) return std::unexpected(locked.error());
      if (!*locked) break;
      lease.locks_.push_back(std::move(**locked));
      lease.marks_.push_back(uses_[cpu].alone);
    }
    if (lease.locks_.size() == range->use.size() + range->idle.size()) return lease;
  }
  return std::nullopt;
}

Result<std::optional<std::vector<UniqueFd>>> CpuLeases::take_devices(const std::vector<std::string>& devices) const {
  std::vector<UniqueFd> taken;
  for (const std::string& device : devices) {
    Result<std::optional<UniqueFd>> locked = lock(file_name(device), Hold::alone);
    if (!locked) return std::unexpected(locked.error());
    if (!*locked) return std::nullopt;
    taken.push_back(std::move(**locked));
  }
  return taken;
}

Result<const CpuRange*> CpuLeases::best_to_wait_for(std::span<const CpuRange* const> ranges) const {
  const CpuRange* best = ranges.front();
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const CpuRange* const range : ranges) {
    std::size_t alone = 0;
    for (const CpuIndex cpu : all_of(*range)) {
      const auto shared = lock(file_name(cpu), Hold::shared);
      if (!shared) return std::unexpected(shared.error());
      if (!*shared) ++alone;
    }
    if (alone < least) best = range;
    least = std::min(least, alone);
    if (least == 0) break;
  }
  return best;
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
    if (uses_[cpu].has_alone() || queue_.wants(cpu) || queue_.is_wanted_by_others(cpu)) continue;
    Result<std::optional<UniqueFd>> locked = lock(file_name(cpu), Hold::shared);
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

std::string CpuLeases::waited_for() {
  const auto locks = lock_holders();
  std::map<int, std::vector<CpuIndex>> held;
  std::map<int, std::vector<std::string>> devices;
  for (const std::string& device : devices_) {
    struct stat about{};
    if (fstatat(folder_.get(), file_name(device).c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const auto [first, last] = locks.equal_range({about.st_dev, about.st_ino});
    for (auto one = first; one != last; ++one) devices[one->second].push_back(device);
  }
  for (const CpuIndex cpu : topology_.allowed.cpus()) {
    struct stat about{};
    if (fstatat(folder_.get(), file_name(cpu).c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
    const auto [first, last] = locks.equal_range({about.st_dev, about.st_ino});
    for (auto one = first; one != last; ++one) held[one->second].push_back(cpu);
  }
  constexpr std::size_t kNamed = 4;
  std::vector<std::string> parts;
  const auto who = [](int pid) { return pid == getpid() ? "this process" : process_text(pid); };
  for (const auto& [pid, names] : devices)
    if (parts.size() < kNamed) parts.push_back(fmt::format("{} has the device {}", who(pid), join(names, ", ")));
  for (auto& [pid, cpus] : held) {
    if (parts.size() < kNamed)
      parts.push_back(fmt::format("{} has CPU {}", who(pid), to_string(CpuSet(std::move(cpus)))));
  }
  const std::vector<int> ahead = queue_.ahead();
  for (std::size_t i = 0; i < ahead.size() && i < kNamed; ++i)
    parts.push_back(fmt::format("{} goes first", process_text(ahead[i])));
  if (ahead.size() > kNamed) parts.push_back(fmt::format("and so do {} more", ahead.size() - kNamed));
  return parts.empty() ? "whoever has them is not seen from here, as processes of another container are"
                       : join(parts, "; ");
}

}  // namespace tally
