/// A small record that uses every key, for tests and for nothing else.
#pragma once

#include <algorithm>

#include "base/text.h"
#include "record/record.h"

namespace tally {

/// The facts that "label/parts [language n=1]" names, in place of those that every example has.
inline void take_facts_of_id(CaseRecord& record) {
  const std::size_t at = record.id.rfind(" [");
  if (at == std::string::npos || !record.id.ends_with(']')) return;
  record.label.clear();
  for (const std::string_view part : split(std::string_view(record.id).substr(0, at), '/'))
    record.label.emplace_back(part);
  record.params.clear();
  for (const std::string_view word :
       split(std::string_view(record.id).substr(at + 2, record.id.size() - at - 3), ' ')) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      record.language = word;
    } else {
      record.params.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    }
  }
}

/// An id in brackets decides label, language and parameters.
inline CaseRecord example_case(std::string id, double per_iteration = 1000) {
  CaseRecord record;
  record.id = std::move(id);
  record.label = {"Pointwise", "add"};
  record.language = "cpp";
  record.runtime = "eager";
  record.autograd = "forward";
  record.params = {{"n", "64"}, {"k", "4"}};
  take_facts_of_id(record);
  record.tags = {"quick"};
  record.toolchain = "torch";
  record.definition = {
      .stmt = "x += 1.0;", .setup = "auto x = torch::rand({4, 4});", .global_setup = "", .digest = "d1"};
  record.attempts = {{.outcome = CaseStatus::ok, .seconds = 0.25}};
  record.status = CaseStatus::ok;
  const auto empty = static_cast<std::uint64_t>(std::max(700.0, 700 - per_iteration * 100));
  const auto raw = static_cast<std::uint64_t>(per_iteration * 100 + static_cast<double>(empty));
  record.counts = summarize_counts(
      {.iterations = 100, .events = {"Ir"}, .replicates = {{raw}, {raw}}, .baseline = {{empty}, {empty}}});
  record.wall = summarize_wall(
      {.number_per_run = 1000,
       .overhead_s = 1e-9,
       .by_child = {
           {1.00e-6, 1.01e-6}, {1.02e-6, 1.00e-6}, {0.99e-6, 1.00e-6}, {1.01e-6, 1.01e-6}, {1.00e-6, 1.02e-6}}});
  return record;
}

inline Record example_record() {
  Record record;
  record.tool = {.version = "0.1.0", .commit = "abc1234"};
  record.source = Source{.repository = "https://example.org/mill.git",
                         .commit = "1234567890abcdef1234567890abcdef12345678",
                         .tree = "abcdef1234567890abcdef1234567890abcdef12",
                         .parents = {"0123456789abcdef0123456789abcdef01234567"},
                         .dirty = true};
  record.suite = "bench/suite.toml";
  record.started = "2026-01-31T12:00:00Z";
  record.finished = "2026-01-31T12:00:09Z";
  record.command = {"tally", "run", "suite.toml"};
  record.seconds = 9.5;
  record.machines = {{.cpu = "Example CPU",
                      .cpus = 2,
                      .memory_bytes = 8ULL << 30U,
                      .kernel = "6.1.0",
                      .system = "Debian 12",
                      .architecture = "x86_64"}};
  record.settings.valgrind_flags = {"--tool=callgrind"};
  record.environments["torch"] = {.facts = {{"compiler", "clang 19.1.4"}, {"valgrind", "3.19.0"}},
                                  .subject = {{"libtorch_cpu.so", "sha256:1"}},
                                  .fingerprint = {"e1", "s1"}};
  record.fingerprint = {"e0", "s0"};
  CaseRecord full = example_case("Pointwise/add [cpp n=64 k=4]");
  full.flags = {"bimodal"};
  full.warnings = {"the region reads a clock (clock_gettime)"};
  full.inputs = {{"environment", "e1"}, {"/usr/lib/libmill.so", "m1"}};
  full.artifact = {{"graph_breaks", 0}, {"seconds", 9.5}};
  full.counters = {{"items_per_second", 1e9}};
  full.note = "of an empty text";
  full.counts->floor = noise_floor(1000, {{"hash_seed=1", 1002.5}});
  full.counts->denoised = 990;
  full.counts->estimated_cycles = 1200.5;
  full.counts->string_repetitions = 300;
  full.counts->allocations = 1;
  full.counts->allocated_bytes = 64;
  full.counts->heap_peak = 4096;
  full.counts->per_thread = {250, 750};
  full.wall->watch =
      WallWatch{.frequency_mhz_low = 2900, .frequency_mhz_high = 3000, .steal_share = 0.01, .throttled = {3}};
  full.profile = "record.profiles/1.json";
  record.cases.push_back(full);
  CaseRecord broken = example_case("Pointwise/add [python n=64 k=4]");
  broken.status = CaseStatus::crashed;
  broken.attempts = {{.outcome = CaseStatus::crashed, .seconds = 0.1}};
  broken.counts.reset();
  broken.wall.reset();
  broken.failure =
      Failure{.stage = "count", .message = "killed by SIGSEGV", .reproduce = "tally run suite.toml --filter 'x'"};
  record.cases.push_back(broken);
  return record;
}

}  // namespace tally
