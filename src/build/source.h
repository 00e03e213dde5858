/// The C++ text that a case is compiled from. Pure.
///
/// One function for each case, with setup, empty loop and measured loop in one scope; the same function serves wall
/// time and counts. `#line` directives make the compiler speak of the suite's own lines.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "definition/toolchain.h"
#include "expansion/case.h"

namespace tally {

/// The header that is precompiled once for each toolchain: the snippet's own header, then the prelude's.
std::string prelude_source(const CppSide& cpp);

/// What every file of snippets begins with: each string constant gets a place of its own at a multiple of 64 bytes. A
/// linker puts them next to each other, so where one lay depended on the other snippets of the file, and `memcmp` takes
/// a longer path near the end of a page (LSTM: 95 of 755,859 instructions).
std::string file_start();

/// Whether `#line` names the suite's places, or none, for a text that does not change when a case moves within its
/// suite.
enum class Lines { of_suite, none };

/// `on_device`: the case names no device, and has turned out to work on one. `examined`: each execution also reports
/// what it leaves (tally/result.h).
enum class Purpose { measured, on_device, examined };

/// The function `symbol` for one case, with its file-scope code before it.
std::string case_source(const Case& one, const Toolchain& toolchain, std::string_view symbol, Lines lines,
                        Purpose purpose = Purpose::measured);

/// Where the parts of a case's text stand, as `#line` names them: "LINE FILE" for each, in the order of the text. Equal
/// texts share one compiled library, whose lines are those of the case that was compiled.
std::string places_of(const Case& one);

/// The place in `one` of a line that debug information names, of a library compiled from the same text at `places`.
/// Nothing for what is no part of it.
std::optional<SourcePosition> place_in(const Case& one, std::string_view places, std::string_view file,
                                       std::uint64_t line);

/// Representative code of the toolchain, in the form of a case, for the host to run once.
std::string warm_up_source(const CaseTexts& texts, std::string_view symbol);

}  // namespace tally
