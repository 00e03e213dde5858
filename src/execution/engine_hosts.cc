// The engine's hosts: started, listened to, replaced.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "execution/engine.h"

namespace tally {

using protocol::Field;
using protocol::Message;
using protocol::MessageType;

std::list<Host>::iterator Engine::ready_host(const HostKind& kind) {
  return std::ranges::find_if(hosts_, [&](const Host& host) {
    return host.kind() == kind && host.ready() && !host.deaf_since() && !(single_use_.contains(kind) && host.used());
  });
}

bool Engine::host_coming(const HostKind& kind) const {
  return std::ranges::any_of(hosts_, [&](const Host& host) { return host.kind() == kind && !host.ready(); });
}

bool Engine::start_host(const HostKind& kind) {
  const ToolchainHere& toolchain = toolchains_.at(kind.toolchain);
  if (kind.language == Language::cpp && !builder_.warm_up_settled(kind.toolchain)) return false;
  if (kind.language == Language::python && !*toolchain.interpreter) {
    broken_[kind] = describe(toolchain.interpreter->error());
    return true;
  }
  auto lease = try_lease(1, false);
  if (!lease) return false;
  if (options_.process_isolation) single_use_.insert(kind);
  const std::string dumps = fmt::format("{}/{:04}", options_.scratch, ++host_count_);
  std::error_code code;
  std::filesystem::create_directories(dumps, code);
  auto host = Host::start(runner_, kind, toolchain, builder_.warm_up(kind.toolchain), options_, dumps, lease->cpus());
  if (!host) {
    broken_[kind] = fmt::format("the {} does not start: {}", describe(kind), describe(host.error()));
    return true;
  }
  observer_.on_process(describe(kind), host->argv());
  starting_.emplace(host->process(), *std::move(lease));
  hosts_.push_back(*std::move(host));
  return true;
}

void Engine::on_control(std::list<Host>::iterator host, bool closed) {
  const ProcessId process = host->process();
  struct Exit {
    std::uint32_t job;
    int status;
    protocol::Stage stage;
  };
  std::vector<Exit> exits;
  bool ended = closed;
  auto read = host->control().read(
      [&](const Message& message) {
        const auto session = std::ranges::find_if(
            sessions_, [&](const RunningSession& s) { return s.session->plan().job == message.job(); });
        switch (message.type()) {
          case MessageType::hello:
            host->set_hello({static_cast<int>(message.number(Field::pid)),
                             static_cast<int>(message.number(Field::threads)),
                             std::string(message.text(Field::version).value_or(""))});
            starting_.erase(process);
            if (host->hello()->threads > 1 && single_use_.insert(host->kind()).second) {
              observer_.on_warning(
                  fmt::format("the {} has {} threads and cannot be forked safely: each of its cases gets a "
                              "process of its own, which is slower",
                              describe(host->kind()), host->hello()->threads));
            }
            break;
          case MessageType::started:
            if (session != sessions_.end()) on_started(*session, message);
            break;
          case MessageType::exited:
            exits.push_back({message.job(), static_cast<int>(message.number(Field::status)),
                             static_cast<protocol::Stage>(message.number(Field::stage))});
            break;
          default:
            break;
        }
      },
      ended);
  for (const Exit& exit : exits) {
    const auto session =
        std::ranges::find_if(sessions_, [&](const RunningSession& s) { return s.session->plan().job == exit.job; });
    if (session == sessions_.end()) continue;
    if (session->stopping) {
      session->session->on_stopped(*session->stopping, session->stop_message, exit.stage);
    } else {
      session->session->on_exited(exit.status, exit.stage);
    }
    end_session(session);
  }
  if (!read) {
    // Another version will not become ours by being started again.
    if (!host->used()) start_failed(host->kind(), describe(read.error()), !read.error().mend.empty());
    runner_.cancel(process, CancelMode::at_once);
    lose_host(host, describe(read.error()));
  } else if (ended) {
    // The reason is what the process wrote and how it ended: both come with its Finished, or it hangs.
    runner_.unwatch(host->control().fd());
    host->set_deaf(runner_.now());
  }
}

/// Its sessions are retried in a fresh host, as often as the options say.
void Engine::lose_host(std::list<Host>::iterator host, const std::string& why) {
  for (auto session = sessions_.begin(); session != sessions_.end();) {
    const auto next = std::next(session);
    if (session->host == host) {
      session->session->on_stopped(session->stopping.value_or(Ending::host_lost),
                                   session->stopping ? session->stop_message : why);
      end_session(session);
    }
    session = next;
  }
  close_host(host);
}

void Engine::close_host(std::list<Host>::iterator host) {
  runner_.unwatch(host->control().fd());
  starting_.erase(host->process());
  host->control().close();
  runner_.cancel(host->process(), CancelMode::graceful);
  hosts_.erase(host);
}

void Engine::close_idle_hosts() {
  for (auto host = hosts_.begin(); host != hosts_.end();) {
    const auto current = host++;
    const bool wanted = queue_.wants(current->kind());
    const bool busy = std::ranges::any_of(sessions_, [&](const RunningSession& s) { return s.host == current; });
    const bool spent = current->used() && single_use_.contains(current->kind());
    if (!busy && (spent || !wanted)) close_host(current);
  }
}

/// A host that did not come up is tried again, as often as a lost one, unless that is pointless.
void Engine::start_failed(const HostKind& kind, const std::string& why, bool for_good) {
  if (for_good || failed_starts_[kind]++ >= options_.host_retries) {
    broken_[kind] = fmt::format("the {} does not start: {}", describe(kind), why);
  } else {
    observer_.on_warning(fmt::format("the {} did not start, and is started again: {}", describe(kind), why));
  }
}

void Engine::on_started(RunningSession& session, const Message& message) {
  const auto pid = static_cast<pid_t>(message.number(Field::pid));
  const auto host = session.host;
  if (pid <= 0) {
    const int code = static_cast<int>(message.number(Field::status));
    session.stopping = Ending::host_lost;
    session.stop_message = fmt::format("the host cannot fork: {}", std::strerror(code));
    runner_.cancel(host->process(), CancelMode::at_once);
    return;
  }
  session.session->on_started(pid);
  session.child = runner_.hold(pid, host->hello()->pid);
  session.fork_deadline = Clock::time_point::max();
  if (message.number(Field::threads) > 1 && single_use_.insert(host->kind()).second) {
    observer_.on_warning(
        fmt::format("the {} has grown threads and cannot be forked safely any more: each further case "
                    "gets a process of its own, which is slower",
                    describe(host->kind())));
  }
}

}  // namespace tally
