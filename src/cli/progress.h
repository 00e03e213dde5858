/// What a person sees while a run goes on, on standard error: one live line on a terminal (done and total, failures,
/// the time left, what runs where), a line a case elsewhere.
///
/// The time left is what is left of each way of measuring, at the pace seen so far of that way, or of the others where
/// it has not begun.
///
/// Never prints results: those go to standard output at the end.
#pragma once

#include <chrono>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "execution/engine.h"

namespace tally::cli {

enum class ProgressStyle { quiet, lines, live };

class Progress {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Progress(std::ostream& err, ProgressStyle style, bool verbose, bool color, int width, std::size_t total,
           std::function<Time()> now = std::chrono::steady_clock::now);

  /// So many sessions of this mode are to come.
  void plan(Mode mode, std::size_t sessions) { paces_[mode].left += sessions; }
  void process(const std::string& what, const std::vector<std::string>& argv);
  void session(const std::string& id, Mode mode, const std::vector<int>& cpus);
  void session_end(const std::string& id, Mode mode);
  void finished(const std::string& id, const CaseOutcome& outcome);
  void message(const std::string& text);
  /// Counts cases that an earlier run has finished.
  void skip(std::size_t count) { done_ += count; }
  /// Wipes the live line.
  void close();

 private:
  /// The sessions of one mode.
  struct Pace {
    std::size_t left = 0;
    std::size_t ended = 0;
    Time began{};
  };
  struct Running {
    std::string id;
    Mode mode;
    std::string text;
  };

  void redraw();
  [[nodiscard]] std::optional<double> seconds_left() const;
  void line(const std::string& text);

  std::ostream& err_;
  ProgressStyle style_;
  bool verbose_;
  bool color_;
  int width_;
  std::size_t total_;
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
  std::string activity_;  ///< When no session runs.
  std::vector<Running> running_;
  std::map<Mode, Pace> paces_;
  std::function<Time()> now_;
  Time start_;
  bool drawn_ = false;
};

}  // namespace tally::cli
