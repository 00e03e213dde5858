#include "serve/clients.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "serve/events.h"

namespace tally::serve {

namespace {

// What epoll distinguishes: signals, the listening socket, and two descriptors of each client.
constexpr std::uint64_t kSignals = 0;
constexpr std::uint64_t kListening = 1;
constexpr std::chrono::seconds kUntilNextAccept{1};
constexpr std::uint64_t in_key(ClientId id) { return static_cast<std::uint64_t>(id) * 2; }
constexpr std::uint64_t out_key(ClientId id) { return in_key(id) + 1; }

bool watch(int epoll, int operation, int fd, std::uint64_t key, std::uint32_t events) {
  epoll_event event{.events = events, .data = {.u64 = key}};
  return ::epoll_ctl(epoll, operation, fd, &event) == 0;
}

bool is_same_user(int socket) {
  ucred peer{};
  socklen_t length = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == ::geteuid();
}

}  // namespace

Result<std::unique_ptr<Clients>> Clients::make(InterruptionSource& signals) {
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll || !watch(epoll.get(), EPOLL_CTL_ADD, signals.fd(), kSignals, EPOLLIN))
    return std::unexpected(errno_error("watch for clients", "epoll"));
  return std::unique_ptr<Clients>(new Clients(signals, std::move(epoll)));
}

Clients::~Clients() = default;

Status Clients::accept_from(int listening) {
  if (!watch(epoll_.get(), EPOLL_CTL_ADD, listening, kListening, EPOLLIN))
    return std::unexpected(errno_error("watch for clients", "epoll"));
  listening_ = listening;
  return {};
}

void Clients::accept_no_more() {
  if (listening_ >= 0) watch(epoll_.get(), EPOLL_CTL_DEL, std::exchange(listening_, -1), 0, 0);
}

Status Clients::add(Channel channel) {
  const ClientId id{++last_id_};
  const auto refused = [] { return std::unexpected(errno_error("watch a client", "epoll")); };
  Client client{.channel = std::move(channel), .in_watched = EPOLLIN | EPOLLRDHUP};
  if (!watch(epoll_.get(), EPOLL_CTL_ADD, client.channel.in(), in_key(id), client.in_watched)) {
    if (errno != EPERM) return refused();
    client.in_is_file = true;
  }
  const bool apart = !client.channel.is_socket();
  if (apart && !watch(epoll_.get(), EPOLL_CTL_ADD, client.channel.out(), out_key(id), 0) && errno != EPERM)
    return refused();
  clients_.emplace(id, std::move(client));
  handler_->on_connected(id);
  return {};
}

int Clients::count() {
  // What a handler does may come round to here.
  if (handler_ != nullptr && !std::exchange(attending_, true)) {
    attend();
    attending_ = false;
  }
  return interruptions_;
}

void Clients::attend() {
  if (accepts_again_ && Clock::now() >= *accepts_again_) {
    accepts_again_.reset();
    if (listening_ >= 0) watch(epoll_.get(), EPOLL_CTL_MOD, listening_, kListening, EPOLLIN);
  }
  std::array<epoll_event, 64> events;
  const int n = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < n; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    attend(event.data.u64, event.events);
  }
  for (auto next = clients_.begin(); next != clients_.end();) {
    const auto current = next++;
    if (current->second.in_is_file && !current->second.channel.ended()) receive(current->first);
  }
  take_leave();
}

void Clients::attend(std::uint64_t key, std::uint32_t events) {
  if (key == kListening) return accept_all();
  if (key == kSignals) {
    return handler_->on_signal(signals_.count());
  }
  const ClientId id{key / 2};
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;
  Client& client = found->second;
  const bool is_in = key == in_key(id);
  if ((events & EPOLLOUT) != 0) client.channel.flush();
  if (is_in && (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP)) != 0) receive(id);
  const auto still = clients_.find(id);
  if (still == clients_.end()) return;
  // Of a pipe that is read, a hang-up is only its end.
  const bool over = (events & EPOLLERR) != 0 || ((events & EPOLLHUP) != 0 && (client.channel.is_socket() || !is_in));
  if (over) return drop(id);
  settle(id, still->second);
}

/// Who cannot be accepted stays readable, and would be reported again and again.
void Clients::accept_later() {
  watch(epoll_.get(), EPOLL_CTL_MOD, listening_, kListening, 0);
  accepts_again_ = Clock::now() + kUntilNextAccept;
}

void Clients::accept_all() {
  for (;;) {
    UniqueFd socket(::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) accept_later();
      return;
    }
    Channel channel(std::move(socket));
    if (!is_same_user(channel.in())) {
      channel.send(error_event({}, {ErrorKind::input, "this server is another user's", {}, "start one of your own"}));
      continue;
    }
    std::ignore = add(std::move(channel));  // refused: it is closed, which the client sees
  }
}

void Clients::receive(ClientId id) {
  const auto found = clients_.find(id);
  if (found == clients_.end()) return;
  Client& client = found->second;
  for (const Result<std::string>& document : client.channel.receive()) {
    if (client.closing) break;
    if (document) {
      handler_->on_document(id, *document);
    } else {
      handler_->on_malformed(id, document.error());
    }
  }
  if (client.channel.ended() && !std::exchange(client.has_requested_all, true)) handler_->on_last_request(id);
}

void Clients::send(ClientId client, std::string document) {
  const auto found = clients_.find(client);
  if (found == clients_.end() || found->second.closing) return;
  found->second.channel.send(std::move(document));
  settle(client, found->second);
}

bool Clients::has_unsent() const {
  return std::ranges::any_of(clients_, [](const auto& entry) { return entry.second.channel.has_unsent(); });
}

void Clients::close(ClientId client) {
  if (const auto found = clients_.find(client); found != clients_.end()) found->second.closing = true;
}

void Clients::settle(ClientId id, Client& client) {
  Channel& channel = client.channel;
  const std::uint32_t writing = channel.has_unsent() && !channel.broken() ? std::uint32_t{EPOLLOUT} : 0;
  const std::uint32_t reading = channel.ended() ? 0 : EPOLLIN | EPOLLRDHUP;
  const std::uint32_t in = channel.is_socket() ? reading | writing : reading;
  if (in != client.in_watched && !client.in_is_file) {
    // A pipe's end would be reported again and again.
    const bool leave = in == 0 && !channel.is_socket();
    watch(epoll_.get(), leave ? EPOLL_CTL_DEL : EPOLL_CTL_MOD, channel.in(), in_key(id), in);
    client.in_watched = in;
  }
  if (!channel.is_socket() && writing != client.out_watched) {
    watch(epoll_.get(), EPOLL_CTL_MOD, channel.out(), out_key(id), writing);
    client.out_watched = writing;
  }
}

void Clients::take_leave() {
  std::vector<ClientId> leaving;
  for (const auto& [id, client] : clients_) {
    if (client.channel.broken() || (client.closing && !client.channel.has_unsent())) leaving.push_back(id);
  }
  for (const ClientId id : leaving) drop(id);
}

void Clients::drop(ClientId id) {
  const auto left = clients_.extract(id);
  if (!left) return;
  Channel& channel = left.mapped().channel;
  watch(epoll_.get(), EPOLL_CTL_DEL, channel.in(), 0, 0);
  if (!channel.is_socket()) watch(epoll_.get(), EPOLL_CTL_DEL, channel.out(), 0, 0);
  handler_->on_gone(id);
}

}  // namespace tally::serve
