/// A client's requests, read from one line of the protocol (docs/reference/serve.md). Pure.
///
/// Owns the rules of requests; the keys of a measure are listed in request_fields.h. A suite is read later, when its
/// turn comes (suite_of.h): its includes are files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.h"
#include "comparison/check.h"
#include "json/value.h"
#include "measurement/settings.h"
#include "plan/filter.h"
#include "run/run.h"

namespace tally::serve {

inline constexpr std::uint64_t kProtocol = 1;

/// A document may be longer, but then it is passed as a file: 4 MiB.
inline constexpr std::size_t kLongestLine = std::size_t{4} << 20;

struct HelloRequest {
  std::uint64_t protocol = 0;
  std::string client;  ///< "tallymark 0.1 (CPython 3.11.7)"
};

/// A suite as a client has it: TOML text, or a document with the same keys as JSON.
struct SuiteText {
  std::optional<std::string> text;
  std::optional<json::Value> document;
  std::string path;  ///< Names the suite in places, and is the base of its includes; may be empty.
};

struct MeasureRequest {
  SuiteText suite;
  Selection selection;
  Settings settings;  ///< As the client gave them, not normalized.
  Tools tools;
  Caller caller;
  SourceRequest source;
  std::string cores;  ///< Empty: the server's.
  std::optional<JournalRequest> journal;
  std::optional<ProfileRequest> profiles;
  bool keeps_profiles = false;   ///< The server does, for `profile`.
  bool functions_alone = false;  ///< Then: without who calls whom.
  bool notes_inputs = false;
};

/// The request to a server that replaces a run in this process. The paths of files become absolute, for only the
/// suite's own are relative to the caller's folder on the other side. Records to take counts over from do not go to a
/// server.
MeasureRequest measure_request(const RunRequest& run, SuiteText suite, Selection selection, std::string cores);

/// What the server runs then. The plan is to be made and set; the request must outlive nothing.
RunRequest run_request(const MeasureRequest& request);

/// The members of the line that parse_request() reads back.
json::Object members_of(const MeasureRequest& request);

struct ProfileOfRequest {
  json::Value of;
  std::string case_id;
  bool callgrind = false;  ///< The statement's as a file of Callgrind's, too.
};

/// Two records to compare, or to judge by limits: what `tally compare --json` and `tally check --json` print of them,
/// without profiles.
struct CompareRequest {
  Record base;
  Record next;
};

struct CheckRequest {
  Record base;
  Record next;
  std::vector<Limit> limits;  ///< At least one.
  bool allow_uncompared = false;
};

struct CancelRequest {
  json::Value of;
};

struct StatusRequest {};
struct ShutdownRequest {};

using Request = std::variant<HelloRequest, MeasureRequest, ProfileOfRequest, CompareRequest, CheckRequest,
                             CancelRequest, StatusRequest, ShutdownRequest>;

struct ParsedRequest {
  json::Value id;  ///< As the client wrote it; null where it wrote none that is one.
  Result<Request> request;
};

ParsedRequest parse_request(std::string_view line);

/// The number of bytes of a document that comes beside this line as a file: {"passed": 5000000}.
std::optional<std::uint64_t> passed_bytes(std::string_view line);

}  // namespace tally::serve
