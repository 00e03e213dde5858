#include "cli/serve_command.h"

#include <fmt/ostream.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <filesystem>
#include <ostream>

#include "base/byte_count.h"
#include "base/unique_fd.h"
#include "cli/measuring.h"
#include "cli/run_options.h"
#include "process/interrupts.h"
#include "process/real_runner.h"
#include "serve/client.h"
#include "serve/clients.h"
#include "serve/listener.h"
#include "serve/server.h"
#include "serve/socket_place.h"

namespace tally::cli {

namespace {

/// A terminal's Ctrl-C is meant for the user there: a server in the foreground, or the client of one in the
/// background.
void leave_session(bool serves_its_parent) {
  const bool in_foreground = ::tcgetpgrp(STDIN_FILENO) == ::getpgrp() || ::tcgetpgrp(STDERR_FILENO) == ::getpgrp();
  if (serves_its_parent || !in_foreground) std::ignore = ::setsid();  // refused: it leads a group, its own
}

/// Fills the clients with where they come from; the listener, where there is one, must outlive them.
Status open_doors(serve::Clients& clients, const std::optional<serve::Listener>& listener) {
  if (listener) return clients.accept_from(listener->fd());
  return clients.add(serve::Channel(STDIN_FILENO, STDOUT_FILENO));
}

std::string socket_of(const Context& context, const ServeOptions& options) {
  return options.socket.empty() ? serve::default_socket(context.environment)
                                : std::filesystem::absolute(options.socket).string();
}

/// False: it continues nevertheless.
bool end_process(int pid) {
  constexpr int kPatience = 30'000;  // milliseconds
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process) return true;  // it has just gone
  ::kill(pid, SIGTERM);
  // Readable once it has ended, even if whoever started it has not looked yet.
  pollfd ended{process.get(), POLLIN, 0};
  return ::poll(&ended, 1, kPatience) > 0;
}

int ask_server(const Context& context, const ServeOptions& options, std::ostream& out, std::ostream& err) {
  const std::string place = socket_of(context, options);
  const auto found = serve::Client::look(place, options.socket.empty());
  if (!found) return report_error(found.error(), err);
  if (!*found) {
    fmt::print(out, "no server listens on {}\n", place);
    return options.task == ServeTask::stop ? kFine : kFailed;
  }
  const serve::FoundServer& server = **found;
  fmt::print(out, "process {}: tally {} ({}){}, listening on {}\n", server.pid, server.version, server.commit,
             server.is_this_build ? "" : ", another build than this one", place);
  if (options.task == ServeTask::status) return kFine;
  if (end_process(server.pid)) {
    fmt::print(out, "it has ended\n");
    return kFine;
  }
  return report_error({ErrorKind::failed, fmt::format("process {} does not end", server.pid), place,
                       fmt::format("kill -9 {}", server.pid)},
                      err);
}

}  // namespace

Result<std::chrono::milliseconds> parse_duration(const std::string& text, const std::string& where) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  double seconds = -1;
  if (unit.empty() || unit == "s") seconds = 1;
  if (unit == "min" || unit == "m") seconds = 60;
  if (unit == "h") seconds = 3600;
  constexpr double kYear = 365 * 86400.0;
  if (error != std::errc{} || seconds < 0 || !(value >= 0) || value * seconds > kYear) {
    return fail(ErrorKind::input, fmt::format("'{}' is not a length of time", text), where,
                "write a number with s, min or h: 10min");
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(value * seconds * 1000));
}

void add_serve_options(OptionSet& command, ServeOptions& options) {
  command.add("--socket", &options.socket, "Socket to listen on (default: $XDG_RUNTIME_DIR/tallymark/serve.sock)")
      .value_name("PATH");
  command.add("--stdio", &options.stdio, "Serve one client on standard input and output").excludes("--socket");
  command.add("--idle", &options.idle, "Exit after this long without a client, such as 90s, 10min or 2h")
      .value_name("TIME")
      .shows_default();
  command
      .add("--memory", &options.memory,
           "Memory that idle hosts may hold; beyond it the least recently used are stopped")
      .value_name("BYTES")
      .shows_default();
  command.add("--cores", &options.cores, "CPUs to measure on when a client names none, such as 0-3,6")
      .value_name("LIST");
  const auto choose = [&](const char* name, ServeTask task, const char* help) -> Option& {
    return command.add(name, [&options, task] { options.task = task; }, help);
  };
  choose("--status", ServeTask::status, "Only print the running server; exit code 1 if there is none")
      .excludes("--stdio");
  choose("--stop", ServeTask::stop, "Only stop the running server, of any build; its current run is cut off")
      .excludes("--stdio")
      .excludes("--status");
}

int run_serve(const Context& context, const ServeOptions& options, std::ostream& out, std::ostream& err) {
  if (options.task != ServeTask::serve) return ask_server(context, options, out, err);
  const auto idle = parse_duration(options.idle, "--idle");
  if (!idle) return report_error(idle.error(), err);
  const auto memory = parse_bytes(options.memory, "--memory");
  if (!memory) return report_error(memory.error(), err);
  leave_session(options.stdio);
  ::signal(SIGPIPE, SIG_IGN);  // a client that goes is no reason to end
  auto signals = Interrupts::install();
  if (!signals) return report_error(signals.error(), err);
  std::optional<serve::Listener> listener;
  if (!options.stdio) {
    const std::string place = socket_of(context, options);
    auto opened = serve::Listener::open(place, options.socket.empty());
    if (!opened) return report_error(opened.error(), err);
    listener.emplace(*std::move(opened));
    fmt::print(err, "tally serve: listening on {}\n", place);
    err.flush();
  }
  auto clients = serve::Clients::make(*signals);
  if (!clients) return report_error(clients.error(), err);
  RealProcessRunner runner(context.libexec + "/tally-supervisor", clients->get());
  Surroundings around = surroundings_of(context);
  around.server = ServedBy{::getpid(), around.tool.version};
  auto workspace = Workspace::open(runner, std::move(around), options.cores);
  if (!workspace) return report_error(workspace.error(), err);
  serve::Server server(
      **clients, **workspace,
      {.idle = *idle, .memory = *memory, .cores = options.cores, .ends_with_last_client = options.stdio, .on_end = [&] {
         (*clients)->accept_no_more();
         if (listener) listener->close();
       }});
  if (Status opened = open_doors(**clients, listener); !opened) return report_error(opened.error(), err);
  if (Status ran = server.run(); !ran) return report_error(ran.error(), err);
  return kFine;
}

}  // namespace tally::cli
