#include "execution/host.h"

namespace tally {

Result<Host> Host::start(ProcessRunner& runner, const HostKind& kind, const ToolchainHere& toolchain,
                         const std::optional<BuiltCase>& warm_up, const ExecutionOptions& options,
                         const std::string& dumps, const CpuSet& cpus) {
  auto pair = make_socket_pair();
  if (!pair) return std::unexpected(pair.error());
  auto request = host_request(kind, toolchain, warm_up, options, dumps, std::move(pair->theirs));
  if (!request) return std::unexpected(request.error());
  request->cpus = cpus;
  Host host;
  host.argv_ = request->argv;
  auto process = runner.start(*std::move(request));
  if (!process) return std::unexpected(process.error());
  host.kind_ = kind;
  host.process_ = *process;
  host.control_ = FrameStream(std::move(pair->ours));
  host.started_ = runner.now();
  host.dumps_ = dumps;
  runner.watch(host.control_.fd());
  return host;
}

}  // namespace tally
