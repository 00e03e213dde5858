#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "harness.h"
#include "json/text.h"

namespace tally::cli_test {
namespace {

TEST(Exact, KnownWorkIsReadExactly) {
  Ran ran;
  const Record record = record_of({"run", suite("known_work"), "--counts-only", "--iterations", "10"}, ran);
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  EXPECT_NEAR(case_of(record, "empty", "cpp").counts->per_iteration, 0, 1);
  EXPECT_NEAR(case_of(record, "empty", "python").counts->per_iteration, 0, 1);
  const CaseRecord& nops = case_of(record, "thousand nops", "cpp");
  EXPECT_NEAR(nops.counts->per_iteration, 1000, 1);
  EXPECT_EQ(nops.counts->replicates.size(), 2U);
  EXPECT_EQ(nops.attempts.size(), 1U) << "a session's two replicates are the proof";
  // What starting and joining four threads takes is within the 0.1 % as well.
  EXPECT_NEAR(case_of(record, "four threads of ten million nops", "cpp").counts->per_iteration, 40e6, 40e3);
}

/// All threads of a team that outlives the region are counted, and each replicate starts from the same state.
TEST(Exact, KnownWorkOfATeamIsReadWhateverItsSize) {
  Ran ran;
  const Record record = record_of({"run", suite("team"), "--counts-only", "--iterations", "10"}, ran);
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  ASSERT_EQ(record.cases.size(), 3U);
  for (const CaseRecord& one : record.cases) {
    ASSERT_TRUE(one.counts) << one.id;
    EXPECT_NEAR(one.counts->per_iteration, 12e6, 12e3) << one.id;
    EXPECT_LE(one.counts->spread, 0.001) << one.id;
    EXPECT_GE(one.counts->replicates.size(), 2U) << one.id;
    EXPECT_GE(one.attempts.size(), 2U) << "one replicate to a process: " << one.id;
  }
}

/// What other threads and signal handlers did before the region is not counted in it, and a library that begins anew in
/// a forked process does not make replicates differ.
TEST(Exact, WhatWasBeforeTheRegionIsNotInIt) {
  Ran ran;
  const Record record = record_of({"run", suite("before_the_region"), "--counts-only", "--iterations", "10"}, ran);
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  EXPECT_NEAR(case_of(record, "a thread before", "cpp").counts->per_iteration, 1000, 1);
  EXPECT_NEAR(case_of(record, "a signal before", "cpp").counts->per_iteration, 1000, 1);
  const CaseRecord& forked = case_of(record, "another process", "cpp");
  EXPECT_NEAR(forked.counts->per_iteration, 100 + 4, 1) << "one of ten executions, and what asks whether it is";
  EXPECT_EQ(forked.counts->spread, 0);
  EXPECT_GE(forked.counts->replicates.size(), 2U);
  EXPECT_EQ(forked.attempts.size(), 2U) << "where the case child's own replicate differs, all are forked";
}

/// 2,048 and 2,049 bytes are on both sides of where glibc fills memory by one instruction, on most processors.
TEST(Exact, RepetitionsOfStringInstructionsAreCountedApart) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const fs::path text = folder->path() / "repetitions.toml";
  ASSERT_TRUE(write_file(text, R"toml(schema = 1
[[benchmark]]
label = ["bytes"]
params = { n = [0, 7, 3000] }
cpp = 'void* to = v.data(); std::size_t left = ${n}; asm volatile("rep stosb" : "+D"(to), "+c"(left) : "a"(1) : "memory");'
setup = { cpp = 'std::vector<char> v(4000);' }
[[benchmark]]
label = ["memset"]
params = { n = [2048, 2049] }
cpp = 'fill(v.data(), 1, v.size());'
setup = { cpp = 'void* (*volatile fill)(void*, int, std::size_t) = std::memset; std::vector<char> v(${n});' }
)toml"));
  Ran ran;
  const Record record = record_of({"run", text, "--counts-only"}, ran);
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  const auto counts_with = [&](const std::string& label, const std::string& n) {
    const auto one = std::ranges::find_if(record.cases, [&](const CaseRecord& each) {
      return each.label.front() == label && each.id.contains("n=" + n + "]");
    });
    EXPECT_NE(one, record.cases.end()) << label << n;
    return one == record.cases.end() ? CaseRecord() : *one;
  };
  EXPECT_FALSE(counts_with("bytes", "0").counts.value().string_repetitions);
  EXPECT_EQ(counts_with("bytes", "7").counts.value().string_repetitions, 7);
  const CaseRecord most = counts_with("bytes", "3000");
  EXPECT_EQ(most.counts.value().string_repetitions, 3000);
  EXPECT_NEAR(most.counts->per_iteration, 3000, 10);
  EXPECT_EQ(most.flags, (std::vector<std::string>{"string_repetitions"}));
  EXPECT_TRUE(ran.out.contains("ok: string repetitions")) << ran.out;
  EXPECT_FALSE(counts_with("memset", "2048").counts.value().string_repetitions);
  const Counts longer = counts_with("memset", "2049").counts.value();
  EXPECT_LT(longer.per_iteration - longer.string_repetitions.value_or(0), 200) << "what a processor counts";
}

/// Callgrind counts calls before the region, too: the setup's, and those of ten executions that warm up.
TEST(Exact, CallsAreThoseOfTheRegion) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const fs::path text = folder->path() / "calls.toml";
  const fs::path path = folder->path() / "calls.json";
  ASSERT_TRUE(write_file(text, R"toml(schema = 1
[[benchmark]]
label = ["calls"]
cpp = 'for (int i = 0; i < 3; ++i) getppid();'
py = "os.getppid(); os.getppid()"
setup = { cpp = 'for (int i = 0; i < 7; ++i) getppid();', py = "import os; os.getppid()" }
)toml"));
  const Ran ran = tally({"run", text, "--counts-only", "--iterations", "10", "--profiles", "--json", path});
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  for (const auto& [of, calls] : {std::pair("calls [cpp]", 30), {"calls [python]", 20}}) {
    const Ran shown = tally({"profile", path.string() + "#" + of, "--json", "--top", "0"});
    const Result<json::Value> parsed = json::parse(shown.out);
    ASSERT_TRUE(parsed && (*parsed)["functions"].array()) << shown.out << shown.err;
    const json::Array& all = *(*parsed)["functions"].array();
    const auto called = std::ranges::find_if(all, [](const json::Value& one) { return one["function"] == "getppid"; });
    ASSERT_NE(called, all.end()) << of << shown.out;
    EXPECT_EQ((*called)["calls"].number(), calls) << of;
  }
}

/// In a forked process, as the count: here the case child itself executes something else.
TEST(Exact, CallsAreThoseOfWhatWasCounted) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const fs::path path = folder->path() / "calls.json";
  const Ran ran = tally({"run", suite("before_the_region"), "--counts-only", "--iterations", "10", "--profiles",
                         "--no-lines", "--json", path});
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  int profiles = 0;
  for (const auto& file : fs::directory_iterator(path.string() + ".profiles")) {
    const auto text = read_file(file.path());
    if (!text || !text->starts_with("{\"profile\"")) continue;
    ++profiles;
    EXPECT_FALSE(text->contains("two executions")) << *text;
    EXPECT_TRUE(text->contains("(outside)")) << "calls: " << *text;
  }
  EXPECT_EQ(profiles, 3);
}

/// Where there is no counter, Callgrind counts in its place: the same numbers, functions included, in another
/// environment to all who compare. Profiles with calls leave counts to the counter. With another Valgrind than the one
/// that it was built for, the counter is started without it.
TEST(Exact, TheCounterReadsWhatCallgrindReads) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const std::vector<std::string> standard = {"run", "suites/python_standard.toml", "--counts-only", "--filter", "Str*"};
  Ran ran;
  const Record ours = record_of(standard, ran);
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  ASSERT_EQ(ours.settings.counted_with, "tally-counter");
  const fs::path other = folder->path() / "valgrind";
  ASSERT_TRUE(write_file(
      other, "#!/bin/sh\n[ \"$1\" = --version ] && exec echo valgrind-3.0\nexec /usr/bin/valgrind \"$@\"\n"));
  fs::permissions(other, fs::perms::owner_all);
  How how;
  how.path = folder->path().string() + ":" + how.path;
  const Record by_itself = record_of(standard, ran, how);
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  EXPECT_EQ(by_itself.settings.counted_with, "tally-counter");
  EXPECT_EQ(by_itself.environments.at("python [python]").facts, ours.environments.at("python [python]").facts);
  const fs::path build = folder->path() / "build";
  fs::create_directories(build);
  fs::copy(tally_path(), build / "tally");
  fs::copy(TALLY_BUILD_DIR "/libexec", build / "libexec", fs::copy_options::recursive);
  ASSERT_TRUE(fs::remove(build / "libexec/tallymark/tally-launcher"));
  how.program = (build / "tally").string();
  const Record theirs = record_of(standard, ran, how);
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  ASSERT_EQ(theirs.settings.counted_with, "callgrind");
  EXPECT_EQ(ours.environments.at("python [python]").facts.at("counting") + " by callgrind",
            theirs.environments.at("python [python]").facts.at("counting"));
  ASSERT_GE(ours.cases.size(), 10U);
  for (std::size_t i = 0; i < ours.cases.size(); ++i) {
    const CaseRecord& one = ours.cases[i];
    ASSERT_TRUE(one.counts && theirs.cases[i].counts) << one.id;
    EXPECT_EQ(one.counts->replicates, by_itself.cases[i].counts->replicates) << one.id;
    EXPECT_EQ(one.counts->replicates, theirs.cases[i].counts->replicates) << one.id;
    EXPECT_EQ(one.counts->baseline_replicates, theirs.cases[i].counts->baseline_replicates) << one.id;
    EXPECT_TRUE(one.counts->denoised) << one.id;
    EXPECT_EQ(one.counts->denoised, theirs.cases[i].counts->denoised) << one.id;
    EXPECT_EQ(one.warnings, theirs.cases[i].warnings) << one.id;
  }

  std::vector<std::string> with_profiles = standard;
  with_profiles.emplace_back("--profiles");
  const Record profiled = record_of(with_profiles, ran);
  EXPECT_EQ(profiled.settings.counted_with, "tally-counter");
  EXPECT_EQ(profiled.environments.at("python [python]").facts.at("counting"),
            ours.environments.at("python [python]").facts.at("counting"));

  const Record another = record_of({"run", suite("known_work"), "--counts-only", "--filter", "thousand*"}, ran, how);
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  EXPECT_EQ(another.settings.counted_with, "callgrind");
  EXPECT_NEAR(case_of(another, "thousand nops", "cpp").counts->per_iteration, 1000, 1);
}

/// What a host does while it waits for a device is not counted. A toolchain that knows devices, and finds none, counts
/// what a toolchain without them counts.
TEST(Exact, WaitsForADeviceAreNotCounted) {
  Ran ran;
  const Record record = record_of({"run", suite("device"), "--counts-only", "--iterations", "10"}, ran);
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  for (const std::string language : {"cpp", "python"}) {
    SCOPED_TRACE(language);
    const CaseRecord& plain = case_of(record, "plain", language);
    const CaseRecord& on = case_of(record, "on", language);
    EXPECT_EQ(on.flags, std::vector<std::string>{"device"});
    EXPECT_EQ(on.warnings, std::vector<std::string>());
    ASSERT_TRUE(on.on_device);
    EXPECT_EQ(on.on_device->name, "pretend");
    for (const std::string other : {"plain", "off", "none"})
      EXPECT_TRUE(case_of(record, other, language).flags.empty());
    const CaseRecord& none = case_of(record, "none", language);
    EXPECT_EQ(none.counts->replicates, plain.counts->replicates);
    EXPECT_EQ(none.counts->baseline_replicates, plain.counts->baseline_replicates);
  }
  EXPECT_NEAR(case_of(record, "on", "cpp").counts->per_iteration, 1000, 1);
  EXPECT_NEAR(case_of(record, "off", "cpp").counts->per_iteration, 1000, 1);
  EXPECT_NEAR(case_of(record, "on", "python").counts->baseline, case_of(record, "plain", "python").counts->baseline,
              100)
      << "the sum of a thousand numbers is not in it";
}

/// A driver that starts a thread as it is asked, as those of real devices do: a host that forks must not find it. A
/// case that looks for it, and says nothing of devices, is measured where it is found.
TEST(Exact, HostsFindNoDriverUnlessTheirCaseAsksForOne) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const fs::path driver = folder->path() / "libtally-fake-driver.so.1";
  const fs::path source = folder->path() / "driver.cc";
  ASSERT_TRUE(write_file(source, R"cpp(#include <pthread.h>
#include <unistd.h>
                                       extern "C" int devices() {
                                         pthread_t thread;
                                         static bool started = false;
                                         if (!started)
                                           pthread_create(
                                               &thread, nullptr,
                                               [](void*) -> void* {
                                                 for (;;) pause();
                                               },
                                               nullptr);
                                         started = true;
                                         return 1;
                                       }
  )cpp"));
  ASSERT_EQ(std::system(fmt::format("g++ -shared -fPIC -o {} {} -lpthread", driver.string(), source.string()).c_str()),
            0);
  const fs::path text = folder->path() / "suite.toml";
  ASSERT_TRUE(write_file(text, R"toml(schema = 1
[toolchain.fake]
drivers = ["libtally-fake-driver.so.1"]
sync.py = "sum(range(1000))"
device.py = """
import sys, types
here = types.ModuleType("fake_device")
here.used = False
sys.modules["fake_device"] = here
def device():
    return "fake" if here.used else None"""
warm_up.py = """
import ctypes
try:
    ctypes.CDLL("libtally-fake-driver.so.1").devices()
except OSError:
    pass"""
[setup.ask]
py = """
import ctypes, fake_device
try:
    fake_device.used = ctypes.CDLL("libtally-fake-driver.so.1").devices() == 1
except OSError:
    pass
x = list(range(100, 0, -1))"""
[[benchmark]]
label = "asks for nothing"
toolchain = "fake"
py = "y = sorted(x)"
setup = { py = "x = list(range(100, 0, -1))" }
[[benchmark]]
label = "asks"
toolchain = "fake"
py = "y = sorted(x)"
setup = "ask"
[[benchmark]]
label = "is on the processor"
toolchain = "fake"
device = "cpu"
py = "y = sorted(x)"
setup = "ask"
[[benchmark]]
label = "is on it"
toolchain = "fake"
device = "fake"
py = "y = sorted(x)"
setup = "ask"
[[benchmark]]
label = "is to be on it"
toolchain = "fake"
device = "fake"
py = "y = sorted(x)"
setup = { py = "x = list(range(100, 0, -1))" }
)toml"));
  How how;
  how.more = {{"LD_LIBRARY_PATH", folder->path().string()}};
  for (const std::string what : {"--counts-only", "--wall-only"}) {
    SCOPED_TRACE(what);
    Ran ran;
    const Record record = record_of({"run", text.string(), what}, ran, how);
    EXPECT_EQ(ran.code, 1) << ran.err << ran.out;
    EXPECT_THAT(ran.err, testing::Not(testing::HasSubstr("cannot be forked"))) << "of hosts";
    const auto device_of = [&](const std::string& label) {
      const CaseRecord& one = case_of(record, label, "python");
      return one.on_device ? one.on_device->name : to_string(one.status) == "ok" ? "none" : "failed";
    };
    EXPECT_EQ(device_of("asks for nothing"), "none");
    EXPECT_EQ(device_of("asks"), "fake");
    EXPECT_EQ(device_of("is on the processor"), "none");
    EXPECT_EQ(device_of("is on it"), "fake");
    EXPECT_THAT(case_of(record, "asks", "python").warnings,
                testing::Contains(testing::HasSubstr("it asks for a device (libtally-fake-driver.so.1)")));
    EXPECT_THAT(case_of(record, "is on it", "python").id, testing::EndsWith("[python fake]"));
    const CaseRecord& nowhere = case_of(record, "is to be on it", "python");
    ASSERT_TRUE(nowhere.failure);
    EXPECT_FALSE(nowhere.counts || nowhere.wall);
    EXPECT_THAT(nowhere.failure->message, testing::HasSubstr("it is to run on fake, and has used no device"));
  }
}

using Totals = std::map<std::string, std::vector<std::uint64_t>>;

/// Every raw total of every case, baselines first.
Totals totals(const std::vector<std::string>& more, const How& how = {}) {
  std::vector<std::string> arguments = {"run", TALLY_SOURCE_DIR "/" + suite("repeatable"), "--counts-only"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Ran ran;
  const Record record = record_of(arguments, ran, how);
  EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
  Totals all;
  for (const CaseRecord& one : record.cases) {
    if (!one.counts) continue;
    all[one.id] = one.counts->baseline_replicates;
    all[one.id].insert(all[one.id].end(), one.counts->replicates.begin(), one.counts->replicates.end());
  }
  return all;
}

void expect_same(const Totals& some, const Totals& all, const std::string& what) {
  EXPECT_FALSE(some.empty());
  for (const auto& [id, values] : some) EXPECT_EQ(values, all.at(id)) << what << ": " << id;
}

TEST(Exact, CountsDoNotDependOnSurroundings) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  How cold;
  cold.cache = (folder->path() / "c").string();
  const Totals first = totals({}, cold);
  ASSERT_EQ(first.size(), 10U);
  for (const auto& [id, values] : first) {
    // The empty loop, then two replicates of the statement: they prove that the count repeats.
    ASSERT_GE(values.size(), 3U) << id;
    if (id.find("[cpp") != std::string::npos) {
      EXPECT_EQ(values.size(), 3U) << id;
      EXPECT_EQ(values[1], values[2]) << id;
    }
  }
  expect_same(totals({}, cold), first, "a warm cache");

  How far = cold;
  far.cache = (folder->path() / std::string(200, 'c') / "in/a/folder/of/some/depth").string();
  expect_same(totals({"--filter", "*[[]cpp*"}, far), first, "a longer cache path, cold");

  How elsewhere = cold;
  elsewhere.folder = "/";
  expect_same(totals({}, elsewhere), first, "another working folder");

  How large = cold;
  large.more = {{"TALLY_TEST_BALLAST", std::string(3000, 'x')}};
  expect_same(totals({"--filter", "*[[]cpp*", "--keep-env", "TALLY_TEST_BALLAST"}, large), first,
              "3 KB more environment");

  How path = cold;
  path.path = How().path + ":/" + std::string(600, 'p');
  expect_same(totals({}, path), first, "a longer PATH");

  // Alone in its own translation unit and its own process, no neighbour before it.
  expect_same(totals({"--filter", "sort strings*", "--isolation", "process"}, far), first, "a process of its own");
}

/// The first run compiles what it imports, which takes other memory than reading what is compiled.
TEST(Exact, WhetherImportsHadToBeCompiledDoesNotMatter) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  How how;
  how.more = {{"PYTHONPYCACHEPREFIX", (folder->path() / "compiled").string()}};
  std::vector<Record> records;
  for (int i = 0; i < 2; ++i) {
    Ran ran;
    records.push_back(record_of({"run", "suites/python_standard.toml", "--counts-only", "--filter", "Strings/*",
                                 "--keep-env", "PYTHONPYCACHEPREFIX"},
                                ran, how));
    ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  }
  ASSERT_GE(records[0].cases.size(), 10U);
  for (std::size_t i = 0; i < records[0].cases.size(); ++i) {
    const CaseRecord& cold = records[0].cases[i];
    EXPECT_EQ(cold.counts->per_iteration, records[1].cases[i].counts->per_iteration) << cold.id;
  }
}

/// In a container processes have small numbers, which CPython keeps: the host's, the case's parent, has none of these.
TEST(Exact, NoHostHasANumberThatPythonKeeps) {
  if (std::system("unshare --user --map-root-user --pid --fork --mount-proc true") !=
      0) {  // NOLINT(concurrency-mt-unsafe)
    GTEST_SKIP() << "processes of a namespace of their own are not permitted";
  }
  How contained;
  contained.started_by = {"unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"};
  const Ran ran = tally({"time", "pass", "--language", "python", "--setup",
                         "import os; assert os.getppid() > 1024, os.getppid()", "--counts-only"},
                        contained);
  EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
}

/// Another allocator's heap is not read as glibc's is: not a word of it, and the record says so.
TEST(Exact, AnotherAllocatorsHeapIsLeftAlone) {
  How preloaded;
  preloaded.more = {{"LD_PRELOAD", "libjemalloc.so.2"}};
  Ran ran;
  const Record record = record_of(
      {"run", suite("device"), "--counts-only", "--filter", "plain*", "--keep-env", "LD_PRELOAD"}, ran, preloaded);
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  ASSERT_EQ(record.cases.size(), 2U);
  for (const CaseRecord& one : record.cases) {
    ASSERT_EQ(one.warnings.size(), 1U) << one.id;
    EXPECT_EQ(one.warnings[0].find("malloc is that of libjemalloc.so.2: "), 0U) << one.warnings[0];
    EXPECT_EQ(one.counts->spread, 0) << one.id;
  }
}

}  // namespace
}  // namespace tally::cli_test
