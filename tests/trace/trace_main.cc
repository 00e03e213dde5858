#include <iostream>

#include "cli/trace_command.h"

int main(int argc, char** argv) {
  CLI::App app;
  tally::cli::TraceOptions options;
  tally::cli::add_trace_options(app, options);
  CLI11_PARSE(app, argc, argv);
  return tally::cli::run_trace(options, std::cout, std::cerr);
}
