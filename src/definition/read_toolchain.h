/// The language of toolchains: one table of TOML, [toolchain.NAME], into a Toolchain. docs/reference/suites.md has its
/// keys.
///
/// Never knows what the toolchains that every suite knows are called: the first there is builds on nothing, and what
/// says no `extends` builds on the first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "definition/fields.h"
#include "definition/toml_tree.h"
#include "definition/toolchain.h"

namespace tally {

/// Relative paths are taken from `folder`, which is absolute; `extends` may name one of `known`.
Result<Toolchain> read_toolchain(const std::string& name, const TomlNode& table, const std::string& folder,
                                 const std::vector<Toolchain>& known);

/// What benchmark programs say as toolchains do: "subject", paths from `folder` or names; "environment".
std::vector<std::string> read_subject(Fields& fields, const std::string& folder);
/// Of a command any variable may be set.
void read_environment(Fields& fields, std::map<std::string, std::string>& environment, bool of_command = false);

/// Those of a file that holds nothing else. `file` is the name of the bytes in places.
Result<std::vector<Toolchain>> parse_toolchains(std::string_view bytes, const std::string& file,
                                                const std::vector<Toolchain>& known);

/// The one of this name, or an error at `at` that names near ones.
Result<Toolchain> choose_toolchain(const std::vector<Toolchain>& known, const std::string& name,
                                   const SourcePosition& at);

}  // namespace tally
