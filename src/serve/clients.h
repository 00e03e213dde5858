/// The connected clients, and this process's signals: all input from outside while a server works.
///
/// Measuring takes the only thread there is, in a loop over the runner's descriptors; so the clients are attended to
/// whenever that loop comes round: they are the runner's source of interruptions, behind one descriptor (epoll).
/// Hands documents to a handler, and never knows what they mean.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/unique_fd.h"
#include "process/interruption_source.h"
#include "serve/channel.h"

namespace tally::serve {

/// Never used twice.
enum class ClientId : std::uint64_t {};

/// Is called while the runner waits, and must not call the runner.
class ClientHandler {
 public:
  virtual ~ClientHandler() = default;
  virtual void on_connected(ClientId client) = 0;
  virtual void on_document(ClientId client, const std::string& document) = 0;
  /// Something that cannot be taken came instead of a document.
  virtual void on_malformed(ClientId client, const Error& error) = 0;
  /// It asks for nothing more, but may still listen.
  virtual void on_last_request(ClientId client) = 0;
  virtual void on_gone(ClientId client) = 0;
  /// This process has received `count` signals to end by now.
  virtual void on_signal(int count) = 0;
};

class Clients final : public InterruptionSource {
 public:
  /// `signals` must outlive this.
  static Result<std::unique_ptr<Clients>> make(InterruptionSource& signals);
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;
  ~Clients() override;

  /// Receives the clients' events; while it is null, no client is served.
  void handle_with(ClientHandler* handler) { handler_ = handler; }
  /// From now on (there is a handler) whoever connects to this listening socket and is the same user is a client.
  Status accept_from(int listening);
  void accept_no_more();
  Status add(Channel channel);

  [[nodiscard]] int fd() const override { return epoll_.get(); }
  /// Attends to everybody.
  int count() override;
  /// What is being measured is to stop, as by so many signals.
  void interrupt(int times) { interruptions_ += times; }

  void send(ClientId client, std::string document);
  /// Once it has read what was sent.
  void close(ClientId client);
  [[nodiscard]] std::size_t size() const { return clients_.size(); }
  /// Somebody has not read all that was sent.
  [[nodiscard]] bool has_unsent() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Client {
    Channel channel;
    bool in_is_file = false;  ///< Always readable: epoll takes none.
    bool closing = false;
    bool has_requested_all = false;  ///< The handler knows.
    std::uint32_t in_watched = 0;
    std::uint32_t out_watched = 0;
  };

  Clients(InterruptionSource& signals, UniqueFd epoll) : signals_(signals), epoll_(std::move(epoll)) {}
  void attend();
  void attend(std::uint64_t key, std::uint32_t events);
  void accept_all();
  void accept_later();
  void receive(ClientId id);
  /// Watches for what can be done next.
  void settle(ClientId id, Client& client);
  void take_leave();
  void drop(ClientId id);

  InterruptionSource& signals_;
  UniqueFd epoll_;
  int listening_ = -1;
  ClientHandler* handler_ = nullptr;
  std::map<ClientId, Client> clients_;
  std::uint64_t last_id_ = 0;
  int interruptions_ = 0;
  bool attending_ = false;
  std::optional<Clock::time_point> accepts_again_;  ///< There was no descriptor or no memory for another client.
};

}  // namespace tally::serve
