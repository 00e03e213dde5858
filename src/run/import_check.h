/// Whether each Python environment imports what its toolchain requires, asked before anything is measured.
///
/// A host would find out as well, but under Valgrind that is seven seconds later, after compiling, and once for each
/// kind of host. The import runs as a host's does: with the environment that hosts get, in their working folder. One
/// that has worked is remembered in the cache (torch takes 1.2 s to import) until the interpreter, a required module's
/// file or the environment changes; a failure never is.
///
/// The same process runs what the toolchain says of devices, and where that finds none, the toolchain's `device` and
/// `sync` in Python are taken out: a host of a build without accelerators is started as if there were no such thing.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "build/builder.h"
#include "process/process.h"

namespace tally {

/// An interpreter whose import fails becomes the error that says so.
void check_imports(ProcessRunner& runner, std::map<std::string, ResolvedToolchain>& toolchains,
                   const EnvironmentVariables& environment, const std::string& working_folder,
                   const std::filesystem::path& cache_root);

}  // namespace tally
