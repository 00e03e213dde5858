/// What says where the user's shell stands, after a host's heap has settled.
#include "late_variables.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <map>
#include <string>

#include "protocol/late_variables.h"

namespace tally::host {
namespace {

using protocol::Field;
using protocol::MessageType;

std::map<std::string, std::string> g_values;

void keep_value(std::size_t which, std::string_view value, bool is_set) {
  g_values[protocol::kLateVariables[which]] = is_set ? std::string(value) : "(not set)";
}

protocol::Message message_of(std::initializer_list<std::string> entries) {
  static char buffer[4 * protocol::kLateRoom];
  protocol::Writer frame(buffer, MessageType::variables, 0);
  for (const std::string& entry : entries) frame.text(Field::variable, entry);
  const protocol::Parsed parsed = protocol::parse_frame(frame.finish());
  EXPECT_EQ(parsed.state, protocol::ParseState::complete);
  return parsed.message;
}

TEST(LateVariables, AreSetWithoutABlockMore) {
  ::setenv("PATH", "/before", 1);
  reserve_late_variables(nullptr);
  ::setenv("AFTER", "1", 1);
  const std::string path = "PATH=/" + std::string(5000, 'x');
  const std::string other = "VIRTUAL_ENV=/a=b";
  const protocol::Message message = message_of({other, path, "CONDA_PREFIX="});
  const struct mallinfo2 before = ::mallinfo2();
  set_late_variables(message);
  const struct mallinfo2 after = ::mallinfo2();
  EXPECT_EQ(after.uordblks, before.uordblks);
  EXPECT_EQ(after.fordblks, before.fordblks);
  EXPECT_EQ("PATH=" + std::string(::getenv("PATH")), path);
  EXPECT_STREQ(::getenv("VIRTUAL_ENV"), "/a=b");
  EXPECT_STREQ(::getenv("CONDA_PREFIX"), "");
  EXPECT_STREQ(::getenv("AFTER"), "1");
}

TEST(LateVariables, ThoseThatTheUserDoesNotHaveAreGone) {
  reserve_late_variables(keep_value);
  set_late_variables(message_of({"PATHS=/x", "PATH=/bin"}));
  EXPECT_STREQ(::getenv("PATH"), "/bin");
  EXPECT_EQ(::getenv("VIRTUAL_ENV"), nullptr);
  EXPECT_EQ(::getenv("CONDA_PREFIX"), nullptr);
  EXPECT_EQ(g_values, (std::map<std::string, std::string>{
                          {"PATH", "/bin"}, {"VIRTUAL_ENV", "(not set)"}, {"CONDA_PREFIX", "(not set)"}}));
}

TEST(LateVariablesDeathTest, AHostWithoutRoomKeepsWhatItHas) {
  // In a process of its own, and before the others: room is made once.
  EXPECT_EXIT(
      {
        ::setenv("VIRTUAL_ENV", "/mine", 1);
        protocol::Message nothing;
        set_late_variables(nothing);
        ::_exit(std::string(::getenv("VIRTUAL_ENV")) == "/mine" ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tally::host
