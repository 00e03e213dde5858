// The counter against Callgrind: the same program, the same numbers, region by region.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "protocol/case_watch.h"
#include "protocol/string_repetitions.h"

namespace {

namespace fs = std::filesystem;

/// Instructions by function; their sum under "".
using Counts = std::map<std::string, unsigned long long>;

std::string contents(const fs::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Calls visit(object, function, line) for each line of own costs, of a file without compressed names.
template <typename Visit>
void for_each_own_cost(const std::string& text, Visit visit) {
  std::string object;
  std::string function;
  bool of_a_call = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("ob=")) object = line.substr(3);
    if (line.starts_with("fn=")) function = line.substr(3, line.find('\'') - 3);
    if (line.starts_with("calls=")) of_a_call = true;
    if (line.empty() || (std::isdigit(static_cast<unsigned char>(line[0])) == 0 && line[0] != '+')) continue;
    if (!of_a_call) visit(object, function, line);
    of_a_call = false;
  }
}

/// By function, and the total.
Counts read(const std::string& text) {
  Counts counts;
  for_each_own_cost(text, [&](const std::string& /*object*/, const std::string& function, const std::string& line) {
    counts[function] += std::stoull(line.substr(line.find(' ')));
  });
  constexpr char kTotals[] = "\ntotals: ";
  for (std::size_t at = text.find(kTotals); at != std::string::npos; at = text.find(kTotals, at + 1))
    counts[""] += std::stoull(text.substr(at + sizeof kTotals - 1));
  return counts;
}

struct Outcome {
  std::vector<Counts> regions;  ///< The victim's dumps, in order, its children's after its own.
  std::string printed;
};

Outcome run(const std::string& tool_options, const std::string& victim,
            Counts (*read_dump)(const std::string& text) = read) {
  const fs::path folder = fs::path(testing::TempDir()) / ("tally_counter_" + std::to_string(getpid()));
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string command = "valgrind -q --vgdb=no --demangle=no --log-file=" + (folder / "log").string() + " " +
                              tool_options + " --callgrind-out-file=" + (folder / "%p").string() +
                              " " TALLY_BUILD_DIR "/tests/" + victim + " > " + (folder / "printed").string();
  EXPECT_EQ(std::system(command.c_str()), 0) << contents(folder / "log");  // NOLINT(concurrency-mt-unsafe)
  std::map<std::pair<int, int>, Counts> by_process;
  for (const auto& file : fs::directory_iterator(folder)) {
    const std::string number = file.path().extension();  // none: what Callgrind leaves at a process's end
    if (number.size() > 1)
      by_process[{std::stoi(file.path().stem()), std::stoi(number.substr(1))}] = read_dump(contents(file.path()));
  }
  Outcome over{.regions = {}, .printed = contents(folder / "printed")};
  over.regions.reserve(by_process.size());
  for (auto& [place, counts] : by_process) over.regions.push_back(std::move(counts));
  fs::remove_all(folder);
  return over;
}

constexpr const char* kCallgrind = "--tool=callgrind --instr-atstart=no --compress-strings=no --compress-pos=no";

std::vector<Counts> by_callgrind(const std::string& argument) {
  return run(kCallgrind, "counter_victim " + argument).regions;
}

/// From the folder that Valgrind looks for tools in, however deep it lies.
std::string up_to_the_root() {
  std::string up = "..";
  for (int levels = 1; levels < 32; ++levels) up += "/..";
  return up;
}

std::string counter() {
  const std::string tool = TALLY_COUNTER;
  return "--tool=" + up_to_the_root() + tool.substr(0, tool.rfind("-amd64-linux"));
}

std::vector<Counts> by_counter(const std::string& argument) {
  return run(counter(), "counter_victim " + argument).regions;
}

constexpr std::size_t kDumps = 6;             // of the victim itself: one before each region and one behind it
constexpr unsigned long long kEmpty = 100;    // a region's instructions if there is nothing in it, at the most
constexpr unsigned long long kBlock = 20;     // likewise, of the block that ends in a system call
constexpr unsigned long long kSignals = 100;  // of the region that has them

class Counter : public testing::TestWithParam<const char*> {};

TEST_P(Counter, CountsWhatCallgrindCounts) {
  const std::vector<Counts> theirs = by_callgrind(GetParam());
  const std::vector<Counts> ours = by_counter(GetParam());
  ASSERT_EQ(theirs.size(), ours.size());
  ASSERT_GE(theirs.size(), 3U) << "an empty region and two others";
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    // Callgrind loses two instructions with each signal that is handled: those that the handler's return leads to.
    const bool has_signals = theirs[i].at("") > kEmpty && std::string(GetParam()) == "signal";
    // Callgrind counts the block in which a thread stands still with what comes next: here it lacks the first one's.
    const bool has_first_thread = i == 2 && std::string(GetParam()) == "threads";
    if (has_first_thread) {
      EXPECT_GE(ours[i].at(""), theirs[i].at(""));
      EXPECT_LT(ours[i].at(""), theirs[i].at("") + kBlock);
      continue;
    }
    EXPECT_EQ(theirs[i].at("") + (has_signals ? 2 * kSignals : 0), ours[i].at("")) << "region " << i + 1;
    Counts functions = ours[i];
    functions.erase("");
    unsigned long long sum = 0;
    for (const auto& [function, count] : functions) sum += count;
    // What comes before a region has its total alone. (A child's dump is a region's, and comes last.)
    const bool is_before = i < kDumps && i % 2 == 0;
    EXPECT_EQ(sum, is_before ? 0 : ours[i].at("")) << "region " << i + 1;
  }
  EXPECT_GT(ours.back().at(""), kEmpty);
}

INSTANTIATE_TEST_SUITE_P(OfRegions, Counter,
                         testing::Values("allocate", "strings", "copy", "pause", "signal", "exceptions", "fork",
                                         "threads", "stop", "repetitions"),
                         [](const auto& info) { return std::string(info.param); });

/// Where one function jumps into another one's middle, Callgrind stays with the first.
Counts with_one_memcpy(const Counts& counts) {
  Counts folded;
  for (const auto& [name, count] : counts) {
    const bool copies = name.starts_with("__memcpy_") || name.starts_with("__mempcpy_");  // whatever the processor has
    folded[copies ? "memcpy" : name] += count;
  }
  return folded;
}

/// What a function calls through a linkage table belongs to it, as --skip-plt=yes has it.
TEST(CounterFunctions, AreCallgrinds) {
  const std::vector<Counts> theirs = by_callgrind("strings");
  const std::vector<Counts> ours = by_counter("strings");
  ASSERT_EQ(theirs.size(), ours.size());
  EXPECT_EQ(with_one_memcpy(theirs.back()), with_one_memcpy(ours.back()));
  EXPECT_GT(ours.back().size(), 10U);
}

/// What functions call each other, "caller > callee", with "calls" or with what they cost; of functions, as without
/// calls. Without symbols, a function that a library calls through a table of another kind than linkage tables is named
/// by where it was loaded.
std::string name_of(const std::string& text) {
  constexpr std::size_t kLoaded = 18;  // "0x0000000004b8a360"
  const std::string name = text.substr(0, text.find('\''));
  return name.starts_with("0x") && name.size() == kLoaded && name > "0x0000000001000000" ? "0x" : name;
}

/// Calls visit(caller, callee, calls, line) for each call and the line of its cost.
template <typename Visit>
void for_each_call(const std::string& text, Visit visit) {
  std::string caller;
  std::string callee;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("fn=")) caller = name_of(line.substr(3));
    if (line.starts_with("cfn=")) callee = name_of(line.substr(4));
    if (!line.starts_with("calls=")) continue;
    const unsigned long long calls = std::stoull(line.substr(6));
    std::getline(lines, line);
    visit(caller, callee, calls, line);
  }
}

Counts read_calls(const std::string& text) {
  Counts found;
  for_each_call(text, [&](const std::string& caller, const std::string& callee, unsigned long long calls,
                          const std::string& line) {
    std::string pair = caller;
    pair.append(" > ").append(callee);
    found[pair + " calls"] += calls;
    found[pair] += std::stoull(line.substr(line.find(' ')));
  });
  return found;
}

std::string with_calls() { return counter() + " --follow-calls=yes"; }

class CounterCalls : public testing::TestWithParam<const char*> {};

/// Who calls whom, how often, and what that cost with all that was called.
TEST_P(CounterCalls, AreCallgrinds) {
  const std::string victim = std::string("counter_victim ") + GetParam();
  const std::vector<Counts> theirs = run(kCallgrind, victim, read_calls).regions;
  const std::vector<Counts> ours = run(with_calls(), victim, read_calls).regions;
  ASSERT_EQ(theirs.size(), ours.size());
  for (const std::size_t region : {std::size_t{1}, std::size_t{3}, ours.size() - 1}) {
    Counts expected = theirs[region];
    Counts found = ours[region];
    for (Counts* one : {&expected, &found}) {
      std::erase_if(*one, [](const auto& entry) {
        const std::string& calls = entry.first;
        // The first began before the region: Callgrind has counted it. Of the second it knows nothing: it jumps into
        // the middle of another function.
        return calls == "main > _ZN12_GLOBAL__N_17measureEPFvvE calls" || calls.starts_with("(outside) > ") ||
               (calls.starts_with("__mempcpy_") && calls.contains(" > __memcpy_"));
      });
    }
    EXPECT_EQ(expected, found) << "region " << region + 1;
  }
  EXPECT_GT(ours.back().size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(OfRegions, CounterCalls,
                         testing::Values("allocate", "strings", "copy", "exceptions", "fork", "recursion", "tails",
                                         "longjmp", "callbacks"),
                         [](const auto& info) { return std::string(info.param); });

class CounterWithCalls : public testing::TestWithParam<const char*> {};

/// What each function executes, and all of them, is what it is without calls.
TEST_P(CounterWithCalls, CountsTheSame) {
  const std::string victim = std::string("counter_victim ") + GetParam();
  const std::vector<Counts> without = run(counter(), victim).regions;
  const std::vector<Counts> with = run(with_calls(), victim).regions;
  ASSERT_EQ(with.size(), without.size());
  const auto named = [](const Counts& counts) {
    Counts all;
    // Code without symbols is of what was called, or of its place.
    for (const auto& [name, count] : counts) all[name.starts_with("0x") ? "0x" : name] += count;
    return all;
  };
  for (std::size_t i = 0; i < with.size(); ++i) {
    EXPECT_EQ(with[i].at(""), without[i].at("")) << "region " << i + 1;
    // Without calls, a linkage table that is reached by a jump is nobody's.
    if (std::string(GetParam()) != "threads") EXPECT_EQ(named(with[i]), named(without[i])) << "region " << i + 1;
  }
}

INSTANTIATE_TEST_SUITE_P(OfRegions, CounterWithCalls,
                         testing::Values("allocate", "strings", "copy", "pause", "signal", "exceptions", "fork",
                                         "threads", "stop", "repetitions", "recursion", "tails", "many_tails",
                                         "longjmp", "callbacks", "leave_handler"),
                         [](const auto& info) { return std::string(info.param); });

Counts calls_of(const std::string& argument) {
  return run(with_calls(), "counter_victim " + argument, read_calls).regions.back();
}

/// Callgrind counts those, too.
TEST(CounterCallsInPauses, AreNone) {
  for (const auto& [calls, count] : calls_of("pause")) {
    if (!calls.ends_with(" calls")) continue;
    EXPECT_FALSE(calls.contains("malloc") || calls.contains("allocate")) << calls << " " << count;
    if (calls.contains(" > snprintf ")) EXPECT_EQ(count, 200);
  }
}

/// A handler is no part of what it interrupts, whether it returns or not.
TEST(CounterCallsOfHandlers, AreTheirOwn) {
  for (const std::string of : {"signal", "leave_handler"}) {
    Counts calls = calls_of(of);
    const std::string region = "_ZN12_GLOBAL__N_1" + std::to_string(of.size()) + of + "Ev";
    EXPECT_EQ(calls.at(region + " > raise calls"), of == "signal" ? 100 : 20);
    unsigned long long outside = 0;
    for (const auto& [name, count] : calls)
      outside += name.starts_with("(outside) > ") && !name.ends_with(" calls") ? count : 0;
    EXPECT_EQ(outside, run(counter(), "counter_victim " + of).regions.back().at("")) << of;
    EXPECT_LT(calls.at("(outside) > main"), outside) << of;
  }
}

/// Each of fifty thousand is counted, and they take no memory without bound.
TEST(CounterCallsByJumps, AreCountedHoweverManyFollowEachOther) {
  const Counts calls = calls_of("many_tails");
  EXPECT_EQ(calls.at("_ZN12_GLOBAL__N_14pingEm > _ZN12_GLOBAL__N_14pongEm calls"), 25'001);
  EXPECT_EQ(calls.at("_ZN12_GLOBAL__N_14pongEm > _ZN12_GLOBAL__N_14pingEm calls"), 25'000);
}

/// What a dump says behind its total.
Counts repetitions(const std::string& text) {
  const std::size_t at = text.find(tally::protocol::kStringRepetitions);
  if (at == std::string::npos) return {};
  return {{"", std::stoull(text.substr(at + sizeof tally::protocol::kStringRepetitions - 1))}};
}

/// Each byte, or as many as there were until one ended it, without the last: those that an instruction repeats.
TEST(CounterRepetitions, AreThoseOfStringInstructions) {
  const std::vector<Counts> known = run(counter(), "counter_victim repetitions", repetitions).regions;
  ASSERT_EQ(known.size(), kDumps);
  EXPECT_EQ(known[1], Counts()) << "an empty region";
  EXPECT_EQ(known[3], (Counts{{"", 100 + 7 + 3}}));
  EXPECT_EQ(known[5], known[3]);
  const std::vector<Counts> copies = run(counter(), "counter_victim copy", repetitions).regions;
  EXPECT_EQ(copies.back(), (Counts{{"", 2ULL * 100 * (49 * 50 / 2)}}));
}

/// By object and address.
Counts costs_of_instructions(const std::string& text) {
  Counts costs;
  for_each_own_cost(text, [&](const std::string& object, const std::string& /*function*/, const std::string& line) {
    const std::size_t end = line.find(' ');
    costs[object + " " + line.substr(0, end)] += std::stoull(line.substr(line.find(' ', end + 1)));
  });
  return costs;
}

/// With --dump-instr=yes, each instruction's cost is at the address that Callgrind has it at.
TEST(CounterInstructions, AreCallgrinds) {
  const auto of = [](const std::string& tool) {
    return run(tool + " --dump-instr=yes", "counter_victim strings", costs_of_instructions).regions;
  };
  const std::vector<Counts> theirs = of(kCallgrind);
  const std::vector<Counts> ours = of(counter());
  ASSERT_EQ(theirs.size(), ours.size());
  EXPECT_EQ(theirs.back(), ours.back());
  EXPECT_GT(ours.back().size(), 500U);
}

/// Which instruction calls which function, and how often: "caller address > callee".
Counts read_call_sites(const std::string& text) {
  Counts found;
  for_each_call(text, [&](const std::string& caller, const std::string& callee, unsigned long long calls,
                          const std::string& line) {
    // Without a symbol, Callgrind has what was called, and the counter each block.
    if (caller == callee || caller.starts_with("0x") || callee.starts_with("0x")) return;
    found[caller + " " + line.substr(0, line.find(' ')) + " > " + callee] += calls;
  });
  return found;
}

class CounterCallSites : public testing::TestWithParam<const char*> {};

/// Direct calls and those through a table, and jumps to other functions.
TEST_P(CounterCallSites, AreCallgrinds) {
  const std::string victim = std::string("counter_victim ") + GetParam();
  const std::string theirs_with_instructions = std::string(kCallgrind) + " --dump-instr=yes";
  const std::string ours_with_instructions = counter() + " --follow-instructions=yes";
  const std::vector<Counts> theirs = run(theirs_with_instructions, victim, read_call_sites).regions;
  const std::vector<Counts> ours = run(ours_with_instructions, victim, read_call_sites).regions;
  ASSERT_EQ(theirs.size(), ours.size());
  Counts expected = theirs.back();
  Counts found = ours.back();
  for (Counts* one : {&expected, &found}) {
    // It began before the region: Callgrind has counted it.
    std::erase_if(*one, [](const auto& entry) { return entry.first.ends_with("measureEPFvvE"); });
    // Callgrind counts calls of a thread while it does not collect, too.
    if (std::string(GetParam()) != "threads") continue;
    for (auto& [call, times] : *one) times = 1;
  }
  EXPECT_GT(found.size(), 2U);
  const Counts all = expected;
  std::erase_if(expected,
                [&](const auto& one) { return found.contains(one.first) && found.at(one.first) == one.second; });
  std::erase_if(found, [&](const auto& one) { return all.contains(one.first) && all.at(one.first) == one.second; });
  EXPECT_EQ(expected, found) << "what differs";

  // As without them (Counter): what Callgrind loses is another matter.
  const Counts costs = run(ours_with_instructions, victim, costs_of_instructions).regions.back();
  const Counts without = run(counter() + " --dump-instr=yes", victim, costs_of_instructions).regions.back();
  if (std::string(GetParam()) != "threads") EXPECT_EQ(costs, without);
}

INSTANTIATE_TEST_SUITE_P(OfRegions, CounterCallSites,
                         testing::Values("allocate", "strings", "exceptions", "recursion", "tails", "longjmp",
                                         "callbacks", "signal", "threads"),
                         [](const auto& info) { return std::string(info.param); });

struct Reported {
  long pages = 0;
  int mappings = 0;
};

std::vector<Reported> reported_by(const std::string& printed) {
  std::vector<Reported> all;
  std::istringstream lines(printed);
  std::string words;
  for (Reported line; lines >> line.pages >> words >> line.mappings && std::getline(lines, words);) all.push_back(line);
  return all;
}

/// Of the sectors that Valgrind keeps translations in, the victim needs three.
TEST(CounterMemory, IsLessWhereCountingStarts) {
  const Outcome counted = run(counter(), "memory_victim");
  const std::vector<Reported> reported = reported_by(counted.printed);
  ASSERT_EQ(reported.size(), 2U) << counted.printed;
  EXPECT_LT(reported[1].pages, reported[0].pages - 5000) << counted.printed;
  EXPECT_GE(reported[0].mappings, 4) << "code, what is read, what the loader has protected, variables";
  EXPECT_EQ(reported[1].mappings, 2);
}

TEST(CounterMemory, GivenBackMovesNoCount) {
  const std::vector<Counts> theirs = run(kCallgrind, "memory_victim").regions;
  const std::vector<Counts> ours = run(counter(), "memory_victim").regions;
  // Sectors are taken anew by turns, those that were given back among them.
  const std::vector<Counts> in_turns = run(counter() + " --num-transtab-sectors=2", "memory_victim").regions;
  ASSERT_EQ(theirs.size(), 4U);
  ASSERT_EQ(ours.size(), theirs.size());
  ASSERT_EQ(in_turns.size(), theirs.size());
  for (const std::size_t region : {1U, 3U}) {
    EXPECT_EQ(ours[region].at(""), theirs[region].at(""));
    EXPECT_EQ(in_turns[region].at(""), theirs[region].at(""));
  }
  EXPECT_GT(ours[3].at(""), 200'000U) << "two instructions of each block";
}

/// Of a command that has many processes one after the other, those that have ended leave little.
TEST(CounterOfCommand, FreesWhatProcessesShared) {
  const fs::path counts = fs::path(testing::TempDir()) / ("tally_counts_" + std::to_string(getpid()));
  constexpr int kProcesses = 20;
  std::ofstream(counts).close();
  fs::resize_file(counts, std::uintmax_t{1} << 40U);
  const fs::path files = counts.string() + ".files";
  fs::create_directories(files);
  std::string script;
  for (int i = 0; i < kProcesses; ++i) script += "(:); ";
  const std::string command = "valgrind -q --vgdb=no --trace-children=yes " + counter() +
                              " --command=" + files.string() + " --command-counts=" + counts.string() +
                              " /bin/sh -c '" + script + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);  // NOLINT(concurrency-mt-unsafe)
  struct stat about{};
  EXPECT_EQ(::stat(counts.c_str(), &about), 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(files), {}), 1 + kProcesses);
  EXPECT_LE(about.st_blocks * 512, 4096 * (1 + kProcesses)) << "a page of each at the most";
  fs::remove_all(files);
  fs::remove(counts);
}

/// What each line of the victim's begins with, and the rest; two children one after the other.
std::multimap<std::string, std::string> drawn_by(const std::string& printed) {
  std::multimap<std::string, std::string> drawn;
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);)
    drawn.emplace(line.substr(0, line.find(' ')), line.substr(line.find(' ')));
  return drawn;
}

TEST(CounterEntropy, IsTheSameInEachRunAndAnotherInEachForkedProcess) {
  auto drawn = drawn_by(run(counter(), "entropy_victim").printed);
  auto again = drawn_by(run(counter(), "entropy_victim").printed);
  ASSERT_EQ(drawn.size(), 13U);
  EXPECT_NE(drawn.find("system")->second, again.find("system")->second);
  EXPECT_EQ(drawn.find("begun")->second, drawn.find("first")->second) << "a case begins with the first bytes";
  EXPECT_EQ(drawn.find("kept")->second, drawn.find("after")->second) << "a replicate continues as its parent would";
  EXPECT_EQ(drawn.find("zero")->second, std::string(" 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"));
  for (auto* one : {&drawn, &again}) one->erase("system");
  EXPECT_EQ(drawn, again);
  for (const char* repeated : {"begun", "kept", "after"}) drawn.erase(repeated);
  std::map<std::string, int> times;
  for (const auto& [what, bytes] : drawn) EXPECT_EQ(++times[bytes], 1) << what << bytes;
}

/// What is seen of the victim's one act: the name of the file that it changes, without its folder.
std::string seen_of(const std::string& act) {
  std::string name = run(counter(), "watch_victim " + act).printed;
  name = name.substr(name.rfind('/') + 1);
  return name.substr(0, name.find('\n'));
}

TEST(CounterWatch, NamesTheFileThatIsChangedAndSeesWhatIsRequested) {
  const std::map<std::string, std::string> expected = {{"write", "there"},
                                                       {"append", "there"},
                                                       {"make", "new"},
                                                       {"lock", "there"},
                                                       {"folder", "folder"},
                                                       {"rename", "there"},
                                                       {"remove", "there"},
                                                       {"earlier", "earlier"},
                                                       {"child", "there"},
                                                       {"starts", "there, a process"},
                                                       {"runs", "nothing, a process"},
                                                       {"pauses", "there"},
                                                       {"threads", "nothing"},
                                                       {"read", "nothing"},
                                                       {"missing", "nothing"},
                                                       {"null", "nothing"},
                                                       {"proc", "nothing"},
                                                       {"memory", "nothing"},
                                                       {"nameless", "nothing"},
                                                       {"day", "nothing, the clock"},
                                                       {"seconds", "nothing, the clock"},
                                                       {"processor", "nothing, the clock"},
                                                       {"process", "nothing, its number"},
                                                       {"'own thread'", "nothing, its number"},
                                                       {"'by number'", "nothing, its number"},
                                                       {"'of host'", "nothing"},
                                                       {"'own time'", "nothing"},
                                                       {"steady", "nothing, a steady clock"}};
  for (const auto& [act, name] : expected) EXPECT_EQ(seen_of(act), name) << act;
}

TEST(CounterWatch, FixesTheTimeOfDayOnRequest) {
  const std::string fixed = counter() + " " + tally::host::kFixedDayOption;
  const std::string first = run(fixed, "watch_victim seed").printed;
  EXPECT_EQ(run(fixed, "watch_victim seed").printed, first);
  EXPECT_NE(run(counter(), "watch_victim seed").printed, run(counter(), "watch_victim seed").printed);
  EXPECT_TRUE(first.ends_with("\nnothing\n")) << "a seed that repeats needs no warning: " << first;
  std::istringstream words(first);
  long long seconds = 0;
  long long nanoseconds = 0;
  words >> seconds >> nanoseconds;
  EXPECT_EQ(nanoseconds / 1'000'000'000, seconds);
  long long later = 0;
  for (std::string word; words >> word && word != "nothing";) later = std::stoll(word);
  EXPECT_GE(later - nanoseconds, 40'000'000) << "sleeping takes its time";
  EXPECT_LT(later - nanoseconds, 60'000'000);
}

}  // namespace
