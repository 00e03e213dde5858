/// Finds the files that a case's own text imports besides what its host has loaded: a count depends on them, too.
///
/// The text is read for its import statements, and the interpreter of the cases is asked once, in their environment,
/// which files each of them loads. What the text does not show (importlib, a path that the setup adds) is not
/// guessed. Not seen: what a function imports when it is called, and data that is read.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "build/builder.h"
#include "build/file_digests.h"
#include "discovery/toolchains.h"

namespace tally {

/// "json", "os.path", and for `from package import a, b`: "package:a,b". Nothing: the text does not show it.
std::optional<std::set<std::string>> imports_in(std::string_view text);

/// One digest of the files that the imports of a case load, names and contents: by the case's place in the plan. "" is
/// a case that imports nothing of its own; a case whose text does not show it is not there, and no whole command is.
std::map<std::size_t, std::string> import_digests(ProcessRunner& runner, const Plan& plan,
                                                  const std::map<std::string, ResolvedToolchain>& toolchains,
                                                  const RunEnvironment& environment, FileDigests& digests);

}  // namespace tally
