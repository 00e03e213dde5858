/// The messages of a case child and the commands to it, as values: decodes and encodes the wire's frames.
///
/// Reads the dump that a counted replicate left, since its numbers are what the message is about. Never decides
/// anything: that is the dialogue's part.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "protocol/followed_calls.h"
#include "protocol/frame.h"
#include "session/outcome.h"
#include "session/region.h"

namespace tally {

/// A phase is set up and warmed up.
struct PhaseReady {
  protocol::Phase phase = protocol::Phase::baseline;
  bool in_process = false;                                  ///< The child will not fork its regions.
  std::string device = {};                                  ///< That the case works on; empty: none.
  std::map<std::string, std::string> device_settings = {};  ///< That its process has of it.
  std::string allocator = {};  ///< The file of the malloc that the host cannot read; empty: the C library's.
  int threads = 1;             ///< Alive in the child.
};

/// One child has been timed.
struct ChildTimed {
  int status = 0;
  std::uint64_t number = 1;           ///< Executions in a block.
  std::vector<double> samples_s;      ///< Of one execution each, loop included.
  std::vector<double> launch_s = {};  ///< On a device, of the same blocks: until its wait for the device.
  std::vector<double> device_s = {};  ///< Likewise, by the device's own clock; empty: none is read.
  bool manual = false;                ///< As the benchmark says, not as the clock does.
  double spent_s = 0;                 ///< From its fork to its end; 0 where the program does not report it.
  double steal_share = 0;             ///< Of the time since the first child, as the machine reports it.
};

/// The case cannot continue.
struct CaseFailed {
  protocol::Stage stage = protocol::Stage::host;
  std::string message;
  std::string detail;
  std::optional<int> signal;  ///< That ended it, where one did.
  bool skipped = false;       ///< It does not want to be measured; the message is its reason.
};

/// Nothing that a case child may say.
struct InvalidMessage {};

using CaseMessage =
    std::variant<PhaseReady, RegionCounted, ChildTimed, CaseFailed, StatementResult, CaseReport, InvalidMessage>;

/// Where the child's dumps are found.
struct DumpFolder {
  std::string path;
  bool has_dumps = false;             ///< Callgrind's: instructions are counted.
  std::optional<std::string> ending;  ///< Of the file that a probe's observer leaves of a region; nothing: it has none.
  std::optional<int> child;           ///< The case child's process, once it is known.

  /// Removes what the child wrote and nobody read.
  void clean() const;
};

/// Removes the dump that the message is about, having read it.
CaseMessage decode(const protocol::Message& message, const DumpFolder& dumps);

struct AskCount {
  std::uint64_t iterations = 1;
  bool last = false;  ///< Nothing but `advance` is to follow: the child may spend its own state on it.
  int thread = 0;     ///< Of a team this one alone, counted from 1; 0: all.
  protocol::Followed followed = protocol::Followed::nothing;  ///< What the dump is to have besides functions.
};
struct AskTimes {
  std::uint64_t iterations = 0;  ///< In a block; 0: as many as last `block_s`.
  double block_s = 0;
  double budget_s = 0;              ///< Of one child.
  std::uint64_t least_samples = 1;  ///< Likewise, whatever the budget.
  std::uint64_t children = 1;
  bool last = false;          ///< As with counts: the case child may be the last of these itself.
  bool flushes = false;       ///< On a device: its cache is written over before each block.
  bool of_statement = false;  ///< Not of the empty loop, which is too short to be watched.
};
/// Leave this phase.
struct Advance {};

using CaseCommand = std::variant<AskCount, AskTimes, Advance>;

/// The frame, in `buffer`, which 512 bytes suffice for.
std::string_view encode(const CaseCommand& command, std::uint32_t job, std::span<char> buffer);

}  // namespace tally
