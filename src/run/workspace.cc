#include "run/workspace.h"

namespace tally {

namespace {

Result<CpuLeases> open_leases(const std::string& cores, const std::string& named) {
  CpuSet wanted;
  if (!cores.empty()) {
    auto parsed = parse_cpu_list(cores);
    if (!parsed) return std::unexpected(parsed.error());
    wanted = *parsed;
  }
  auto topology = read_topology(wanted);
  if (!topology) return std::unexpected(topology.error());
  auto folder = CpuLeases::default_folder(named);
  if (!folder) return std::unexpected(folder.error());
  return CpuLeases::open(*std::move(topology), *folder);
}

}  // namespace

Workspace::Workspace(ProcessRunner& runner, Surroundings surroundings, CpuLeases leases, TemporaryFolder scratch)
    : runner_(runner),
      surroundings_(std::move(surroundings)),
      leases_(std::move(leases)),
      scratch_(std::move(scratch)),
      hosts_(runner, scratch_.path().string()) {}

Result<std::unique_ptr<Workspace>> Workspace::open(ProcessRunner& runner, Surroundings surroundings,
                                                   const std::string& cores) {
  auto leases = open_leases(cores, surroundings.cpu_locks);
  if (!leases) return std::unexpected(leases.error());
  auto scratch = TemporaryFolder::make();
  if (!scratch) return std::unexpected(scratch.error());
  return std::unique_ptr<Workspace>(
      new Workspace(runner, std::move(surroundings), *std::move(leases), *std::move(scratch)));
}

Status Workspace::use_cores(const std::string& cores) {
  auto leases = open_leases(cores, surroundings_.cpu_locks);
  if (!leases) return std::unexpected(leases.error());
  leases_ = *std::move(leases);
  return {};
}

std::string Workspace::keep_scratch() {
  scratch_.keep();
  hosts_.keep_scratch();
  return scratch_.path().string();
}

}  // namespace tally
