/// Suite files: TOML in the form of docs/reference/suites.md, into a Suite.
///
/// Owns the keys and their types; the rules are Suite's. Errors are of the user's making and begin with
/// "file:line:column". Relative paths of toolchains and programs are taken from the folder of the file that names them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "definition/suite.h"
#include "definition/toml_tree.h"

namespace tally {

/// Gives the bytes of an included file, whose path is already relative to the including one; an error's `where` is
/// filled in by the reader.
using IncludeResolver = std::function<Result<std::string>(const std::string& path)>;

/// Has a program list its benchmarks, as Suite::add takes them: only a layer that can run programs knows. None: a suite
/// that names a program is an error.
using ProgramLister = std::function<Result<Suite>(const Program& program)>;

/// `file` is the name of the bytes in places, and the base of includes and of relative paths. It may itself be relative
/// to `folder`; empty: to the working folder of this process.
Result<Suite> parse_suite(std::string_view bytes, const std::string& file, const IncludeResolver& resolve,
                          const ProgramLister& list = nullptr, const std::string& folder = {});

/// The same of a document that is not TOML, as such a tree; where its places have no lines, the order of an array's
/// tables is that of the tree.
Result<Suite> parse_suite(const TomlNode& root, const std::string& file, const IncludeResolver& resolve,
                          const ProgramLister& list = nullptr, const std::string& folder = {});

/// An IncludeResolver for files.
Result<std::string> read_suite_file(const std::string& path);

Result<Suite> read_suite(const std::filesystem::path& path, const ProgramLister& list = nullptr);

}  // namespace tally
