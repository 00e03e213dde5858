/// Reports to a client what its run does, as events.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "json/value.h"
#include "run/observer.h"

namespace tally::serve {

/// What an event says of a session's mode. Nothing: a mode that this tally does not know.
std::optional<Mode> mode_named(std::string_view name);

class RunEvents final : public RunObserver {
 public:
  /// `send` gets each event, a line. `on_growth` is called when more memory may be in use than before.
  RunEvents(json::Value id, std::function<void(std::string)> send, std::function<void()> on_growth)
      : id_(std::move(id)), send_(std::move(send)), on_growth_(std::move(on_growth)) {}

  void on_begin(std::size_t cases, std::size_t finished) override;
  void on_process(const std::string& what, const std::vector<std::string>& argv) override;
  void on_planned(Mode mode, std::size_t sessions) override;
  void on_session(const Case& measured, Mode mode, const std::vector<int>& cpus) override;
  void on_session_end(const Case& measured, Mode mode) override;
  void on_case(const CaseRecord& record) override;
  void on_waiting(const std::string& text) override;
  void on_message(const std::string& text) override;
  void on_end() override;

 private:
  void progress(std::string_view kind, json::Object what);

  json::Value id_;
  std::function<void(std::string)> send_;
  std::function<void()> on_growth_;
};

}  // namespace tally::serve
