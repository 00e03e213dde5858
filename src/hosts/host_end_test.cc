#include "hosts/host_end.h"

#include <gtest/gtest.h>

#include <csignal>

namespace tally {
namespace {

ProcessResult ended(const Outcome& outcome, const std::string& errors) {
  BoundedOutput err(4096);
  err.append(errors);
  return {.outcome = outcome, .out = {}, .err = err.take()};
}

TEST(HostEnd, TheLastLineWithAWordIsQuotedWithoutValgrindsPrefix) {
  EXPECT_EQ(last_words(ended(Exited{1}, "first\n==12== no such file\n==12== \n\n")),
            describe(Outcome(Exited{1})) + ": no such file");
  EXPECT_EQ(last_words(ended(Exited{1}, "== no process ==\n")), describe(Outcome(Exited{1})) + ": == no process ==");
}

TEST(HostEnd, OneThatWroteNothingIsKnownByItsEndAlone) {
  EXPECT_EQ(last_words(ended(Signaled{SIGSEGV}, "==7==\n\n")), describe(Outcome(Signaled{SIGSEGV})));
}

TEST(HostEnd, AProgramWithASanitizerIsToBeBuiltWithoutIt) {
  EXPECT_EQ(hint_for_start("End of process memory map."),
            "; Valgrind cannot run it: build it without -fsanitize=address");
  EXPECT_EQ(hint_for_start("No module named 'numpy'"), "");
}

TEST(HostEnd, AWaitStatusIsAsTheKernelGivesIt) {
  EXPECT_EQ(wait_status_of(Exited{3}), 3 << 8);
  EXPECT_EQ(wait_status_of(Signaled{SIGSEGV}), SIGSEGV);
  EXPECT_EQ(wait_status_of(TimedOut{}), SIGKILL);
}

}  // namespace
}  // namespace tally
