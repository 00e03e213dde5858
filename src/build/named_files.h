/// The files that a compiler's and a linker's arguments name, besides sources and headers. What is built follows from
/// them, and no list of headers has them.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tally {

/// Those that are there, in the arguments' order: an argument itself, or what follows its `@`, `=` or last comma
/// ("@options.rsp", "-fprofile-use=code.profdata", "-Wl,--version-script=names.map"). With what response files name in
/// turn. A relative path is one from `folder`.
std::vector<std::string> files_named_in(std::span<const std::string> arguments, const std::string& folder);

/// Where a linker would find a library, "-lname" or "-l:file", in the folders that "-L" names: both the shared and the
/// static one, of every folder that has it.
std::vector<std::string> libraries_named(std::string_view library, std::span<const std::string> arguments,
                                         const std::string& folder);

}  // namespace tally
