/// Attributes the instructions of a region to Python functions: from Callgrind's output and the table of Python calls
/// of a region that was observed (host/python_functions).
///
/// The observer calls the interpreter's evaluator through a trampoline for each pair of a caller and a callee. What
/// Callgrind counts into a trampoline is what the callee took on behalf of the caller, so a function's own instructions
/// are what its trampolines take in, less what those take that it calls: exact, also where functions call themselves.
/// What observing takes is the same for each call, and taken off. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "profile/function_counts.h"
#include "profile/profile.h"

namespace tally {

/// The object of Python code, the function that stands for the statement, and how the name ends of what a function does
/// within itself.
inline constexpr std::string_view kPythonCode = "Python";
inline constexpr std::string_view kPythonStatement = "statement";
inline constexpr std::string_view kPythonRecursion = " (recursive)";

struct PythonFunction {
  std::string name;  ///< Its qualified one, where the interpreter knows it (3.11 on).
  std::string file;
  std::uint64_t line = 0;
};

struct PythonCall {
  std::uint32_t caller = 0;  ///< Twice the number of a function; one more: it was running already, further out.
  std::uint32_t callee = 0;
  std::uint64_t count = 0;
  std::uint64_t beneath = 0;  ///< Calls of Python functions while these ran.
};

struct PythonCalls {
  std::string standard;                   ///< The folder of the standard library.
  std::vector<std::string> path;          ///< sys.path.
  std::vector<PythonFunction> functions;  ///< By number; the first is the statement.
  std::vector<PythonCall> calls;          ///< By number of their trampolines.
};

struct PythonProfile {
  /// Functions: "module.name (file.py:12)" of the object "Python", "Python (site-packages)" or "Python (standard
  /// library)", with what they do while they are running already as functions of their own, whose name ends in
  /// " (recursive)"; "statement"; and of each the native functions that it calls, whose file is "for " and its name.
  /// Their sum is the region's instructions, without the loop's and the observer's.
  Profile profile;
  std::uint64_t observing = 0;  ///< Instructions, taken off.
};

/// `loop`: instructions of the empty loop, which are taken off the statement. An error: the two do not belong together.
Result<PythonProfile> python_profile(const Profile& observed, const PythonCalls& calls, std::uint64_t loop);

/// A note for a profile whose case executes other instructions than are counted, of both per iteration. Empty: the two
/// are as good as equal, or nothing was counted.
std::string note_of_difference(double observed, double counted);

/// Native functions counted to the Python functions that call them, and what functions do while they are running
/// already to these. A call into such is without cost: it is in that of the call further out.
Profile python_only(const Profile& profile);

/// Of python_profile()'s objects: one that stands for Python code.
bool is_python_object(std::string_view object);

/// The function of python_profile() that all others are called from.
bool is_python_statement(const Profile::Function& function, const Profile& profile);

/// Of a Python function's key, what stays when lines are added above it. Any other key: as it is.
FunctionKey without_line(const FunctionKey& key);

/// The names with their lines that Python functions have in some profiles, by standardized key without a file.
class PythonNames {
 public:
  /// Null is no profile; where two have a function, the first one's name counts.
  PythonNames(std::initializer_list<const Profile*> profiles);
  [[nodiscard]] FunctionKey of(FunctionKey key) const;

 private:
  std::map<FunctionKey, std::string> names_;
};

/// "module.name (file.py:12)" and its object.
std::string display_name(const PythonFunction& function, const PythonCalls& calls);
std::string python_object(const PythonFunction& function, const PythonCalls& calls);

}  // namespace tally
