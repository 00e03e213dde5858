/// The server's events, as lines of the protocol without their newline (docs/reference/serve.md). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "json/value.h"
#include "record/record.h"

namespace tally::serve {

std::string hello_event(const json::Value& id, const Tool& tool, int pid);

std::string error_event(const json::Value& id, const Error& error);

/// The error that such an event has, or that stands as "stopped" in a record's.
Error error_in(const json::Value& event);

/// So many runs go first.
std::string waiting_event(const json::Value& id, std::size_t ahead);

/// `what` has more keys of this kind of progress: "begin", "session", …
std::string progress_event(const json::Value& id, std::string_view kind, json::Object what);

/// `record` is the case in the record's form, on one line.
std::string case_event(const json::Value& id, std::string_view record);

/// `record` is a whole record as text; its newlines do not matter.
std::string record_event(const json::Value& id, std::string_view record, bool interrupted,
                         const std::optional<Error>& stopped);

/// `running`: it was, and ends as an interrupted run does; otherwise it had not begun, or has ended.
std::string cancelled_event(const json::Value& id, const json::Value& of, bool running);

struct HostStatus {
  std::string name;
  std::uint64_t memory_bytes = 0;
  double idle_s = 0;  ///< 0 while it starts or serves.
};

struct ServerStatus {
  std::size_t clients = 0;
  std::size_t running = 0;
  std::size_t waiting = 0;
  std::size_t served = 0;  ///< Measure requests that have ended.
  std::vector<HostStatus> hosts;
};

/// `what` has the counts of one case's functions (case_profiles.h).
std::string profile_event(const json::Value& id, json::Object what);

/// `comparison` and `check` are the texts of report/json/comparison_json.h.
std::string compared_event(const json::Value& id, const std::string& comparison);
std::string checked_event(const json::Value& id, const std::string& check);

std::string status_event(const json::Value& id, const ServerStatus& status);

std::string bye_event(const json::Value& id);

/// For a document that goes beside its line as a file.
std::string passed_line(std::size_t bytes);

}  // namespace tally::serve
