/// One running host, seen from the runner: its process, its control socket, whether it is ready.
#pragma once

#include <optional>
#include <string>

#include "execution/frame_stream.h"
#include "execution/host_command.h"
#include "process/process.h"

namespace tally {

struct HostHello {
  int pid = 0;
  int threads = 0;
  std::string version;
};

class Host {
 public:
  /// Starts the process; it is ready once its hello has come.
  static Result<Host> start(ProcessRunner& runner, const HostKind& kind, const ToolchainHere& toolchain,
                            const std::optional<BuiltCase>& warm_up, const ExecutionOptions& options,
                            const std::string& dumps, const CpuSet& cpus);

  [[nodiscard]] const HostKind& kind() const { return kind_; }
  [[nodiscard]] ProcessId process() const { return process_; }
  [[nodiscard]] FrameStream& control() { return control_; }
  [[nodiscard]] bool ready() const { return hello_.has_value(); }
  [[nodiscard]] const std::optional<HostHello>& hello() const { return hello_; }
  void set_hello(HostHello hello) { hello_ = std::move(hello); }
  [[nodiscard]] Clock::time_point started() const { return started_; }
  [[nodiscard]] const std::string& dumps() const { return dumps_; }  ///< The folder of Callgrind's output.
  [[nodiscard]] const std::vector<std::string>& argv() const { return argv_; }
  [[nodiscard]] int control_fd() const { return control_.fd(); }
  [[nodiscard]] bool used() const { return used_; }  ///< Some session was given to it.
  void set_used() { used_ = true; }
  /// When its control socket was closed: it is about to end, or hangs.
  [[nodiscard]] const std::optional<Clock::time_point>& deaf_since() const { return deaf_since_; }
  void set_deaf(Clock::time_point now) { deaf_since_ = now; }

 private:
  HostKind kind_;
  ProcessId process_{};
  FrameStream control_;
  std::optional<HostHello> hello_;
  Clock::time_point started_{};
  std::string dumps_;
  std::vector<std::string> argv_;
  bool used_ = false;
  std::optional<Clock::time_point> deaf_since_;
};

}  // namespace tally
