/// One case measured in one way by one child of a host: its socket, its output, its dialogue, and how it ended.
///
/// Never waits and never kills: the engine does both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cpu/watch.h"
#include "process/bounded_output.h"
#include "session/frame_stream.h"
#include "session/session_request.h"

namespace tally {

class Session {
 public:
  explicit Session(SessionRequest request);

  /// Sends the request on the host's control socket.
  Status start(const FrameStream& control);

  [[nodiscard]] int socket() const { return stream_.fd(); }
  [[nodiscard]] int output() const { return output_.get(); }

  /// Something came on the socket. An error is a fault of the host, not of the case.
  Status on_socket(bool& closed);
  /// Something came on the output pipe; false when it is closed.
  bool on_output();

  /// The child's process, once the host has forked it.
  void on_started(int pid) { dumps_.child = pid; }
  [[nodiscard]] std::optional<int> pid() const { return dumps_.child; }
  /// The child was reaped, and had reached `stage`; `cut_off` from its socket, perhaps. Nothing more will come.
  void on_exited(int wait_status, protocol::Stage stage, bool cut_off);
  /// The engine stopped it, or lost its host. `stage` is how far its process had come, where its host knew.
  void on_stopped(Ending ending, std::string message, std::optional<protocol::Stage> stage = {});

  [[nodiscard]] bool over() const { return ending_.has_value(); }
  [[nodiscard]] Ending ending() const { return *ending_; }

  /// Counted, and of no more use: the child may be killed, which spares Callgrind a last dump of everything.
  [[nodiscard]] bool has_counted() const { return dialogue_.needs_no_more(); }

  /// The first file that the case has changed, as far as it has reported; empty: none is known.
  [[nodiscard]] const std::string& changed_file() const { return changed_file_; }
  /// The driver that the case looked for and its host does not find; empty: it looked for none.
  [[nodiscard]] const std::string& asked_driver() const { return asked_driver_; }
  /// Its statement has been executed.
  [[nodiscard]] bool executed() const { return executed_; }

  /// Moves what was learnt into the case's outcome. Only when over.
  void deliver(CaseOutcome& outcome);

  [[nodiscard]] const SessionRequest& request() const { return request_; }

 private:
  void on_message(const protocol::Message& message);
  void note_loaded();
  [[nodiscard]] std::string first_of_others(const std::vector<std::string>& loaded) const;
  void send(const CaseCommand& command);

  SessionRequest request_;
  CaseDialogue dialogue_;
  DumpFolder dumps_;
  FrameStream stream_;
  UniqueFd output_;
  BoundedOutput captured_{std::size_t{64} * 1024};
  std::vector<std::string> loaded_;
  std::string changed_file_;
  std::string asked_driver_;
  std::uint64_t requested_ = 0;  ///< Bits of host::Requested.
  bool is_ready_ = false;        ///< Its statement's phase is.
  bool executed_ = false;
  std::optional<CpuWatch> watch_;  ///< While the statement is timed.
  std::optional<CaseFailure> stopped_;
  std::optional<Ending> ending_;
};

}  // namespace tally
