/// The name of a case, which records are matched by: "label/parts [language runtime autograd threads=N name=value …]".
///
///     id    = label " [" language " " runtime " " autograd " threads=" number { " " name "=" value } "]"
///     label = part { "/" part }
///
/// Parameters stand in the order of the definition. It depends on nothing but the case's own facts, so that adding a
/// benchmark never renames another. Safe between single or double quotes in a shell: ' " \ $ ` ! and control characters
/// become %XX, as does % itself; so do '/' within a part, and blanks, '=', '[' and ']' within a value. What stands
/// behind the last " [" is the list of facts.
#pragma once

#include <string>

#include "expansion/case.h"

namespace tally {

std::string make_case_id(const Case& facts);

}  // namespace tally
