/// A plan of Python cases on fake hosts, executed by the real engine, and what its observer received.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "engine/engine.h"
#include "engine/testing/fake_host.h"
#include "engine/testing/plain_cpus.h"

namespace tally {

/// Keeps what it receives.
class Witness final : public ExecutionObserver {
 public:
  void on_process(const std::string& what, const std::vector<std::string>&) override { processes.push_back(what); }
  void on_planned(Mode mode, std::size_t sessions) override { planned[mode] += sessions; }
  void on_session(std::size_t, Mode, const std::vector<int>&) override { ++begun; }
  void on_session_end(std::size_t, Mode) override { ++ended; }
  Status on_case(std::size_t index, CaseOutcome outcome) override {
    EXPECT_FALSE(outcomes.contains(index)) << "reported twice";
    outcomes[index] = std::move(outcome);
    return refuses_after && outcomes.size() > *refuses_after ? fail(ErrorKind::io, "disk full") : Status{};
  }
  void on_waiting(const std::string& why) override { warnings.push_back(why); }
  void on_warning(const std::string& text) override { warnings.push_back(text); }

  std::vector<std::string> processes;
  std::map<Mode, std::size_t> planned;
  std::size_t begun = 0;
  std::size_t ended = 0;
  std::map<std::size_t, CaseOutcome> outcomes;
  std::vector<std::string> warnings;
  std::optional<std::size_t> refuses_after;
};

class EngineTest : public ::testing::Test {
 protected:
  EngineTest() : folder_(::testing::TempDir() + "engine_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_ + "/libexec");
    // What a Python host is handed; nothing reads it here.
    for (const char* name : {"/libexec/_tally_host.abi3.so", "/libexec/tally_host.py", "/libexec/tally_start.py"})
      EXPECT_TRUE(write_file(folder_ + name, ""));
    around_ = {.environment = {{"PATH", "/usr/bin"}},
               .timed_environment = {{"PATH", "/usr/bin"}},
               .working_folder = "/",
               .libexec = folder_ + "/libexec",
               .valgrind = "/usr/bin/valgrind"};
    ResolvedToolchain& python = toolchains_["python"];
    python.spec.name = "python";
    python.interpreter =
        ResolvedInterpreter{.path = "/usr/bin/python3", .version = "3", .identity = "1", .modules = {}};
    runner_.play = [this](const ProcessRequest& request) { return hosts_.play(request); };
    use_cpus(4);
  }
  ~EngineTest() override {
    pool_.end_all();
    std::filesystem::remove_all(folder_);
  }

  void use_cpus(int count) { leases_.emplace(plain_cpus(count, folder_ + "/cpus")); }

  /// Signals to whole trees: those that stop something. (What has been counted is killed alone, to spare it its exit.)
  std::vector<int> stopping_signals() {
    std::vector<int> signals;
    for (const SentSignal& sent : runner_.signals) {
      if (sent.tree) signals.push_back(sent.signal);
    }
    return signals;
  }

  void add_cases(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      Case one;
      one.id = "case " + std::to_string(i);
      one.language = Language::python;
      one.toolchain = "python";
      one.stmt.parts = {{"statement " + std::to_string(i), {}}};
      cases_.push_back(std::move(one));
    }
  }

  ExecutionResult run() {
    Builder builder(Cache(folder_ + "/cache"), {}, toolchains_, cases_);
    Engine engine(runner_, *leases_, pool_, builder,
                  {.cases = cases_,
                   .settings = settings_,
                   .toolchains = toolchains_,
                   .surroundings = around_,
                   .examiner = examiner_,
                   .cards = cards_},
                  witness_);
    return engine.run({});
  }

  /// So many cases, each with an outcome, and how many ended so.
  std::map<Ending, std::size_t> endings() {
    std::map<Ending, std::size_t> count;
    for (const auto& [index, outcome] : witness_.outcomes) ++count[outcome.ending];
    return count;
  }

  std::string folder_;
  FakeHosts hosts_;
  FakeProcessRunner runner_;
  std::optional<CpuLeases> leases_;
  HostPool pool_{runner_, folder_ + "/scratch"};
  std::map<std::string, ResolvedToolchain> toolchains_;
  HostSurroundings around_;
  Settings settings_;
  std::vector<Case> cases_;
  std::string examiner_;
  Cards* cards_ = nullptr;
  Witness witness_;
};

}  // namespace tally
