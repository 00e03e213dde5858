// Cases on a device that is made up: its driver is a Python module or a C++ variable, and its profiler a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/file.h>

#include "base/text.h"
#include "base/unique_fd.h"
#include "harness.h"

namespace tally::cli_test {
namespace {

/// A device that counts what it is given, and whose profiler writes a kernel for each execution of a region. A region
/// that began without its profiler's getting ready has no trace, and what warms the device up is in none.
constexpr const char* kToolchains = R"toml(schema = 1
[toolchain.on]
sync = { py = "pass", cpp = ";" }
device.cpp = 'return "fake";'
device.py = """
def device():
    return "fake"
"""
device_observer.py = """
import fake_device, os
order = []
def observe(what):
    order.append(what)
    if what == 0:
        fake_device.executed = 0
    if what == 1:
        fake_device.ended = fake_device.executed
    traces = os.environ.get("TALLY_DEVICE_TRACE")
    if what != 2:
        return
    if not traces:
        return 1e-6 * fake_device.ended
    events = []
    for i in range(fake_device.ended):
        for category, name in (("cuda_runtime", "cudaLaunchKernel"), ("kernel", "add")):
            events.append({"ph": "X", "cat": category, "name": name, "pid": 0, "tid": 7, "ts": 10.0 * i, "dur": 4.0,
                           "args": {"device": fake_device.number, "stream": 7, "correlation": i + 1}})
    import json
    if order == [3, 0, 1, 2] and fake_device.warm > 1000:
        with open(f"{traces}/{os.getpid()}.trace.json", "w") as file:
            json.dump({"traceEvents": events}, file)"""
device_flush = { py = "def device_flush(): return 1000", cpp = "return 1000;" }
device_settings.py = "def device_settings(): return {'fp': fake_device.precision, 'benchmark': 'off'}"
device_settings.cpp = 'return "fp=high\nbenchmark=off\n";'
prelude = ["stdexcept"]

# Its work ends 100 µs after it was given, and with a cold cache 200 µs. It holds the order of calls to what it should be.
[toolchain.cold]
extends = "on"
sync = { py = "import fake_device; fake_device.wait_for_work()", cpp = ";" }
device_flush.cpp = "return 1000;"
device_flush.py = """
import fake_device
def device_flush():
    fake_device.log[:] = ["flush"]
    return 1000
"""
device_observer.py = """
import fake_device
ON_STREAM, ON_HOST = "flush begin work end sync", "flush sync begin work end sync"
def observe(what):
    if what == 0:
        fake_device.log.append("begin")
    if what == 1:
        fake_device.log.append("end")
    if what != 2:
        return
    order, fake_device.log[:] = " ".join(fake_device.log), []
    if not order.startswith("flush"):
        return 0
    fake_device.last, last = order, fake_device.last
    assert {order, last} == {ON_STREAM, ON_HOST}, order
    return 5e-6 if order == ON_STREAM else 9e-6
"""
device = { py = """
def device():
    return "fake"
""", cpp = 'return "fake";' }

# As a card of NVIDIA's.
[toolchain.cuda]
extends = "on"
device = { py = """
def device():
    return "cuda"
""", cpp = 'return "cuda";' }
sync = { py = "pass", cpp = ";" }

[toolchain.traced_cuda]
extends = "on"
device = { py = """
def device():
    return "cuda"
""", cpp = 'return "cuda";' }

[toolchain.failing]
extends = "on"
sync = { py = "import fake_device; fake_device.wait()", cpp = "throw std::runtime_error(\"error 710: an assert on the device\\nmore\");" }
device.cpp = 'return "fake";'
device.py = """
def device():
    return "fake"
"""
)toml";

class DeviceTest : public testing::Test {
 protected:
  DeviceTest() : folder_(*TemporaryFolder::make()) {
    // What is measured counts its executions in it.
    EXPECT_TRUE(write_file(folder_.path() / "fake_device.py", R"py(
import time

executed = ended = warm = number = 0
precision = "high"
log = []
last = "flush sync begin work end sync"
busy_until = 0

def work():
    global busy_until
    cold = "flush" in log
    log.append("work")
    busy_until = max(busy_until, time.perf_counter_ns()) + (200_000 if cold else 100_000)

def wait_for_work():
    while time.perf_counter_ns() < busy_until:
        pass
    log.append("sync")

def add():
    global executed, warm
    executed += 1
    warm += 1

def wait():
    if executed:
        raise RuntimeError("error 710: an assert on the device\nmore of it")
)py"));
  }
  fs::path suite_of(const std::string& benchmarks) {
    const fs::path text = folder_.path() / "suite.toml";
    EXPECT_TRUE(write_file(text, kToolchains + benchmarks));
    return text;
  }
  Record record_of_suite(const std::string& benchmarks, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"run", suite_of(benchmarks).string(), "--wall-only", "--min-run-time",
                                          "0.05"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return record_of(arguments, ran_, how());
  }
  [[nodiscard]] How how() const {
    How how;
    how.more = {{"PYTHONPATH", folder_.path().string()}};
    how.more.insert(how.more.end(), variables_.begin(), variables_.end());
    how.path = folder_.path().string() + ":" + how.path;
    return how;
  }
  /// The machine has two cards, which have been slowed down for a second more each time that they are looked at.
  void add_nvidia_smi(const std::string& before = "") {
    const fs::path program = folder_.path() / "nvidia-smi";
    EXPECT_TRUE(write_file(program, "#!/bin/sh\n" + before + R"sh(
here=$(dirname "$0")
case $1 in
  --query-gpu*)
    echo x >>"$here/looks"
    echo "GPU-a, NVIDIA H200, 580.1, 1980, 3201, 118.36, 700.00, 34, 0x0000000000000004, $(wc -l <"$here/looks")500000, 0, 0, 0"
    echo "GPU-b, NVIDIA H200, 580.1, 345, 3201, 80.00, 700.00, 30, 0x0000000000000001, 0, 0, 0, $(wc -l <"$here/looks")500000" ;;
  --query-compute-apps*) echo "4711, GPU-a, /usr/bin/somebody" ;;
esac)sh"));
    fs::permissions(program, fs::perms::owner_all);
  }

  TemporaryFolder folder_;
  EnvironmentVariables variables_;
  Ran ran_;
};

TEST_F(DeviceTest, ItIsWarmedUpAndItsProfilerReadyBeforeTheRegionThatIsTraced) {
  const Record record = record_of_suite(R"toml(
[[benchmark]]
label = "add"
toolchain = "on"
device = "fake"
py = "fake_device.add()"
setup = { py = "import fake_device" }
)toml");
  ASSERT_EQ(ran_.code, 0) << ran_.err << ran_.out;
  const CaseRecord& one = case_of(record, "add", "python");
  ASSERT_TRUE(one.on_device && one.on_device->work) << ran_.out << ran_.err;
  EXPECT_EQ(one.on_device->work->kernels, 1) << "of 100 executions, and none of those before";
  EXPECT_EQ(one.on_device->work->launches, 1);
  EXPECT_NEAR(one.on_device->work->kernel_time_s, 4e-6, 1e-12);
  ASSERT_TRUE(one.on_device->time);
  EXPECT_NEAR(one.on_device->time->median_s, 1e-6, 1e-12);
}

TEST_F(DeviceTest, WhatFailsOnItIsReportedInItsOwnWordsWhereverItIsFound) {
  const Record record = record_of_suite(R"toml(
[[benchmark]]
label = "assert"
toolchain = "failing"
device = "fake"
py = "fake_device.add()"
cpp = "int x = 0;"
setup = { py = "import fake_device" }
)toml");
  EXPECT_EQ(ran_.code, 1) << ran_.err << ran_.out;
  const CaseRecord& python = case_of(record, "assert", "python");
  ASSERT_TRUE(python.failure);
  EXPECT_EQ(python.failure->message.substr(0, python.failure->message.find('\n')),
            "sync raised RuntimeError: error 710: an assert on the device");
  const CaseRecord& cpp = case_of(record, "assert", "cpp");
  ASSERT_TRUE(cpp.failure);
  EXPECT_EQ(cpp.failure->message.substr(0, cpp.failure->message.find('\n')), "error 710: an assert on the device");
}

TEST_F(DeviceTest, WithAColdCacheEachExecutionIsTimedAloneAfterItWasWrittenOver) {
  const Record record = record_of_suite(R"toml(
[[benchmark]]
label = "warm"
toolchain = "cold"
device = "fake"
py = "fake_device.work()"
setup = { py = "import fake_device" }
[[benchmark]]
label = "cold"
toolchain = "cold"
device = "fake"
flush = "l2"
py = "fake_device.work()"
cpp = 'asm volatile("");'
setup = { py = "import fake_device" }
)toml");
  ASSERT_EQ(ran_.code, 0) << ran_.err << ran_.out;
  const CaseRecord& warm = case_of(record, "warm", "python");
  const CaseRecord& cold = case_of(record, "cold", "python");
  ASSERT_TRUE(warm.wall && cold.wall && cold.on_device && warm.on_device) << ran_.out << ran_.err;
  EXPECT_EQ(warm.on_device->flush, std::nullopt);
  EXPECT_EQ(cold.on_device->flush, "l2");
  EXPECT_EQ(case_of(record, "cold", "cpp").on_device->flush, "l2");
  EXPECT_EQ(cold.wall->number_per_run, 1U);
  EXPECT_GT(warm.wall->number_per_run, 1U);
  EXPECT_NEAR(warm.wall->median_s, 100e-6, 30e-6);
  EXPECT_NEAR(cold.wall->median_s, 200e-6, 60e-6) << "without what a wait takes";
  ASSERT_TRUE(cold.on_device->time);
  EXPECT_NEAR(cold.on_device->time->median_s, 5e-6, 1e-12) << "of executions that the device finds queued";
  EXPECT_THAT(cold.flags, testing::Contains("cold"));
}

TEST_F(DeviceTest, WhatCannotBeFlushedIsRefusedInOneLine) {
  const auto refusal = [&](const std::string& rest) {
    return tally({"run", suite_of("[[benchmark]]\nlabel = 'a'\nflush = 'l2'\n" + rest).string()}, how()).err;
  };
  EXPECT_THAT(refusal("toolchain = 'on'\npy = 'pass'\n"),
              testing::HasSubstr("flush = \"l2\" is for cases that name a device, and this one runs on the CPU"));
  EXPECT_THAT(refusal("toolchain = 'on'\npy = 'pass'\ndevices = ['cpu', 'fake']\n"),
              testing::HasSubstr("name a device alone"));
  EXPECT_THAT(refusal("toolchain = 'blind'\npy = 'pass'\ndevice = 'fake'\n[toolchain.blind]\nextends = 'on'\n"
                      "sync.py = 'pass'\ndevice.py = 'def device(): return 1'\n"),
              testing::HasSubstr("toolchain 'blind' cannot write over a device's cache"));
  const Ran time = tally({"time", "pass", "-l", "python", "--flush", "l2"}, how());
  EXPECT_EQ(time.code, 2);
  EXPECT_THAT(time.err, testing::HasSubstr("and this one runs on the CPU"));
}

TEST_F(DeviceTest, AToolchainThatWritesNothingOverFailsTheCase) {
  const Record record = record_of_suite(R"toml(
[toolchain.none]
extends = "on"
device_flush = { py = "def device_flush(): return 0", cpp = "" }
[[benchmark]]
label = "a"
toolchain = "none"
device = "fake"
flush = "l2"
py = "pass"
cpp = 'asm volatile("");'
setup = { py = "import fake_device" }
)toml");
  for (const char* language : {"python", "cpp"}) {
    const CaseRecord& one = case_of(record, "a", language);
    ASSERT_TRUE(one.failure) << language;
    EXPECT_THAT(one.failure->message,
                testing::StartsWith("its toolchain cannot write over the device's cache in this language"))
        << language;
  }
}

TEST_F(DeviceTest, SettingsOfItsProcessAreThoseAfterTheSetup) {
  const Record record = record_of_suite(R"toml(
[[benchmark]]
label = "a"
toolchain = "on"
device = "fake"
py = "pass"
cpp = 'asm volatile("");'
setup = { py = "import fake_device; fake_device.precision = 'medium'" }
[[benchmark]]
label = "elsewhere"
toolchain = "on"
py = "pass"
cpp = 'asm volatile("");'
)toml");
  using Settings = std::map<std::string, std::string>;
  EXPECT_EQ(case_of(record, "a", "python").on_device->settings, (Settings{{"fp", "medium"}, {"benchmark", "off"}}));
  EXPECT_EQ(case_of(record, "a", "cpp").on_device->settings, (Settings{{"fp", "high"}, {"benchmark", "off"}}));
  EXPECT_EQ(case_of(record, "a", "python").on_device->name, "fake");
  EXPECT_EQ(case_of(record, "elsewhere", "cpp").on_device->settings, std::nullopt)
      << "its text is that of a case on the processor";
}

TEST_F(DeviceTest, ACaseInCppThatNamesNoDeviceHasSettingsWhereItTurnsOutToUseOne) {
  const fs::path source = folder_.path() / "driver.cc";
  ASSERT_TRUE(write_file(source, "extern \"C\" int devices() { return 1; }"));
  const fs::path driver = folder_.path() / "libtally-fake-driver.so.1";
  ASSERT_EQ(std::system(("g++ -shared -fPIC -o " + driver.string() + " " + source.string()).c_str()), 0);
  variables_ = {{"LD_LIBRARY_PATH", folder_.path().string()}};
  const Record record = record_of_suite(R"toml(
[toolchain.asking]
extends = "cpp"
prelude = ["dlfcn.h"]
drivers = ["libtally-fake-driver.so.1"]
sync.cpp = ";"
device.cpp = 'return dlopen("libtally-fake-driver.so.1", RTLD_NOW | RTLD_NOLOAD) != nullptr ? "fake" : nullptr;'
device_settings.cpp = 'return "fp=high\nbenchmark=off\n";'
[[benchmark]]
label = "asks"
toolchain = "asking"
cpp = 'asm volatile("");'
setup = { cpp = 'dlopen("libtally-fake-driver.so.1", RTLD_NOW);' }
[[benchmark]]
label = "asks not"
toolchain = "asking"
cpp = 'asm volatile("");'
)toml");
  ASSERT_EQ(ran_.code, 0) << ran_.err << ran_.out;
  const CaseRecord& asks = case_of(record, "asks", "cpp");
  ASSERT_TRUE(asks.on_device && asks.wall) << ran_.err << ran_.out;
  EXPECT_EQ(asks.on_device->settings, (std::map<std::string, std::string>{{"fp", "high"}, {"benchmark", "off"}}));
  EXPECT_FALSE(case_of(record, "asks not", "cpp").on_device);
}

constexpr const char* kOnCard = R"toml(
[[benchmark]]
label = "a"
toolchain = "cuda"
device = "cuda"
py = "pass"
setup = { py = "import fake_device" }
)toml";

TEST_F(DeviceTest, TheCardIsReadBeforeAndAfterAndWhatSlowedItDownIsSaid) {
  add_nvidia_smi();
  const Record record = record_of_suite(kOnCard);
  ASSERT_EQ(ran_.code, 0) << ran_.err << ran_.out;
  const CaseRecord& one = case_of(record, "a", "python");
  ASSERT_TRUE(one.on_device && one.on_device->cards) << ran_.err << ran_.out;
  const CardWatch& card = one.on_device->cards->front();
  EXPECT_EQ(card.uuid, "GPU-a");
  EXPECT_EQ(card.before.sm_mhz, 1980);
  EXPECT_EQ(card.after.power_limit_w, 700);
  EXPECT_NEAR(card.slowed_s.value().at("sw_power_cap"), 1, 1e-9);
  EXPECT_THAT(one.flags, testing::Contains("device_throttled"));
  EXPECT_THAT(one.warnings,
              testing::Contains("the card GPU-a was slowed down while its times were taken: sw_power_cap for 1 s; "
                                "the card GPU-b was slowed down while its times were taken: hw_power_brake_slowdown "
                                "for 1 s"))
      << "which of them it uses is not known: CUDA's order of cards is its own";
  EXPECT_THAT(ran_.err,
              testing::HasSubstr("others use the card, too, and times on it may be longer: process 4711 (somebody)"));
}

TEST_F(DeviceTest, TheCardThatACaseUsesIsTheOneInItsRecord) {
  add_nvidia_smi();
  variables_ = {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}};
  const auto on = [](const std::string& number) {
    return replace_all(replace_all(kOnCard, "\"a\"", "\"on " + number + "\""), "import fake_device\"",
                       "import fake_device; fake_device.number = " + number + "\"");
  };
  const std::string counting = replace_all(on("0") + on("1"), "py = \"pass\"", "py = \"fake_device.add()\"");
  const Record record = record_of_suite(replace_all(counting, "toolchain = \"cuda\"", "toolchain = \"traced_cuda\""));
  ASSERT_EQ(ran_.code, 0) << ran_.err << ran_.out;
  for (const std::uint32_t number : {0U, 1U}) {
    const CaseRecord& one = case_of(record, "on " + std::to_string(number), "python");
    ASSERT_TRUE(one.on_device && one.on_device->work && one.on_device->cards) << ran_.err << ran_.out;
    EXPECT_EQ(one.on_device->work->devices, std::vector<std::uint32_t>{number});
    ASSERT_EQ(one.on_device->cards->size(), 1U);
    EXPECT_EQ(one.on_device->cards->front().uuid, number == 0 ? "GPU-a" : "GPU-b");
    EXPECT_EQ(one.on_device->cards->front().number, number);
    EXPECT_THAT(one.warnings,
                testing::Contains(std::string("the card was slowed down while its times were taken: ") +
                                  (number == 0 ? "sw_power_cap for 1 s" : "hw_power_brake_slowdown for 1 s")));
  }
}

TEST_F(DeviceTest, AnNvidiaSmiThatTakesLongHoldsUpNoOtherTimes) {
  const fs::path times = folder_.path() / "times";
  add_nvidia_smi("sleep 1; date +%s.%N >>" + times.string());
  const Record record = record_of_suite(std::string(kOnCard) + R"toml(
[[benchmark]]
label = "b"
toolchain = "on"
py = "pass"
)toml");
  ASSERT_EQ(ran_.code, 0) << ran_.err << ran_.out;
  // Which cards there are, who uses them, their state before and after.
  std::vector<double> ended;
  const std::string text = read_file(times).value();
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty()) ended.push_back(std::stod(std::string(line)));
  }
  ASSERT_EQ(ended.size(), 4U);
  EXPECT_TRUE(case_of(record, "a", "python").on_device->cards) << "it waits for the second state";
  const auto began = [&](const char* label) { return case_of(record, label, "python").attempts.at(0).started_s; };
  EXPECT_GE(began("a").value() - began("b").value(), 1) << "the processor's case began while nvidia-smi ran";
}

TEST_F(DeviceTest, WithoutNvidiaSmiThatIsSaidOnce) {
  const Record record = record_of_suite(kOnCard);
  ASSERT_EQ(ran_.code, 0) << ran_.err << ran_.out;
  EXPECT_FALSE(case_of(record, "a", "python").on_device->cards);
  EXPECT_THAT(ran_.err, testing::HasSubstr("nvidia-smi lists no card: no clocks"));
}

TEST_F(DeviceTest, TimesWaitForACardThatAnotherRunHas) {
  add_nvidia_smi();
  const fs::path locks = folder_.path() / "locks";
  fs::create_directories(locks);
  const UniqueFd held(::open((locks / "device-GPU-a").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  ASSERT_EQ(::flock(held.get(), LOCK_EX), 0);
  variables_ = {{"TALLY_CPU_LOCKS", locks.string()}};
  const Ran waiting =
      tally({"run", suite_of(kOnCard).string(), "--wall-only", "--max-wait", "1", "--server", "off"}, how());
  EXPECT_EQ(waiting.code, 1) << waiting.err;
  EXPECT_THAT(waiting.err, testing::HasSubstr("has the device GPU-a"));
  ASSERT_EQ(::flock(held.get(), LOCK_UN), 0);
  const Record record = record_of_suite(kOnCard, {"--max-wait", "1"});
  EXPECT_EQ(ran_.code, 0) << ran_.err;
}

TEST_F(DeviceTest, EachFaultOfADeviceIsOneLineAndTheNextCaseRuns) {
  const std::string after = R"toml(
[[benchmark]]
label = "LABEL good"
toolchain = "on"
device = "fake"
py = "fake_device.add()"
setup = { py = "import fake_device" }
)toml";
  std::string suite;
  const auto add = [&](const std::string& label, const std::string& toolchain, const std::string& text) {
    suite += "\n[[benchmark]]\nlabel = '" + label + "'\ntoolchain = '" + toolchain + "'\ndevice = 'fake'\n" + text;
    suite += replace_all(after, "LABEL", label);
  };
  add("memory", "on", R"(py = 'raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 128.00 TiB.")'
setup.py = '''
import types
torch = types.SimpleNamespace(OutOfMemoryError=type("OutOfMemoryError", (RuntimeError,), {}))
''')");
  add("absent", "on", "py = 'pass'\nsetup.py = 'raise RuntimeError(\"No CUDA GPUs are available\")'");
  add("busy", "on",
      "py = 'pass'\nsetup.py = 'raise RuntimeError(\"CUDA error: CUDA-capable device(s) is/are busy or unavailable\\n"
      "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\")'");
  add("unused", "off", "py = 'pass'");
  add("hang", "hanging", "py = 'fake_device.add()'\nsetup.py = 'import fake_device'\ntimeout = '2 s'");
  add("assert", "failing", "py = 'fake_device.add()'\nsetup.py = 'import fake_device'");
  suite += R"toml(
[toolchain.off]
extends = "on"
device = { py = "def device(): return None", cpp = "" }
sync = { py = "pass", cpp = ";" }
[toolchain.hanging]
extends = "on"
device = { py = "def device(): return 'fake'", cpp = "" }
sync = { py = '''
import time, fake_device
if fake_device.executed:
    time.sleep(1000)''', cpp = ";" }
)toml";
  const Record record = record_of_suite(suite, {"--retries", "0"});
  EXPECT_EQ(ran_.code, 1);
  const auto message = [&](const std::string& label) {
    const CaseRecord& one = case_of(record, label, "python");
    return one.failure ? one.failure->message : "none: " + std::string(to_string(one.status));
  };
  EXPECT_THAT(message("memory"),
              testing::StartsWith("OutOfMemoryError: CUDA out of memory. Tried to allocate 128.00 TiB."));
  EXPECT_THAT(message("absent"), testing::StartsWith("RuntimeError: No CUDA GPUs are available"));
  EXPECT_THAT(message("busy"),
              testing::StartsWith("RuntimeError: CUDA error: CUDA-capable device(s) is/are busy or unavailable"));
  EXPECT_EQ(message("unused"), "it is to run on fake, and has used no device: name it in the setup");
  EXPECT_THAT(message("hang"), testing::HasSubstr("timed out after 2 s"));
  EXPECT_THAT(message("assert"), testing::StartsWith("sync raised RuntimeError: error 710: an assert on the device"));
  for (const char* label : {"memory", "absent", "busy", "unused", "hang", "assert"}) {
    EXPECT_EQ(case_of(record, std::string(label) + " good", "python").status, CaseStatus::ok) << label;
    EXPECT_THAT(ran_.err, testing::Not(testing::HasSubstr("For debugging"))) << "one line each";
  }
}

}  // namespace
}  // namespace tally::cli_test
