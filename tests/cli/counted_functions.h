/// For tests of histories: functions in a header that execute as many instructions as a test says, and the suite that
/// counts them.
#pragma once

#include <string>
#include <vector>

namespace tally::cli_test {

/// A suite with a case for each function; `include` is the folder of work.h, relative to the suite. Not in the prelude,
/// which would be compiled anew, with all of the standard library that it has, whenever the header changes.
inline std::string suite_of_functions(const std::string& include, const std::vector<std::string>& names) {
  std::string text = "schema = 1\n[toolchain.work]\nextends = \"cpp\"\ninclude = [\"" + include +
                     "\"]\n\n[defaults]\ntoolchain = \"work\"\n";
  for (const std::string& name : names)
    text += "\n[[timer]]\nlabel = [\"" + name +
            "\"]\nlanguage = \"cpp\"\nglobal_setup = '#include \"work.h\"'\nstmt = \"" + name + "()\"\n";
  return text;
}

inline std::string function_of(const std::string& name, int nops) {
  return "inline void " + name + "() { asm volatile(\".rept " + std::to_string(nops) + "\\n nop\\n .endr\"); }\n";
}

}  // namespace tally::cli_test
