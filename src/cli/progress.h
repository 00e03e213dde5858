/// The progress of a run, on standard error: one live line on a terminal (done and total, failures,
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

#include "run/observer.h"

namespace tally::cli {

enum class ProgressStyle { quiet, lines, live };

class Progress final : public RunObserver {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Progress(std::ostream& err, ProgressStyle style, bool verbose, bool color, int width,
           std::function<Time()> now = std::chrono::steady_clock::now);

  void on_begin(std::size_t cases, std::size_t finished) override;
  void on_process(const std::string& what, const std::vector<std::string>& argv) override;
  void on_planned(Mode mode, std::size_t sessions) override { paces_[mode].left += sessions; }
  void on_session(const Case& measured, Mode mode, const std::vector<int>& cpus) override;
  void on_session_end(const Case& measured, Mode mode) override;
  void on_case(const CaseRecord& record) override;
  /// Of a quiet one, too.
  void on_waiting(const std::string& text) override;
  void on_message(const std::string& text) override;
  /// Wipes the live line.
  void on_end() override;

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
  std::size_t total_ = 0;
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
  std::string activity_;  ///< When no session runs.
  bool waits_ = false;    ///< For others, since no session has begun.
  std::vector<Running> running_;
  std::map<Mode, Pace> paces_;
  std::function<Time()> now_;
  Time start_;
  bool drawn_ = false;
  bool running_now_ = false;  ///< Between a run's begin and its end.
};

}  // namespace tally::cli
