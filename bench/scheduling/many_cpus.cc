/// What the engine itself costs on a machine of many CPUs: a plan executed by the real engine with leases on so many
/// CPUs, on fake hosts whose cases take as long as those of PyTorch's standard suite do.
///
///   many_cpus [CPUS [CASES]]
///
/// Time is virtual: a run of a minute takes as long as the engine and the fakes need for it. Of the thread's processor
/// time, that in which the fake runner plays (wait() and start(), in which hosts and cases answer) is taken off; the
/// rest is the engine's: its queue, leases, dialogues, deadlines, what it reads and what it parses. A share of 5 % says
/// that one core could drive twenty times as many. Real processes cost the system more, and that is theirs.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <type_traits>

#include "base/files.h"
#include "engine/engine.h"
#include "engine/testing/fake_host.h"
#include "engine/testing/plain_cpus.h"

namespace tally {
namespace {

/// Of 181 cases of suites/torch_standard.toml on two CPUs: 80.6 s in sessions that count, 31.1 s in those that time.
constexpr Milliseconds kCountedSetup{110};
constexpr Milliseconds kCountedRegion{85};
constexpr Milliseconds kTimedSetup{8};
constexpr Milliseconds kTimedRegion{80};

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// The fake runner, and how long it has played.
class MeteredRunner final : public ProcessRunner {
 public:
  FakeProcessRunner inner;
  double played_s = 0;

  Result<ProcessId> start(ProcessRequest request) override {
    return metered([&] { return inner.start(std::move(request)); });
  }
  void cancel(ProcessId id, CancelMode mode) override { inner.cancel(id, mode); }
  void sweep(ProcessId id) override { inner.sweep(id); }
  [[nodiscard]] std::optional<int> pid_of(ProcessId id) const override { return inner.pid_of(id); }
  std::unique_ptr<ChildHandle> hold(int pid, int parent) override { return inner.hold(pid, parent); }
  [[nodiscard]] Milliseconds busy_time(ProcessId id) const override { return inner.busy_time(id); }
  [[nodiscard]] std::vector<std::string> mapped_files(int pid) const override { return inner.mapped_files(pid); }
  void watch(int fd) override { inner.watch(fd); }
  void unwatch(int fd) override { inner.unwatch(fd); }
  [[nodiscard]] Clock::time_point now() const override { return inner.now(); }
  [[nodiscard]] int interruptions() const override { return inner.interruptions(); }

 protected:
  std::vector<Event> collect(std::optional<Clock::time_point> deadline, Fds /*fds*/) override {
    return metered([&] { return inner.wait(deadline); });
  }

 private:
  template <typename Action>
  std::invoke_result_t<Action> metered(const Action& action) {
    const double before = thread_seconds();
    auto result = action();
    played_s += thread_seconds() - before;
    return result;
  }
};

/// Drops what it receives.
class Audience final : public ExecutionObserver {
 public:
  std::size_t good = 0;
  std::size_t sessions = 0;

  void on_process(const std::string& /*what*/, const std::vector<std::string>& /*argv*/) override {}
  void on_planned(Mode /*mode*/, std::size_t /*sessions*/) override {}
  void on_session(std::size_t /*index*/, Mode /*mode*/, const std::vector<int>& /*cpus*/) override { ++sessions; }
  void on_session_end(std::size_t /*index*/, Mode /*mode*/) override {}
  Status on_case(std::size_t /*index*/, CaseOutcome outcome) override {
    good += outcome.ending == Ending::ok ? 1 : 0;
    return {};
  }
  void on_waiting(const std::string& why) override { fmt::print(stderr, "{}\n", why); }
  void on_warning(const std::string& text) override { fmt::print(stderr, "{}\n", text); }
};

std::vector<Case> cases_of(int count) {
  std::vector<Case> cases(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    Case& one = cases[static_cast<std::size_t>(i)];
    one.id = fmt::format("case {}", i);
    one.language = Language::python;
    one.toolchain = "python";
    one.stmt.parts = {{fmt::format("statement {}", i), {}}};
  }
  return cases;
}

int measure(int cpus, int count) {
  const auto folder = TemporaryFolder::make().value();
  const std::string path = folder.path().string();
  std::filesystem::create_directories(path + "/libexec");
  // What a Python host is handed; nothing reads it here.
  for (const char* name : {"/libexec/_tally_host.abi3.so", "/libexec/tally_host.py", "/libexec/tally_start.py"})
    write_file(path + name, "").value();
  const HostSurroundings around{.environment = {{"PATH", "/usr/bin"}},
                                .timed_environment = {{"PATH", "/usr/bin"}},
                                .working_folder = "/",
                                .libexec = path + "/libexec",
                                .valgrind = "/usr/bin/valgrind"};
  std::map<std::string, ResolvedToolchain> toolchains;
  toolchains["python"].spec.name = "python";
  toolchains["python"].interpreter =
      ResolvedInterpreter{.path = "/usr/bin/python3", .version = "3", .identity = "1", .modules = {}};
  const std::vector<Case> cases = cases_of(count);
  FakeHosts hosts;
  hosts.on_case = [](const FakeRequest& request) {
    return request.counted ? FakeCase{.setup_takes = kCountedSetup, .region_takes = kCountedRegion}
                           : FakeCase{.setup_takes = kTimedSetup, .region_takes = kTimedRegion};
  };
  MeteredRunner runner;
  runner.inner.play = [&hosts](const ProcessRequest& request) { return hosts.play(request); };
  auto leases = plain_cpus(cpus, path + "/cpus");
  HostPool pool(runner, path + "/scratch");
  Builder builder(Cache(path + "/cache"), {}, toolchains, cases);
  Audience audience;
  const auto begin = runner.now();
  const double before = thread_seconds();
  {
    Engine engine(runner, leases, pool, builder,
                  {.cases = cases, .settings = {}, .toolchains = toolchains, .surroundings = around, .examiner = {}},
                  audience);
    engine.run({});
  }
  const double own = thread_seconds() - before - runner.played_s;
  const double lasted = std::chrono::duration<double>(runner.now() - begin).count();
  pool.end_all();
  fmt::print(
      "{} CPUs, {} cases in {} sessions, {} of them good: {:.1f} s of the machine's time, {:.0f} sessions a second\n",
      cpus, count, audience.sessions, audience.good, lasted, static_cast<double>(audience.sessions) / lasted);
  fmt::print(
      "the engine: {:.3f} s of processor time, {:.3f} ms a session, {:.1f} % of one core (the fakes: {:.1f} s)\n", own,
      own * 1e3 / static_cast<double>(audience.sessions), 100 * own / lasted, runner.played_s);
  return audience.good == static_cast<std::size_t>(count) ? 0 : 1;
}

int number(const char* text) {
  int value = 0;
  std::from_chars(text, text + std::strlen(text), value);
  return value;
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  return tally::measure(argc > 1 ? tally::number(argv[1]) : 64, argc > 2 ? tally::number(argv[2]) : 6400);
}
