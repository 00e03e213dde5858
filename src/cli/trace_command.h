/// `tally trace`: figures of profiler traces, and their difference.
///
/// Owns: the options, opening files, choosing the output. Exit codes: 0 fine, 1 nothing in a trace could be used, 2
/// wrong usage or an unreadable file.
#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>
#include <string>
#include <vector>

namespace tally::cli {

struct TraceOptions {
  std::vector<std::string> files;
  bool json = false;
  bool legacy = false;
  bool operators = true;
  int threads = 2;
  double duration_seconds = 0;
  std::size_t kernels = 20;
  bool full_names = false;
  std::string html;  ///< Also write a page here.
  std::string window = "work";
};

/// Declares the options of `tally trace` on its subcommand.
void add_trace_options(CLI::App& trace, TraceOptions& options);

/// Runs it; `files` holds one path or more ("-" is standard input).
int run_trace(const TraceOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
