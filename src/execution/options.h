/// How a plan is executed: what the command line, the suite and defaults come to. Plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measurement/autorange.h"
#include "process/process.h"

namespace tally {

/// A harmless change of a case's surroundings, on purpose: the range of counts over several is its noise floor.
struct Perturbation {
  std::string name;  ///< "hash_seed=3"; empty: undisturbed.
  unsigned hash_seed = 0;
  std::uint64_t heap_padding = 0;
  std::uint64_t stack_padding = 0;
  std::uint64_t environment_padding = 0;
};

/// Eight: three of the heap, three of the stack, one of each that a host is started with. Those that need no host of
/// their own come first, so that they share the undisturbed one's.
std::vector<Perturbation> standard_perturbations();

struct ExecutionOptions {
  bool counts = true;
  bool wall = true;
  bool results = false;  ///< What each statement leaves, as text; measures nothing.
  std::string examiner;  ///< With `results`: the Python text that makes a statement report it.
  std::uint64_t iterations = 100;
  int replicates = 2;  ///< The least number; two identical ones prove that the count repeats.
  int max_replicates = 5;
  int baseline_replicates = 1;        ///< In the case child itself; a second one has never differed.
  std::uint64_t warm_up_python = 40;  ///< CPython 3.11 specialises within 20 rounds of a loop.
  std::uint64_t warm_up_cpp = 10;
  WallPlan wall_plan;                    ///< Of one pass.
  int repeat = 1;                        ///< Passes over the suite; their samples are pooled.
  int wall_passes = 1;                   ///< More: the times of different cases are interleaved.
  Milliseconds native_deadline{60'000};  ///< Of one session.
  Milliseconds counted_deadline{300'000};
  Milliseconds host_deadline{120'000};  ///< From a host's start to its hello.
  Milliseconds fork_deadline{20'000};   ///< From a request to the fork: a host that hangs.
  std::uint64_t memory_bytes = 0;       ///< 0: no limit.
  int timeout_retries = 1;
  int host_retries = 2;
  bool process_isolation = false;  ///< A fresh host for every session.
  bool cache_sim = false;
  bool branch_sim = false;
  int call_context = 0;                     ///< Callgrind's --separate-callers.
  std::vector<Perturbation> perturbations;  ///< Each case is counted once under each, besides undisturbed.

  EnvironmentVariables environment;  ///< Complete, of hosts.
  std::string working_folder;        ///< Of cases that have no model.
  std::string libexec;               ///< Where the hosts are.
  std::string valgrind;              ///< Its program.
  std::string scratch;               ///< A folder for Callgrind's output.
};

}  // namespace tally
