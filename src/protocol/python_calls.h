/// What the observer of Python calls (host/python_functions) leaves of one region: the file that it keeps mapped while
/// the region runs, so that nothing has to be written at the region's end.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tally::protocol {

inline constexpr std::size_t kMostPythonCalls = 8192;      ///< Pairs of a caller and a callee.
inline constexpr std::size_t kMostPythonFunctions = 4096;  ///< The first number, 0, is the statement's.
inline constexpr std::size_t kMostPythonText = std::size_t{1} << 20U;
inline constexpr char kPythonCallsMagic[8] = {'t', 'a', 'l', 'l', 'y', 'p', 'y', '1'};

/// All calls of one function by another. Its place in the table is the number of its trampoline, tally_py_N. Each is
/// twice the number of a function, and one more for what it does while it is running already, further out.
struct PythonCall {
  std::uint32_t caller = 0;
  std::uint32_t callee = 0;
  std::uint64_t count = 0;
  std::uint64_t beneath = 0;  ///< Calls of Python functions, however deep, while these ran.
};

struct PythonCallTable {
  char magic[8] = {};
  std::uint32_t calls = 0;
  std::uint32_t functions = 0;  ///< Without the statement.
  std::uint64_t text = 0;       ///< Bytes.
  std::uint64_t lost = 0;       ///< Calls that no place was left for.
  PythonCall call[kMostPythonCalls];
  /// Lines: "standard FOLDER", "path FOLDER" in the order of sys.path; then for each function, by number,
  /// "function LINE\tNAME\tFILE".
  char lines[kMostPythonText] = {};
};

}  // namespace tally::protocol
