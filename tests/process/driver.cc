/// A tally in small, for tests to kill or interrupt: starts victims under supervisors, says "ready", and waits.
///
///   driver SUPERVISOR VICTIMS_FOLDER [SCRATCH [GRACE [GRACE_OF_ORPHANS]]]
///
/// The first interruption cancels them gracefully, the second at once; how each ended is said as it comes.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "process/interrupts.h"
#include "process/real_runner.h"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  tally::Result<tally::Interrupts> interrupts = tally::Interrupts::install();
  if (!interrupts) return 3;
  tally::RealProcessRunner runner(argv[1], &*interrupts);
  const std::string victims = argv[2];
  std::vector<tally::ProcessId> ids;
  for (const char* name : {"leaves_a_daemon stay", "ignores_sigterm", "starts_threads_before_fork", "spins"}) {
    tally::ProcessRequest request;
    const std::string command = name;
    const std::size_t space = command.find(' ');
    request.argv = {victims + "/" + command.substr(0, space)};
    if (space != std::string::npos) request.argv.push_back(command.substr(space + 1));
    request.environment = {{"TALLY_TEST_MARK", std::getenv("TALLY_TEST_MARK")}};
    const tally::Milliseconds grace(argc > 4 ? std::atoi(argv[4]) : 300);
    request.grace = {grace, grace, tally::Milliseconds(argc > 5 ? std::atoi(argv[5]) : 0)};
    if (argc > 3) request.scratch = argv[3];
    const tally::Result<tally::ProcessId> id = runner.start(std::move(request));
    if (!id) return 4;
    ids.push_back(*id);
  }
  std::puts("ready");
  std::fflush(stdout);
  for (std::size_t running = ids.size(); running > 0;) {
    for (const tally::Event& event : runner.wait()) {
      if (const auto* interrupted = std::get_if<tally::Interrupted>(&event)) {
        std::printf("interrupted %d\n", interrupted->count);
        for (const tally::ProcessId id : ids) {
          runner.cancel(id, interrupted->count > 1 ? tally::CancelMode::at_once : tally::CancelMode::graceful);
        }
      }
      if (const auto* finished = std::get_if<tally::Finished>(&event)) {
        std::printf("%s\n", describe(finished->result.outcome).c_str());
        --running;
      }
    }
  }
  return 0;
}
