/// A way to look into a case beside its count and its time, as a session sees it: which cases it is for, and which
/// regions a session asks for. Plain data and pure functions.
///
/// The engine knows no probe by name: a request brings those that are wanted, and an outcome has the regions that each
/// requested. Two are the same where they are one object, which outlives all that refers to it. What fails of a probe
/// is a warning: the case stands without what it would have found.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "definition/toolchain.h"
#include "expansion/case.h"
#include "session/case_messages.h"

namespace tally {

struct ProbeHost;

/// How far a session has come, of one phase.
struct ProbeState {
  const Case& measured;
  std::uint64_t iterations = 1;  ///< Of a counted region of this case.
  bool of_loop = false;          ///< The phase is that of the empty loop.
  bool of_statement = false;     ///< It is that of the statement.
  bool in_process = false;       ///< The child does not fork its regions.
  std::span<const RegionCounted> taken;
};

/// The next region to ask for; nothing: enough of this phase. An error: what was taken is of no use.
using ProbeStep = Result<std::optional<AskCount>>;

/// Each phase's region once; the statement's may be the case child's own.
ProbeStep each_once(const ProbeState& state);

/// The statement's region alone, of so many executions as a native observer needs; it may be the case child's own.
ProbeStep statement_once(const ProbeState& state);

struct Probe {
  std::string_view name;      ///< "sites": what events call its sessions.
  std::string_view activity;  ///< "finding the allocations of": a case's id follows.
  std::string_view unknown;   ///< "where it allocates is not known": a reason follows.
  /// Its sessions run under Valgrind, and there are none where nothing is counted. Else they run natively.
  bool is_counted = true;
  /// To which cases other than commands; null: to all.
  bool (*applies)(const Case& measured, const Toolchain& toolchain) = nullptr;
  const ProbeHost* host = nullptr;          ///< Null: one that counts cases will do.
  const ProbeHost* command_host = nullptr;  ///< Of commands; null: it does not look into them.
  /// An observer in that host leaves a file of each region, called by the process and this ending: "4711.functions".
  /// Nothing: none is left.
  std::optional<std::string_view> file_ending = {};
  std::string_view examiner = {};       ///< Python that is given the statement before it is compiled.
  std::string_view before_region = {};  ///< Python that comes before each region.
  ProbeStep (*next)(const ProbeState& state) = each_once;

  /// A warning to the case.
  [[nodiscard]] std::string warning(std::string_view why) const;
};

}  // namespace tally
