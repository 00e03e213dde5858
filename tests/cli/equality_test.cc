/// What "equal" is said of: randomness that is fixed, a second process, a first run in a fresh folder, and hosts that
/// have threads.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness.h"

namespace tally::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

class Exact : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryFolder::make();
    ASSERT_TRUE(made);
    folder_.emplace(*std::move(made));
  }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    const fs::path path = folder_->path() / name;
    fs::create_directories(path.parent_path());
    EXPECT_TRUE(write_file(path, text));
    return path;
  }
  Record run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--counts-only", "--iterations", "10"});
    How how;
    how.folder = folder_->path();
    return record_of(std::move(arguments), ran_, how);
  }

  std::optional<TemporaryFolder> folder_;
  Ran ran_;
};

std::map<std::string, std::vector<std::uint64_t>> totals(const Record& record) {
  std::map<std::string, std::vector<std::uint64_t>> all;
  for (const CaseRecord& one : record.cases) {
    EXPECT_TRUE(one.counts) << one.id << (one.failure ? one.failure->message : "");
    if (one.counts) all[one.id] = one.counts->replicates;
  }
  return all;
}

TEST_F(Exact, WhatAsksForRandomnessReadsTheSameInEachRunWhoeverCounts) {
  const std::string text = write("entropy.toml", R"toml(schema = 1
[[benchmark]]
label = "urandom"
py = "sorted(x)"
setup = { py = "import os; x = list(os.urandom(300))" }
[[benchmark]]
label = "generators"
py = "sorted(x)"
setup = { py = "import random, secrets, uuid; x = [random.SystemRandom().random(), random.Random().random(), secrets.randbits(60), uuid.uuid4().int] + [float(b) for b in secrets.token_bytes(200)]" }
[[benchmark]]
label = "children"
py = "sorted(x)"
setup = { py = """
import os
def child():
    ends = os.pipe()
    if os.fork() == 0:
        os.write(ends[1], os.urandom(50))
        os._exit(0)
    os.wait()
    return os.read(ends[0], 50)
x, y = child(), child()
assert len({x, y, os.urandom(50)}) == 3
""" }
[[benchmark]]
label = "device"
cpp = "auto y = x; std::sort(y.begin(), y.end()); tally::keep(y);"
setup = { cpp = "std::random_device d; std::vector<unsigned> x(200); for (auto& v : x) v = d();", cpp_global = "#include <algorithm>\n#include <random>\n#include <vector>" }
[[benchmark]]
label = "system"
py = "sorted(x)"
entropy = "system"
setup = { py = "import os; x = list(os.urandom(1000))" }
)toml");
  const Record first = run({text});
  ASSERT_EQ(ran_.code, 0) << ran_.err << ran_.out;
  EXPECT_EQ(first.settings.entropy, "fixed");
  EXPECT_TRUE(first.settings.counting);
  EXPECT_EQ(case_of(first, "system", "python").entropy, "system");
  EXPECT_FALSE(case_of(first, "urandom", "python").entropy);
  auto fixed = totals(first);
  auto again = totals(run({text}));
  auto profiled = totals(run({text, "--profiles"}));
  for (auto* one : {&fixed, &again, &profiled}) one->erase("system [python]");
  EXPECT_EQ(again, fixed);
  EXPECT_EQ(profiled, fixed);
  const Record system = run({text, "--entropy", "system"});
  EXPECT_EQ(system.settings.entropy, "system");
  EXPECT_NE(totals(system).at("urandom [python]"), fixed.at("urandom [python]"));
}

/// A seed that is made of it is the same in each run, whichever way the case asks.
TEST_F(Exact, TheTimeOfDayIsFixedOnRequest) {
  const std::string text = write("day.toml", R"toml(schema = 1
[[benchmark]]
label = "clock"
cpp = "auto y = x; std::sort(y.begin(), y.end()); tally::keep(y);"
setup = { cpp = "std::mt19937 g(std::chrono::system_clock::now().time_since_epoch().count()); std::vector<unsigned> x(200); for (auto& v : x) v = g();", cpp_global = "#include <algorithm>\n#include <chrono>\n#include <random>\n#include <vector>" }
[[benchmark]]
label = "time"
py = "sorted(x)"
setup = { py = "import random, time; r = random.Random(time.time()); x = [r.random() for _ in range(200)]" }
)toml");
  const auto fixed = [&] { return run({text, "--time-of-day", "fixed"}); };
  const Record first = fixed();
  ASSERT_EQ(ran_.code, 0) << ran_.err << ran_.out;
  EXPECT_EQ(first.settings.time_of_day, "fixed");
  for (const CaseRecord& one : first.cases) EXPECT_THAT(one.warnings, ::testing::IsEmpty()) << one.id;
  EXPECT_EQ(totals(fixed()), totals(first));
  const Record system = run({text});
  EXPECT_FALSE(system.settings.time_of_day);
  for (const CaseRecord& one : system.cases)
    EXPECT_THAT(one.warnings, Contains(HasSubstr("reads the time of day"))) << one.id;
}

/// What a seed that is made of any clock changes is known from other processes of the case, and no change of the code.
TEST_F(Exact, WhatASeedOfAClockChangesIsNoise) {
  const std::string text = write("seeds.toml", R"toml(schema = 1
[[benchmark]]
label = "steady"
cpp = "auto y = x; std::sort(y.begin(), y.end()); tally::keep(y);"
setup = { cpp = "std::mt19937 g(std::chrono::steady_clock::now().time_since_epoch().count()); std::vector<unsigned> x(2000); for (auto& v : x) v = g();", cpp_global = "#include <algorithm>\n#include <chrono>\n#include <random>\n#include <vector>" }
[[benchmark]]
label = "reads"
cpp = "tally::keep(a * 3);"
setup = { cpp = "long a = std::chrono::steady_clock::now().time_since_epoch().count();", cpp_global = "#include <chrono>" }
[[benchmark]]
label = "time of day"
py = "sorted(x)"
setup = { py = "import random, time; r = random.Random(time.time()); x = [r.random() for _ in range(2000)]" }
[[benchmark]]
label = "another second"
py = "sorted(x)"
setup = { py = "import time; t = time.time(); x = list(range(2000))" }
[[benchmark]]
label = "locks"
py = "sorted(x)"
setup = { py = "import random, threading; threading.Lock().acquire(timeout=0.001); x = [random.random() for _ in range(2000)]" }
)toml");
  const Record record = run({text});
  ASSERT_EQ(ran_.code, 0) << ran_.err << ran_.out;
  for (const std::string name : {"steady [cpp]", "time of day [python]"}) {
    const CaseRecord& one = *std::ranges::find(record.cases, name, &CaseRecord::id);
    EXPECT_THAT(one.flags, Contains("processes_differ")) << name;
    EXPECT_THAT(one.warnings, Contains(HasSubstr("it reads a clock"))) << name;
    EXPECT_THAT(one.counts->replicates, ::testing::SizeIs(5)) << "their range is the noise";
    EXPECT_EQ(one.counts->proven, "two processes");
  }
  for (const std::string name : {"reads [cpp]", "another second [python]", "locks [python]"}) {
    const CaseRecord& one = *std::ranges::find(record.cases, name, &CaseRecord::id);
    EXPECT_THAT(one.flags, ::testing::IsEmpty()) << name;
    EXPECT_THAT(one.warnings, ::testing::IsEmpty()) << name;
    EXPECT_EQ(one.counts->spread, 0) << name;
    EXPECT_EQ(one.attempts.size(), name == "locks [python]" ? 1U : 2U) << "an interpreter's locks look at the clock";
    if (name.starts_with("another")) EXPECT_GT(*one.attempts[1].started_s, *one.attempts[0].started_s + 1);
  }
}

/// Its instructions are in no count of the statement. What a setup starts is no part of the statement.
TEST_F(Exact, AStatementThatStartsAProcessHasAWarning) {
  const std::string text = write("starts.toml", R"toml(schema = 1
[[benchmark]]
label = "runs"
py = "subprocess.run(['/bin/true'])"
setup = { py = "import subprocess" }
[[benchmark]]
label = "forks"
cpp = "if (fork() == 0) _exit(0); else wait(nullptr);"
setup = { cpp_global = "#include <sys/wait.h>\n#include <unistd.h>" }
[[benchmark]]
label = "asks one"
py = "one.stdin.write(b'x'); one.stdin.flush(); one.stdout.read(1)"
setup = { py = "import subprocess; one = subprocess.Popen(['/bin/cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)" }
[[benchmark]]
label = "starts a thread"
cpp = "std::thread([] {}).join();"
setup = { cpp_global = "#include <thread>" }
)toml");
  const Record record = run({text});
  ASSERT_EQ(ran_.code, 0) << ran_.err << ran_.out;
  for (const CaseRecord& one : record.cases) {
    const auto warned = Contains(HasSubstr("it starts a process while it is counted"));
    const bool starts_one = one.id.starts_with("runs") || one.id.starts_with("forks");
    EXPECT_THAT(one.warnings, ::testing::Conditional(starts_one, warned, ::testing::Not(warned))) << one.id;
  }
}

/// Hosts ask for it as well, in each case's process: that is not the case's.
TEST_F(Exact, WhoAsksForTheNumberOfItsProcessHasAWarning) {
  const std::string text = write("number.toml", R"toml(schema = 1
[[benchmark]]
label = "asks in C++"
cpp = "tally::keep(std::to_string(::getpid()));"
setup = { cpp_global = "#include <string>\n#include <unistd.h>" }
[[benchmark]]
label = "runs a coroutine"
py = "loop.run_until_complete(f())"
setup = { py = """
import asyncio
loop = asyncio.new_event_loop()
async def f(): pass
""" }
[[benchmark]]
label = "asks in Python"
py = "sorted(x)"
setup = { py = "import os, random; r = random.Random(os.getpid()); x = [r.random() for _ in range(200)]" }
[[benchmark]]
label = "draws in C++"
cpp = "tally::keep(std::random_device{}());"
setup = { cpp_global = "#include <random>" }
[[benchmark]]
label = "draws in Python"
py = "os.urandom(8)"
setup = { py = "import os" }
[[benchmark]]
label = "has a thread"
py = "t = Thread(target=int); t.start(); t.join()"
setup = { py = "from threading import Thread" }
)toml");
  const Record record = run({text});
  ASSERT_EQ(ran_.code, 0) << ran_.err << ran_.out;
  for (const CaseRecord& one : record.cases) {
    const auto warned = Contains(HasSubstr("the number of its process"));
    EXPECT_THAT(one.warnings, ::testing::Conditional(one.id.contains("asks"), warned, ::testing::Not(warned)))
        << one.id;
  }
}

TEST_F(Exact, NumPyIsSeededWhereverItIsImported) {
  const std::string text = write("numpy.toml", R"toml(schema = 1
[toolchain.numpy]
extends = "python"
requires = ["numpy"]
[[benchmark]]
label = "required"
toolchain = "numpy"
py = "pass"
setup = { py = "import numpy as np; assert round(float(np.random.rand()), 6) == 0.548814" }
[[benchmark]]
label = "in the setup"
py = "pass"
setup = { py = "import numpy as np; assert round(float(np.random.rand()), 6) == 0.548814" }
)toml");
  if (run({text, "--filter", "required*"}).cases.front().status != CaseStatus::ok && ran_.err.contains("numpy"))
    GTEST_SKIP() << "no NumPy";
  run({text});
  EXPECT_EQ(ran_.code, 0) << ran_.err << ran_.out;
}

TEST_F(Exact, ACaseThatLoadsALibraryIsHeldAgainstASecondProcess) {
  const std::string text = write("loads.toml", R"toml(schema = 1
[[benchmark]]
label = "loads"
py = "decimal.Decimal(2).sqrt()"
setup = { py = "import decimal" }
[[benchmark]]
label = "does not"
py = "sorted(x)"
setup = { py = "x = [3, 2, 1]" }
)toml");
  const Record record = run({text});
  ASSERT_EQ(ran_.code, 0) << ran_.err << ran_.out;
  const CaseRecord& loads = case_of(record, "loads", "python");
  EXPECT_EQ(loads.counts->proven, "two processes");
  EXPECT_EQ(loads.counts->replicates.size(), 3U);
  EXPECT_EQ(loads.counts->spread, 0);
  const CaseRecord& other = case_of(record, "does not", "python");
  EXPECT_EQ(other.counts->proven, "one process");
  EXPECT_EQ(other.counts->replicates.size(), 2U);
  EXPECT_EQ(other.attempts.size(), 1U);
  EXPECT_THAT(ran_.out, HasSubstr("1 held against a second process"));
}

/// A first run in a fresh environment finds no compiled files, and leaves none.
TEST_F(Exact, AFirstRunReadsWhatASecondOneReads) {
  for (const char* package : {"fresh", "late"}) {
    std::string names;
    for (int i = 0; i < 20; ++i) {
      names += fmt::format("from .m{} import *\n", i);
      static_cast<void>(
          write(fmt::format("{}/m{}.py", package, i),
                fmt::format("class C{0}:\n    text = 'a class {0}'\n    def f(self): return [self.text] * {0}\n", i)));
    }
    static_cast<void>(write(fmt::format("{}/__init__.py", package),
                            names + "def work(): return [C7().f(), {str(i): i for i in range(50)}]\n"));
  }
  const std::string text = write("fresh.toml", R"toml(schema = 1
[toolchain.fresh]
extends = "python"
requires = ["fresh"]
[[benchmark]]
label = "required"
toolchain = "fresh"
py = "fresh.work()"
[[benchmark]]
label = "in the setup"
py = "late.work()"
setup = { py = "import late" }
)toml");
  const Record first = run({text});
  ASSERT_EQ(ran_.code, 0) << ran_.err << ran_.out;
  EXPECT_EQ(totals(run({text})), totals(first));
  for (const char* package : {"fresh", "late"}) EXPECT_FALSE(fs::exists(folder_->path() / package / "__pycache__"));
}

TEST_F(Exact, AHostWithThreadsRunsItsCaseItselfAndNamesThem) {
  static_cast<void>(write("pool.py", R"py(
import concurrent.futures, threading, time
POOL = concurrent.futures.ThreadPoolExecutor(1, "workers")
POOL.submit(int).result()
LOCK = threading.Lock()
HELD = threading.Event()
def busy():
    with LOCK:
        HELD.set()
        while True:
            time.sleep(0.01)
threading.Thread(target=busy, daemon=True, name="holds the lock").start()
HELD.wait()
def ask(n):
    return POOL.submit(pow, n, 2).result()
def held():
    with LOCK:
        return 1
)py"));
  const std::string text = write("pool.toml", R"toml(schema = 1
[defaults]
timeout = "120 s"
[toolchain.pool]
extends = "python"
requires = ["pool"]
[[benchmark]]
label = "required"
py = "pool.ask(3)"
toolchain = "pool"
[[benchmark]]
label = "held"
py = "pool.held()"
toolchain = "pool"
)toml");
  const Record record = run({text, "--isolation", "fork"});
  EXPECT_EQ(ran_.code, 1) << ran_.err << ran_.out;
  const CaseRecord& required = case_of(record, "required", "python");
  ASSERT_TRUE(required.counts) << ran_.err << ran_.out;
  EXPECT_EQ(required.counts->proven, "two processes");
  EXPECT_THAT(required.warnings, Contains(AllOf(HasSubstr("it runs in its host's process"), HasSubstr("workers_0"),
                                                HasSubstr("holds the lock"))));
  // It waits for what never comes.
  const CaseRecord& held = case_of(record, "held", "python");
  ASSERT_TRUE(held.failure);
  EXPECT_THAT(held.failure->message, AllOf(HasSubstr("nothing in its process computes"), HasSubstr("holds the lock")));
  EXPECT_EQ(held.attempts.size(), 1U);
}

TEST_F(Exact, ThreadsThatWakeNowAndThenMayDoSoWhileACaseWaits) {
  static_cast<void>(write("beat.py", R"py(
import threading, time
def beat(pause):
    while True:
        time.sleep(pause)
for i, pause in enumerate((0.2, 0.5, 1)):
    threading.Thread(target=beat, args=(pause,), daemon=True, name=f"beat {i}").start()
)py"));
  std::string text = R"toml(schema = 1
[defaults]
timeout = "20 s"
[toolchain.beat]
extends = "python"
requires = ["beat"]
)toml";
  // Before, one of two hung: its replicate gave the interpreter's lock to a thread that no fork has.
  for (int n = 0; n < 4; ++n)
    text += fmt::format("[[benchmark]]\nlabel = \"{0}\"\npy = \"sum(range(1000 + {0}))\"\ntoolchain = \"beat\"\n", n);
  const std::string suite = write("beat.toml", text);
  for (const std::string what : {"--counts-only", "--wall-only"}) {
    How how;
    how.folder = folder_->path();
    const Ran ran = tally({"run", suite, what, "--server", "off"}, how);
    EXPECT_EQ(ran.code, 0) << what << ran.err << ran.out;
  }
}

}  // namespace
}  // namespace tally::cli_test
