/// `tally doctor`: what this machine offers for measuring, what is missing, and how to get it.
#pragma once

#include "cli/context.h"
#include "cli/option_set.h"
#include "cli/run_options.h"

namespace tally::cli {

struct DoctorOptions {
  bool json = false;
  bool machine = false;  ///< What counts follow from here, in place of what is missing.
};

void add_doctor_options(OptionSet& command, DoctorOptions& options);
/// Exit code 1 when something that some toolchain needs is missing.
int run_doctor(const Context& context, const DoctorOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
