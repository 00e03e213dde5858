#include "cli/progress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>

#include "base/text.h"
#include "report/table.h"

namespace tally::cli {

namespace {

std::string elapsed(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 100) return fmt::format("{} s", whole);
  return fmt::format("{}:{:02} min", whole / 60, whole % 60);
}

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Progress::Progress(std::ostream& err, ProgressStyle style, bool verbose, bool color, int width, std::size_t total)
    : err_(err), style_(style), verbose_(verbose), color_(color), width_(width), total_(total) {}

void Progress::line(const std::string& text) {
  if (drawn_) err_ << "\r\033[K";
  drawn_ = false;
  err_ << text << '\n' << std::flush;
  redraw();
}

void Progress::redraw() {
  if (style_ != ProgressStyle::live) return;
  std::string text = fmt::format("[{}/{}]", done_, total_);
  if (failed_ > 0) text += fmt::format(" {} failed", failed_);
  if (finished_here_ >= 3) {
    const double each = since(first_session_) / static_cast<double>(finished_here_);
    text += fmt::format(" · {} left", elapsed(each * static_cast<double>(total_ - done_)));
  } else {
    text += fmt::format(" · {}", elapsed(since(start_)));
  }
  text += " · " + activity_;
  // Cut by bytes at a character's border, one column short of the terminal's edge.
  std::size_t room = static_cast<std::size_t>(std::max(width_ - 1, 20));
  if (text.size() > room) {
    while (room > 0 && (static_cast<unsigned char>(text[room]) & 0xC0U) == 0x80U) --room;
    text.resize(room);
  }
  err_ << "\r\033[K" << text << std::flush;
  drawn_ = true;
}

void Progress::process(const std::string& what, const std::vector<std::string>& argv) {
  if (style_ == ProgressStyle::quiet) return;
  activity_ = "starting " + what;
  if (verbose_) {
    std::vector<std::string> quoted;
    for (const std::string& argument : argv) quoted.push_back(shell_quote(argument));
    return line(fmt::format("{}: {}", what, fmt::join(quoted, " ")));
  }
  redraw();
}

void Progress::session(const std::string& id, Mode mode, const std::vector<int>& cpus) {
  if (style_ == ProgressStyle::quiet) return;
  if (finished_here_ == 0 && first_session_ == std::chrono::steady_clock::time_point{})
    first_session_ = std::chrono::steady_clock::now();
  activity_ = fmt::format("{} {} (CPU {})",
                          mode == Mode::counts ? "counting"
                          : mode == Mode::wall ? "timing"
                                               : "examining",
                          id, fmt::join(cpus, ","));
  if (verbose_) return line(activity_);
  redraw();
}

void Progress::finished(const std::string& id, const CaseOutcome& outcome) {
  ++done_;
  ++finished_here_;
  const bool ok = outcome.ending == Ending::ok;
  if (!ok) ++failed_;
  if (style_ == ProgressStyle::quiet) return;
  if (style_ == ProgressStyle::lines || !ok) {
    std::string text = fmt::format("[{}/{}] {} {}", done_, total_,
                                   tinted(to_string(outcome.ending), ok ? Tint::good : Tint::bad, color_), id);
    if (outcome.failure) text += ": " + outcome.failure->message;
    return line(text);
  }
  redraw();
}

void Progress::message(const std::string& text) {
  if (style_ != ProgressStyle::quiet) line("tally: " + text);
}

void Progress::close() {
  if (drawn_) err_ << "\r\033[K" << std::flush;
  drawn_ = false;
  style_ = style_ == ProgressStyle::live ? ProgressStyle::lines : style_;
}

}  // namespace tally::cli
