/// The files that a host had mapped, as a record states them: what is measured, and its environment.
#pragma once

#include <string>
#include <vector>

#include "build/builder.h"
#include "build/file_digests.h"
#include "record/record.h"

namespace tally {

/// Whether a file is one that a toolchain's `subject` names.
bool is_subject(const Toolchain& toolchain, const std::string& path);

/// Adds the digests of `mapped` files: those that the toolchain's `subject` names, and those in the folders of the
/// modules that it requires, to the subject (where there is one), all others to the facts. Files of tally's own (under
/// `libexec` or `cache`) and of Valgrind's are left out: their versions are facts already.
void add_mapped(Environment& environment, const std::vector<std::string>& mapped, const ResolvedToolchain& toolchain,
                const std::vector<std::string>& own_folders, FileDigests& digests);

}  // namespace tally
