#include "serve/run_events.h"

#include "record/json.h"
#include "run/probes/table.h"
#include "serve/events.h"

namespace tally::serve {

std::optional<Mode> mode_named(std::string_view name) {
  for (const Mode mode : {Mode::counts, Mode::wall, Mode::figure, Mode::result}) {
    if (to_string(mode) == name) return mode;
  }
  for (const KeptProbe* kept : probes::kTable) {
    if (kept->probe.name == name) return Mode(kept->probe);
  }
  return std::nullopt;
}

void RunEvents::progress(std::string_view kind, json::Object what) {
  send_(progress_event(id_, kind, std::move(what)));
}

void RunEvents::on_begin(std::size_t cases, std::size_t finished) {
  progress("begin", {{"cases", cases}, {"finished", finished}});
}

void RunEvents::on_process(const std::string& what, const std::vector<std::string>& argv) {
  progress("process", {{"what", what}, {"argv", argv}});
  on_growth_();
}

void RunEvents::on_planned(Mode mode, std::size_t sessions) {
  progress("planned", {{"mode", to_string(mode)}, {"sessions", sessions}});
}

void RunEvents::on_session(const Case& measured, Mode mode, const std::vector<int>& cpus) {
  progress("session", {{"case", measured.id}, {"mode", to_string(mode)}, {"cpus", cpus}});
}

void RunEvents::on_session_end(const Case& measured, Mode mode) {
  progress("session_end", {{"case", measured.id}, {"mode", to_string(mode)}});
}

void RunEvents::on_case(const CaseRecord& record) {
  send_(case_event(id_, case_to_json(record)));
  on_growth_();
}

void RunEvents::on_waiting(const std::string& text) { progress("waiting", {{"text", text}}); }

void RunEvents::on_message(const std::string& text) { progress("message", {{"text", text}}); }

void RunEvents::on_end() { progress("end", json::Object()); }

}  // namespace tally::serve
