/// A way to look into a case beside its count and its time, as execution sees it: which cases it is for, what its hosts
/// have, which regions a session asks for. Plain data and pure functions.
///
/// Execution knows no probe by name: a request brings those that are wanted, and an outcome has the regions that each
/// asked for. Two are the same where they are one object, which outlives all that refers to it. What fails of a probe
/// is a warning: the case stands without what it would have told.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "definition/toolchain.h"
#include "execution/case_messages.h"
#include "execution/host_spec.h"

namespace tally {

/// What the hosts of a probe have that those which count cases do not.
struct ProbeHost {
  std::string_view description;  ///< "with source lines": follows what the host is of.
  /// Valgrind's flags, where it runs under Valgrind; null: those that cases are counted with.
  std::vector<std::string> (*valgrind_flags)(const Settings& settings) = nullptr;
  /// An option of the counter's, where that counts a whole command; null: the probe does not look into commands.
  const char* command_option = nullptr;
  /// Adds files, variables and arguments to a specification that has all else. Null: nothing.
  void (*add)(HostSpec& spec, const HostSurroundings& around) = nullptr;
  /// The variable of its environment that names the folder where an observer in it leaves a file of each region, called
  /// by the process and this ending: "/dumps/4711.functions". Without a variable it leaves none.
  std::string_view folder_variable = {};
  std::string_view ending = {};
};

/// How far a session has come, of one phase.
struct ProbeState {
  const Case& measured;
  std::uint64_t iterations = 1;  ///< Of a counted region of this case.
  bool of_statement = false;     ///< Not of the empty loop.
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
  const ProbeHost* host = nullptr;      ///< Null: one that counts cases will do.
  std::string_view examiner = {};       ///< Python that is given the statement before it is compiled.
  std::string_view before_region = {};  ///< Python that comes before each region.
  ProbeStep (*next)(const ProbeState& state) = each_once;

  /// A warning to the case.
  [[nodiscard]] std::string warning(std::string_view why) const;
};

}  // namespace tally
