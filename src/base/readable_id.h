/// Shows a case's id (expansion/case_id.h) in a form for readers; the id itself is made for shells and scripts. Pure.
#pragma once

#include <string>
#include <string_view>

namespace tally {

/// The id with %XX as the letter that it stands for: `', '.join(x) [python]`. What could not be read stays: letters
/// that have no shape, and bytes that are no ASCII. For reports only: records, files and commands have the id itself.
std::string readable_id(std::string_view id);

}  // namespace tally
