#include "serve/events.h"

#include <algorithm>
#include <array>

#include "json/text.h"
#include "serve/request.h"

namespace tally::serve {

namespace {

json::Object event(std::string_view name, const json::Value& id) { return {{"event", name}, {"id", id}}; }

struct NamedKind {
  ErrorKind kind;
  std::string_view name;
};

constexpr auto kErrorKinds = std::to_array<NamedKind>({{ErrorKind::input, "input"},
                                                       {ErrorKind::missing, "missing"},
                                                       {ErrorKind::io, "io"},
                                                       {ErrorKind::failed, "failed"},
                                                       {ErrorKind::interrupted, "interrupted"},
                                                       {ErrorKind::internal, "internal"}});

std::string_view name_of(ErrorKind kind) { return std::ranges::find(kErrorKinds, kind, &NamedKind::kind)->name; }

json::Object members_of(const Error& error) {
  // "mend" is what clients know that were written before it was called a hint.
  return {{"kind", name_of(error.kind)},
          {"place", error.where},
          {"message", error.message},
          {"hint", error.hint},
          {"mend", error.hint}};
}

/// The same JSON: its texts have no line ends.
std::string one_line(std::string text) {
  std::erase(text, '\n');
  return text;
}

/// The head with one more member, whose value is JSON already: a record is not read to be written again.
std::string with_text(const json::Object& head, std::string_view key, std::string_view value) {
  std::string text = json::to_text(head);
  text.pop_back();
  text.append(",\"").append(key).append("\":");
  // No text in JSON has a newline of its own.
  std::ranges::remove_copy(value, std::back_inserter(text), '\n');
  text.push_back('}');
  return text;
}

}  // namespace

std::string hello_event(const json::Value& id, const Tool& tool, int pid) {
  json::Object hello = event("hello", id);
  hello.update({{"protocol", kProtocol}, {"version", tool.version}, {"commit", tool.commit}, {"pid", pid}});
  return json::to_text(hello);
}

std::string error_event(const json::Value& id, const Error& error) {
  json::Object text = event("error", id);
  text.update(members_of(error));
  return json::to_text(text);
}

Error error_in(const json::Value& event) {
  const auto known = std::ranges::find(kErrorKinds, event["kind"].text_or(""), &NamedKind::name);
  return {known == kErrorKinds.end() ? ErrorKind::failed : known->kind,
          event["message"].text_or("the server says that it failed, and not why"), event["place"].text_or(""),
          event["hint"].text_or("")};
}

std::string waiting_event(const json::Value& id, std::size_t ahead) {
  json::Object text = event("waiting", id);
  text["ahead"] = ahead;
  return json::to_text(text);
}

std::string progress_event(const json::Value& id, std::string_view kind, json::Object what) {
  json::Object text = event("progress", id);
  text["kind"] = kind;
  text.update(std::move(what));
  return json::to_text(text);
}

std::string case_event(const json::Value& id, std::string_view record) {
  return with_text(event("case", id), "case", record);
}

std::string record_event(const json::Value& id, std::string_view record, bool interrupted,
                         const std::optional<Error>& stopped) {
  json::Object head = event("record", id);
  head["interrupted"] = interrupted;
  head["stopped"] = stopped ? json::Value(members_of(*stopped)) : json::Value();
  return with_text(head, "record", record);
}

std::string cancelled_event(const json::Value& id, const json::Value& of, bool running) {
  json::Object text = event("cancelled", id);
  text.update({{"of", of}, {"running", running}});
  return json::to_text(text);
}

std::string profile_event(const json::Value& id, json::Object what) {
  json::Object text = event("profile", id);
  text.update(std::move(what));
  return json::to_text(text);
}

std::string compared_event(const json::Value& id, const std::string& comparison) {
  return with_text(event("compared", id), "comparison", one_line(comparison));
}

std::string checked_event(const json::Value& id, const std::string& check) {
  return with_text(event("checked", id), "check", one_line(check));
}

std::string status_event(const json::Value& id, const ServerStatus& status) {
  json::Array hosts;
  for (const HostStatus& host : status.hosts) {
    hosts.push_back(json::Object{{"name", host.name}, {"memory_bytes", host.memory_bytes}, {"idle_s", host.idle_s}});
  }
  json::Object text = event("status", id);
  text.update({{"clients", status.clients},
               {"running", status.running},
               {"waiting", status.waiting},
               {"served", status.served},
               {"hosts", std::move(hosts)}});
  return json::to_text(text);
}

std::string bye_event(const json::Value& id) { return json::to_text(event("bye", id)); }

std::string passed_line(std::size_t bytes) { return json::to_text(json::Object{{"passed", bytes}}); }

}  // namespace tally::serve
