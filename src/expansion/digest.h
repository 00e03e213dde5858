/// A short, stable name for text: the same on every machine and in every version of Tallymark.
///
/// 64 bits tell the definitions of any suite apart; it is no defence against an adversary.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace tally {

/// 16 hex digits of the fields; each field's length counts, so that {"ab", "c"} and {"a", "bc"} differ.
std::string digest_of(std::initializer_list<std::string_view> fields);

}  // namespace tally
