/// What a person sees while a run goes on, on standard error: one live line on a terminal, a line a case elsewhere.
///
/// Never prints results: those go to standard output at the end.
#pragma once

#include <chrono>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "execution/engine.h"

namespace tally::cli {

enum class ProgressStyle { quiet, lines, live };

class Progress {
 public:
  Progress(std::ostream& err, ProgressStyle style, bool verbose, bool color, int width, std::size_t total);

  void process(const std::string& what, const std::vector<std::string>& argv);
  void session(const std::string& id, Mode mode, const std::vector<int>& cpus);
  void finished(const std::string& id, const CaseOutcome& outcome);
  void message(const std::string& text);
  /// Counts cases that an earlier run has finished.
  void skip(std::size_t count) { done_ += count; }
  /// Wipes the live line.
  void close();

 private:
  void redraw();
  void line(const std::string& text);

  std::ostream& err_;
  ProgressStyle style_;
  bool verbose_;
  bool color_;
  int width_;
  std::size_t total_;
  std::size_t done_ = 0;
  std::size_t finished_here_ = 0;
  std::size_t failed_ = 0;
  std::string activity_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point first_session_{};
  bool drawn_ = false;
};

}  // namespace tally::cli
