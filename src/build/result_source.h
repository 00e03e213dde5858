/// Generates C++ in which a statement reports what it leaves, for `tally ab --same-result`. Pure text; it never parses
/// C++.
///
/// What is reported: the variables that the signature names; otherwise all that the statement gives to tally::keep();
/// otherwise what its last part assigns, declares or evaluates to. Where the text does not fit these forms the
/// snippet may fail to compile: then, too, the case cannot be compared.
#pragma once

#include <string>

#include "expansion/case.h"

namespace tally {

struct ReportedStatement {
  Code stmt;           ///< The statement; its last part may have been rewritten.
  std::string report;  ///< To stand behind the statement, in its scope; the name of the text object is __tally_text.
};

ReportedStatement reported(const Case& one);

}  // namespace tally
