#include "session/session_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/frame.h"

namespace tally {
namespace {

using protocol::Field;
using ::testing::ElementsAre;

/// The fields of the request for a Python case, in their order.
class SessionRequestTest : public ::testing::Test {
 protected:
  SessionRequestTest() {
    case_.language = Language::python;
    case_.stmt.parts = {{"x / y", {}}};
    case_.setup.parts = {{"y = 0", {}}};
    request_.rules = {.measured = &case_,
                      .toolchain = &toolchain_,
                      .mode = Mode::counts,
                      .plan = case_plan({}, {}),
                      .perturbation = {},
                      .replicates = 2,
                      .forks_all = false,
                      .counts_allocations = true,
                      .waits_for_end = true,
                      .timer_overhead_s = 0};
  }

  std::vector<std::string> sent(Field field) {
    frame_ = *request_frame(request_);
    const protocol::Message message = protocol::parse_frame(frame_).message;
    std::vector<std::string> texts;
    for (std::size_t i = 0; const auto text = message.nth(field, i); ++i) texts.emplace_back(*text);
    return texts;
  }

  Case case_;
  Toolchain toolchain_;
  SessionRequest request_;
  std::string frame_;
};

TEST_F(SessionRequestTest, WhatTheToolchainSaysIsNoPartOfTheSetup) {
  toolchain_.texts.seed.py = "seed()";
  toolchain_.texts.set_threads.py = "threads(${threads})";
  case_.threads = 3;
  EXPECT_THAT(sent(Field::prepare), ElementsAre("seed()", "threads(3)"));
  EXPECT_THAT(sent(Field::setup_part), ElementsAre("y = 0"));
}

TEST_F(SessionRequestTest, NorIsWhatLoadsItsValues) {
  case_.load.parts = {{"case_globals['x'] = 1", {}}};
  EXPECT_THAT(sent(Field::load), ElementsAre("case_globals['x'] = 1"));
  EXPECT_THAT(sent(Field::setup_part), ElementsAre("y = 0"));
  EXPECT_THAT(sent(Field::stmt_part), ElementsAre("x / y"));
}

}  // namespace
}  // namespace tally
