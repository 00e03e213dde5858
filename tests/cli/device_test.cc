// Cases on a device that is made up: its driver is a Python module or a C++ variable, and its profiler a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
                           "args": {"device": 0, "stream": 7, "correlation": i + 1}})
    import json
    if order == [3, 0, 1, 2] and fake_device.warm > 1000:
        with open(f"{traces}/{os.getpid()}.trace.json", "w") as file:
            json.dump({"traceEvents": events}, file)"""
prelude = ["stdexcept"]

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
executed = ended = warm = 0

def add():
    global executed, warm
    executed += 1
    warm += 1

def wait():
    if executed:
        raise RuntimeError("error 710: an assert on the device\nmore of it")
)py"));
  }
  Record record_of_suite(const std::string& benchmarks) {
    const fs::path text = folder_.path() / "suite.toml";
    EXPECT_TRUE(write_file(text, kToolchains + benchmarks));
    How how;
    how.more = {{"PYTHONPATH", folder_.path().string()}};
    return record_of({"run", text.string(), "--wall-only", "--min-run-time", "0.05"}, ran_, how);
  }

  TemporaryFolder folder_;
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

}  // namespace
}  // namespace tally::cli_test
