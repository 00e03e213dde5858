/// A history's name for an environment: the first digits of the fingerprint of all that a record ran in. Pure.
#pragma once

#include <string>

#include "record/record.h"

namespace tally {

/// Twelve hexadecimal digits.
std::string environment_name_of(const Record& record);

/// The same of the processor that its times are of. Empty: the record does not say it apart.
std::string processor_name_of(const Record& record);

}  // namespace tally
