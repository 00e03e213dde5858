#include "cli/progress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "base/readable_id.h"
#include "base/text.h"
#include "base/utf8.h"
#include "report/text/format.h"
#include "report/text/table.h"
#include "session/probe.h"

namespace tally::cli {

namespace {

std::string elapsed(double seconds) {
  const long whole = std::lround(seconds);
  if (whole < 100) return fmt::format("{} s", whole);
  return fmt::format("{}:{:02} min", whole / 60, whole % 60);
}

double seconds_between(Progress::Time from, Progress::Time to) {
  return std::chrono::duration<double>(to - from).count();
}

std::string_view activity_of(Mode mode) {
  if (mode.probe != nullptr) return mode.probe->activity;
  return mode == Mode::counts   ? "counting"
         : mode == Mode::wall   ? "timing"
         : mode == Mode::figure ? "asking for figures"
                                : "examining";
}

constexpr std::size_t kEnoughForAPace = 3;

}  // namespace

Progress::Progress(std::ostream& err, ProgressStyle style, bool verbose, bool color, int width,
                   std::function<Time()> now)
    : err_(err), style_(style), verbose_(verbose), color_(color), width_(width), now_(std::move(now)), start_(now_()) {}

void Progress::on_begin(std::size_t cases, std::size_t finished) {
  total_ = cases;
  done_ = finished;
  failed_ = 0;
  activity_.clear();
  waits_ = false;
  running_.clear();
  paces_.clear();
  start_ = now_();
  running_now_ = true;
}

void Progress::line(const std::string& text) {
  if (drawn_) err_ << "\r\033[K";
  drawn_ = false;
  err_ << text << '\n' << std::flush;
  redraw();
}

void Progress::redraw() {
  if (style_ != ProgressStyle::live || !running_now_) return;
  std::string text = fmt::format("[{}/{}]", done_, total_);
  if (failed_ > 0) text += fmt::format(" {} failed", failed_);
  // While others have the CPUs, no pace says how long that will be.
  if (const auto left = waits_ ? std::nullopt : seconds_left()) {
    text += fmt::format(" · {} left", elapsed(*left));
  } else {
    text += fmt::format(" · {}", elapsed(seconds_between(start_, now_())));
  }
  for (const Running& session : running_) text += " · " + session.text;
  if (running_.empty() && !activity_.empty()) text += " · " + activity_;
  // One column short of the terminal's edge.
  const auto room = static_cast<std::size_t>(std::max(width_ - 1, 20));
  err_ << "\r\033[K" << cut_to_bytes(text, room) << std::flush;
  drawn_ = true;
}

void Progress::on_process(const std::string& what, const std::vector<std::string>& argv) {
  if (style_ == ProgressStyle::quiet) return;
  activity_ = "starting " + what;
  if (verbose_) {
    std::vector<std::string> quoted;
    quoted.reserve(argv.size());
    for (const std::string& argument : argv) quoted.push_back(shell_quote(argument));
    return line(fmt::format("{}: {}", what, fmt::join(quoted, " ")));
  }
  redraw();
}

void Progress::on_session(const Case& measured, Mode mode, const std::vector<int>& cpus) {
  if (style_ == ProgressStyle::quiet) return;
  waits_ = false;
  if (Pace& pace = paces_[mode]; pace.began == Time{}) pace.began = now_();
  const std::string text =
      fmt::format("{} {} (CPU {})", activity_of(mode), readable_id(measured.id), fmt::join(cpus, ","));
  running_.push_back({measured.id, mode, text});
  if (verbose_) return line(text);
  redraw();
}

void Progress::on_session_end(const Case& measured, Mode mode) {
  Pace& pace = paces_[mode];
  ++pace.ended;
  if (pace.left > 0) --pace.left;
  const auto same = [&](const Running& session) { return session.mode == mode && session.id == measured.id; };
  if (const auto found = std::ranges::find_if(running_, same); found != running_.end()) running_.erase(found);
}

std::optional<double> Progress::seconds_left() const {
  const Time now = now_();
  double paced = 0;  // what the sessions that ended took, on the clock
  std::size_t ended = 0;
  for (const auto& [mode, pace] : paces_) {
    if (pace.ended > 0) paced += seconds_between(pace.began, now);
    ended += pace.ended;
  }
  if (ended < kEnoughForAPace) return std::nullopt;
  double left = 0;
  for (const auto& [mode, pace] : paces_) {
    const double each = pace.ended >= kEnoughForAPace
                            ? seconds_between(pace.began, now) / static_cast<double>(pace.ended)
                            : paced / static_cast<double>(ended);
    left += each * static_cast<double>(pace.left);
  }
  return left;
}

void Progress::on_case(const CaseRecord& record) {
  ++done_;
  const bool ok = record.status == CaseStatus::ok || record.status == CaseStatus::skipped;
  if (!ok) ++failed_;
  if (style_ == ProgressStyle::quiet) return;
  const bool has_threads = verbose_ && record.counts && record.counts->per_thread;
  if (style_ == ProgressStyle::lines || !ok || has_threads) {
    std::string text =
        fmt::format("[{}/{}] {} {}", done_, total_,
                    tinted(to_string(record.status), ok ? Tint::good : Tint::bad, color_), readable_id(record.id));
    if (record.failure) text += fmt::format(": {}", trim(first_line(record.failure->message)));
    if (has_threads) {
      text += "; by thread:";
      for (const double count : *record.counts->per_thread) text += " " + format_count(count);
    }
    return line(text);
  }
  redraw();
}

void Progress::on_waiting(const std::string& text) {
  activity_ = "waiting for others";
  waits_ = true;
  line("tally: " + text);
}

void Progress::on_message(const std::string& text) {
  if (style_ != ProgressStyle::quiet) line("tally: " + text);
}

void Progress::on_end() {
  if (drawn_) err_ << "\r\033[K" << std::flush;
  drawn_ = false;
  running_now_ = false;
}

}  // namespace tally::cli
