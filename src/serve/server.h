/// `tally serve`: measures for its clients, one run at a time, on hosts that stay warm between them.
///
/// Owns the conversations, the queue of runs and the decision when to end. The clients are attended to while a run goes
/// on (clients.h); what they ask then is answered, or kept for later. Never prints.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>

#include "run/run.h"
#include "serve/case_profiles.h"
#include "serve/clients.h"
#include "serve/events.h"
#include "serve/request.h"
#include "serve/work_queue.h"

namespace tally::serve {

struct ServerOptions {
  std::chrono::milliseconds idle{};  ///< Without any client for so long, it ends.
  std::uint64_t memory = 0;          ///< Bytes that warm hosts may hold together.
  std::string cores;                 ///< For requests that name none; empty: all that this process may use.
  bool ends_with_last_client = false;
  std::function<void()> on_end;  ///< Nobody else should come from now on.
  /// Makes a run; tests play one.
  std::function<Result<RunResult>(Workspace&, const RunRequest&, RunObserver&)> measure = tally::measure;
};

class Server final : public ClientHandler {
 public:
  /// All must outlive the server. The runner's interruptions are those of `clients`.
  Server(Clients& clients, Workspace& workspace, ServerOptions options);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  /// The runner may wait for processes after this, and nobody is left to speak to the clients.
  ~Server() override { clients_.handle_with(nullptr); }

  /// Until nobody needs it any more, or it is asked to end. An error: it could not continue.
  Status run();

  void on_connected(ClientId client) override;
  void on_document(ClientId client, const std::string& document) override;
  void on_malformed(ClientId client, const Error& error) override;
  void on_last_request(ClientId client) override;
  void on_gone(ClientId client) override;
  void on_signal(int count) override;

 private:
  /// What is known of a client.
  struct Conversation {
    bool greeted = false;
    bool has_requested_all = false;
    std::optional<CaseProfiles> profiles;  ///< Of its last measure, where it wanted them kept.
    json::Value profiles_of;               ///< That measure's id.
  };
  struct Running {
    ClientId client{};
    json::Value id;
    int interruptions = 0;
  };

  void answer(ClientId client, const json::Value& id, const HelloRequest& hello);
  void answer(ClientId client, const json::Value& id, const MeasureRequest& measure);
  void answer(ClientId client, const json::Value& id, const ProfileOfRequest& profile);
  void answer(ClientId client, const json::Value& id, const CompareRequest& two);
  void answer(ClientId client, const json::Value& id, const CheckRequest& two);
  void answer(ClientId client, const json::Value& id, const CancelRequest& cancel);
  void answer(ClientId client, const json::Value& id, const StatusRequest& status);
  void answer(ClientId client, const json::Value& id, const ShutdownRequest& shutdown);
  void refuse(ClientId client, const json::Value& id, const Error& error);
  void interrupt_running(int times);
  [[nodiscard]] bool is_running(ClientId client) const { return running_ && running_->client == client; }
  void close_where_done(ClientId client);

  void run_next();
  Result<std::string> record_of(const Work& work);
  Status prepare(const Work& work, RunRequest& request);
  void keep_memory();
  void pass_time();
  bool attend_to_hosts(Clock::time_point until);
  void end();

  Clients& clients_;
  Workspace& workspace_;
  ServerOptions options_;
  WorkQueue queue_;
  std::map<ClientId, Conversation> conversations_;
  std::optional<Running> running_;
  std::string cores_;  ///< That the workspace uses now.
  std::size_t served_ = 0;
  int signals_ = 0;
  bool ending_ = false;
  Clock::time_point idle_since_;
};

}  // namespace tally::serve
