#include "rehearsal.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>

#include "shared_page.h"

namespace tally::host {

using protocol::Field;
using protocol::Message;
using protocol::MessageType;

namespace {

constexpr std::uint64_t kIterations = 2;

bool order(const Channel& runner, const Message& request, bool counted, int phases) {
  for (int phase = 0; phase < phases; ++phase) {
    for (int last = 0; counted && last < 2; ++last) {
      auto count = runner.compose(MessageType::count, request.job());
      count.number(Field::iterations, kIterations).number(Field::last, static_cast<std::uint64_t>(last));
      if (!runner.send(count)) return false;
    }
    auto advance = runner.compose(MessageType::advance, request.job());
    if (!runner.send(advance)) return false;
  }
  return true;
}

/// The runner quotes the last line that a host wrote before it ended.
void print(std::string_view text) {
  if (!text.empty()) std::fprintf(stderr, "warm-up: %.*s\n", static_cast<int>(text.size()), text.data());
}

/// What the case answered; its end of the socket is closed.
void print_failure(Channel runner) {
  for (;;) {
    const Channel::Received answer = runner.receive();
    if (!answer.open) return print("failed");  // with more to say than a socket holds
    if (answer.message.type() != MessageType::failed) continue;
    print(answer.message.text(Field::detail).value_or(""));
    return print(answer.message.text(Field::message).value_or("failed"));
  }
}

}  // namespace

bool rehearse(RunCase run_case, void* context, protocol::Writer& request, bool counted, int phases) {
  const protocol::Parsed parsed = protocol::parse_frame(request.finish());
  int ends[2];
  if (parsed.state != protocol::ParseState::complete ||
      ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    print("no room for it");
    return false;
  }
  // Nobody reads while the case runs: an answer that is too long for the socket must not wait for ever.
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK);
  const bool ordered = order(Channel(ends[0]), parsed.message, counted, phases);
  shared_page().failed = 0;
  if (ordered) run_case(context, Channel(ends[1]), parsed.message);
  ::close(ends[1]);
  const bool good = ordered && shared_page().failed == 0;
  if (!good) print_failure(Channel(ends[0]));
  ::close(ends[0]);
  return good;
}

}  // namespace tally::host
