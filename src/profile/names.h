/// Function names a person can read: demangled, then shortened. Pure.
#pragma once

#include <string>
#include <string_view>

namespace tally {

/// A symbol of C++ ("_Z…", also with a clone suffix or Callgrind's "'2") or of Rust (both of its ways) in words; other
/// names as they are.
std::string demangle(std::string_view name);

/// Without argument lists and return types, template arguments as <…>, and std::string for its long name:
/// "at::native::add<…>". Operators and lambdas keep what distinguishes them.
std::string shorten(std::string_view demangled);

/// A Python function as profiles name it: "module.name (file.py:12)". It is neither demangled nor shortened.
bool is_python_name(std::string_view name);

/// shorten(demangle(name)).
std::string readable_name(std::string_view name);

/// The last part of a path.
std::string_view base_name(std::string_view path);

}  // namespace tally
