#include "serve/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/text.h"
#include "run/probes/table.h"
#include "serve/run_events.h"

namespace tally::serve {
namespace {

TEST(Events, AreOneLineOfJsonWithTheRequestsId) {
  const ServerStatus status{.clients = 2, .running = 1, .waiting = 3, .served = 4, .hosts = {{"a host", 5, 0.5}}};
  for (const std::string& event :
       {hello_event("x", {.version = "1", .commit = "c"}, 7), waiting_event("x", 1), bye_event("x"),
        progress_event("x", "message", {{"text", "two\nlines"}}), status_event("x", status),
        cancelled_event("x", 2, true), error_event("x", {ErrorKind::missing, "no\nvalgrind", "here", "hint"}),
        case_event("x", R"({"id":"a"})"), profile_event("x", {{"case", "a"}})}) {
    EXPECT_FALSE(event.contains('\n')) << event;
    const auto read = json::parse(event);
    ASSERT_TRUE(read) << event;
    EXPECT_EQ((*read)["id"], json::Value("x")) << event;
    EXPECT_NE((*read)["event"].text(), nullptr) << event;
  }
}

TEST(Events, ARecordIsPutOnOneLineAsItStands) {
  const std::string event = record_event(3, "{\n \"schema\": 2,\n \"text\": \"a\\nb\"\n}\n", true,
                                         Error{ErrorKind::io, "cannot write", "/j", "free some space"});
  EXPECT_FALSE(event.contains('\n'));
  const json::Value read = json::parse(event).value();
  EXPECT_EQ(read["record"]["text"], json::Value("a\nb"));
  EXPECT_EQ(read["interrupted"], json::Value(true));
  EXPECT_EQ(read["stopped"]["kind"], json::Value("io"));
  EXPECT_EQ(read["stopped"]["hint"], json::Value("free some space"));
  EXPECT_TRUE(json::parse(record_event(3, "{}", false, {})).value()["stopped"].is_null());
}

TEST(Events, AComparisonIsOneLine) {
  const std::string event = compared_event(4, "{\n \"cases\": [\n  {\"id\": \"a\"}\n ]\n}\n");
  EXPECT_FALSE(event.contains('\n'));
  EXPECT_EQ(json::parse(event).value()["comparison"]["cases"][0]["id"], json::Value("a"));
  EXPECT_EQ(json::parse(checked_event(4, "{\n\"exit_code\": 3}")).value()["check"]["exit_code"], json::Value(3));
}

TEST(Events, AnErrorSaysItsKind) {
  const Error error{ErrorKind::input, "m", "p", "d"};
  EXPECT_EQ(error_event(1, error),
            R"({"event":"error","id":1,"kind":"input","place":"p","message":"m","hint":"d","mend":"d"})");
  const Error cancelled{ErrorKind::interrupted, "cancelled before it began", {}, {}};
  EXPECT_EQ(json::parse(error_event({}, cancelled)).value()["kind"], json::Value("interrupted"));
}

TEST(Events, AClientReadsTheErrorThatWasWritten) {
  using enum ErrorKind;
  for (const ErrorKind kind : {input, missing, io, failed, interrupted, internal}) {
    const Error read = error_in(json::parse(error_event(1, {kind, "m", "p", "d"})).value());
    EXPECT_EQ(read.kind, kind);
    EXPECT_EQ(describe(read), describe({kind, "m", "p", "d"}));
  }
}

TEST(Events, AClientReadsTheModeThatWasWritten) {
  for (const Mode mode : {Mode::counts, Mode::wall, Mode::result}) EXPECT_EQ(mode_named(to_string(mode)), mode);
  for (const KeptProbe* kept : probes::kTable) {
    const Mode mode(kept->probe);
    EXPECT_EQ(mode_named(to_string(mode)), mode);
  }
  EXPECT_FALSE(mode_named("another"));
}

}  // namespace
}  // namespace tally::serve
