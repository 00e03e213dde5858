/// A benchmark program as a suite names it, [[program]]: an executable, or tests and scripts in Python. It lists its
/// benchmarks itself and is their host.
///
/// Plain data. It is never run here: Suite::add takes what somebody has had it list (discovery/programs.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "definition/options.h"

namespace tally {

struct Program {
  std::string path = {};                   ///< The executable; empty: it is in Python.
  std::string framework = {};              ///< In Python: a name of definition/frameworks.h; empty: an executable.
  std::vector<std::string> paths = {};     ///< In Python: what the framework is given, as from `folder`.
  std::string folder = {};                 ///< In Python: where it runs; absolute.
  std::vector<std::string> python = {};    ///< In Python: candidates for its interpreter; empty: as in any suite.
  std::string name = {};                   ///< What the labels of its benchmarks begin with; empty: the file's name.
                                           ///< In Python it is in no label: ids are the framework's own.
  std::vector<std::string> args = {};      ///< It gets these whenever it is started.
  std::vector<std::string> filters = {};   ///< Which of its cases are meant, by the patterns of plan/filter.h; …
  std::vector<std::string> excludes = {};  ///< … and which of these are not.
  std::vector<std::string> subject = {};   ///< What is being measured besides it, as of a toolchain.
  std::map<std::string, std::string> environment = {};  ///< Likewise.
  Options options = {};  ///< Of its benchmarks, where these say nothing; no threads, no toolchain.
  Places at = {};
  SourcePosition path_at = {};
  SourcePosition filter_at = {};
};

/// The name that is given, or the file's.
std::string name_of(const Program& program);

/// The toolchain of its cases, which is of this name in every suite and on every machine.
std::string toolchain_of(const Program& program);

}  // namespace tally
