#include "hosts/command_host.h"

namespace tally {

void add_command_host(HostSpec& spec, const std::vector<std::string>& flags, const HostSurroundings& around) {
  spec.argv = {around.libexec + "/tally-host-command"};
  spec.dump_argument = spec.argv.size();
  // A command goes to its own folder by itself.
  spec.working_folder = "/";
  spec.inherits_output = true;
  if (!spec.counted) return;
  spec.argv.insert(spec.argv.end(), around.counter_start.begin(), around.counter_start.end());
  spec.argv.insert(spec.argv.end(), flags.begin(), flags.end());
  spec.argv.emplace_back("--trace-children=yes");
}

}  // namespace tally
