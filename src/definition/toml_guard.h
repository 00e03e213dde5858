/// Guards toml++ 3.3 from a user's bytes: rejects letters that it must not see, and rewords mistakes that it reports.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tally {

/// toml++'s test for blanks runs into undefined behaviour at most letters beyond ASCII wherever it does not expect a
/// string; a fuzzer finds ever new such places. So U+00A0 to U+FEFF are shown to it as letters of a plane that Unicode
/// leaves empty, one for one: places stay what they are. A byte order mark at the beginning stays. Bytes that are not
/// UTF-8 stay, for toml++ to refuse. Nothing when the text holds letters of that plane itself.
std::optional<std::string> shield(std::string_view bytes);

/// The letters that were meant.
std::string unshield(std::string_view text);

/// What to write instead, by toml++'s description of an error.
std::string_view toml_hint(std::string_view description);

}  // namespace tally
