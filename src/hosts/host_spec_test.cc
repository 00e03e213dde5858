/// What hosts are started with, and by what two of them are one.
#include "hosts/host_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/first_modules.h"
#include "protocol/frame.h"
#include "protocol/late_variables.h"

namespace tally {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

HostSpec timed_host(const EnvironmentVariables& environment, const std::string& program = "") {
  ResolvedToolchain toolchain;
  toolchain.spec.own_host.executable = program;
  HostKind kind;
  kind.language = Language::cpp;
  HostSurroundings around;
  around.timed_environment = environment;
  around.working_folder = "/";
  around.libexec = "/libexec";
  auto spec = host_spec(kind, toolchain, {}, around, {});
  EXPECT_TRUE(spec) << spec.error().message;
  return spec ? *std::move(spec) : HostSpec{};
}

TEST(HostSpec, WhereTheUsersShellStandsIsSentLate) {
  const HostSpec spec = timed_host({{"LANG", "C"}, {"PATH", "/bin"}, {"VIRTUAL_ENV", "/v"}});
  EXPECT_THAT(spec.environment, ElementsAre(Pair("LANG", "C")));
  ASSERT_TRUE(spec.late_variables);
  EXPECT_THAT(*spec.late_variables, ElementsAre(Pair("PATH", "/bin"), Pair("VIRTUAL_ENV", "/v")));
}

TEST(HostSpec, WhatObservesADeviceIsNoPartOfACountedHost) {
  const auto arguments = [](bool counted) {
    ResolvedToolchain toolchain;
    toolchain.interpreter = ResolvedInterpreter{.path = "/usr/bin/python3"};
    toolchain.spec.device.identify.py = "def device(): return None";
    toolchain.spec.device.observer.py = "def observe(what): pass";
    HostKind kind;
    kind.language = Language::python;
    kind.counted = counted;
    HostSurroundings around;
    around.working_folder = "/";
    around.libexec = "/libexec";
    around.counter = "/libexec/tally-counter";
    around.counter_start = {"/libexec/tally-launcher"};
    auto spec = host_spec(kind, toolchain, {}, around, {});
    EXPECT_TRUE(spec) << spec.error().message;
    return spec ? spec->argv : std::vector<std::string>();
  };
  EXPECT_THAT(arguments(true), Contains("def device(): return None"));
  EXPECT_THAT(arguments(false), Contains(HasSubstr("device.observe = observe")));
}

TEST(HostSpec, AProgramFindsItWhenItBegins) {
  const HostSpec spec = timed_host({{"PATH", "/bin"}}, "/usr/bin/program");
  EXPECT_THAT(spec.environment, Contains(Pair("PATH", "/bin")));
  EXPECT_FALSE(spec.late_variables);
}

TEST(HostSpec, AValueWithoutRoomIsThereFromTheStart) {
  const HostSpec spec = timed_host({{"PATH", std::string(protocol::kLateRoom, '/')}});
  EXPECT_THAT(spec.environment, Contains(Key("PATH")));
  EXPECT_THAT(*spec.late_variables, Not(Contains(Key("PATH"))));
}

TEST(HostSpec, HostsOfTwoShellsAreTwoAndOfOneImage) {
  const HostKey one = key_of(timed_host({{"LANG", "C"}, {"PATH", "/bin"}}));
  const HostKey other = key_of(timed_host({{"LANG", "C"}, {"PATH", "/usr/bin"}, {"VIRTUAL_ENV", "/v"}}));
  EXPECT_NE(one.digest, other.digest);
  EXPECT_NE(one.lineage, other.lineage);
  EXPECT_EQ(one.image, other.image);
  const HostKey third = key_of(timed_host({{"LANG", "de"}, {"PATH", "/bin"}}));
  EXPECT_NE(one.image, third.image);
}

HostSpec counted_python(const std::string& version, const EnvironmentVariables& environment) {
  ResolvedToolchain toolchain;
  ResolvedInterpreter interpreter;
  interpreter.path = "/usr/bin/python3";
  interpreter.version = version;
  toolchain.interpreter.emplace(interpreter);
  HostKind kind;
  kind.language = Language::python;
  kind.counted = true;
  HostSurroundings around;
  around.environment = environment;
  around.working_folder = "/";
  around.libexec = "/libexec";
  around.counter = "/libexec/tally-counter";
  around.counter_start = {"/libexec/tally-launcher"};
  auto spec = host_spec(kind, toolchain, {}, around, {});
  EXPECT_TRUE(spec) << spec.error().message;
  return spec ? *std::move(spec) : HostSpec{};
}

TEST(HostSpec, AProgramInPythonLooksForModulesWhereTheUserMeansThem) {
  const auto path_of = [](const std::string& path) {
    ResolvedToolchain toolchain;
    toolchain.interpreter = ResolvedInterpreter{.path = "/usr/bin/python3"};
    toolchain.spec.own_host.python = PythonProgram{.framework = "pytest", .folder = "/home/me/project"};
    HostKind kind;
    kind.language = Language::python;
    HostSurroundings around;
    around.timed_environment = {{"PYTHONPATH", path}};
    around.working_folder = "/home/me/project";
    around.libexec = "/libexec";
    auto spec = host_spec(kind, toolchain, {}, around, {});
    EXPECT_TRUE(spec) << spec.error().message;
    return spec ? std::string(value_of(spec->environment, "PYTHONPATH")) : std::string();
  };
  EXPECT_EQ(path_of("src"), "/home/me/project/src");
  EXPECT_EQ(path_of("/opt/a:../lib:"), "/opt/a:/home/me/project/../lib:/home/me/project");
  EXPECT_EQ(path_of("/opt/a"), "/opt/a");
}

TEST(HostSpec, AStartIsShownItsOwnModulesAloneWhereItIsKnownToNeedNoMore) {
  EXPECT_THAT(counted_python("3.13.0", {}).argv, Contains(host::kFirstModulesOption));
  EXPECT_THAT(counted_python("3.9.18", {}).argv, Contains(host::kFirstModulesOption));
  EXPECT_THAT(counted_python("3.14.0", {}).argv, Not(Contains(host::kFirstModulesOption)));
  // It may name a class of any module, which the start then imports.
  EXPECT_THAT(counted_python("3.11.2", {{"PYTHONWARNINGS", "ignore::sqlite3.Warning"}}).argv,
              Not(Contains(host::kFirstModulesOption)));
}

TEST(HostSpec, TheFrameOfLateVariables) {
  const std::string frame = late_variables_frame({{"PATH", std::string(15000, 'p')}, {"VIRTUAL_ENV", "/a=b"}});
  const protocol::Parsed parsed = protocol::parse_frame(frame);
  ASSERT_EQ(parsed.state, protocol::ParseState::complete);
  EXPECT_EQ(parsed.message.type(), protocol::MessageType::variables);
  EXPECT_EQ(parsed.message.count(protocol::Field::variable), 2U);
  EXPECT_EQ(parsed.message.nth(protocol::Field::variable, 1), "VIRTUAL_ENV=/a=b");
}

}  // namespace
}  // namespace tally
