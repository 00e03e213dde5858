#include "session/case_failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "base/text.h"
#include "process/wait_status.h"
#include "protocol/descriptors.h"
#include "protocol/host_image.h"
#include "session/traceback.h"

namespace tally {

using protocol::Stage;

namespace {

/// Of the host's memory, which alone is limited. PyTorch's OutOfMemoryError is a device's.
bool is_out_of_memory(std::string_view text) {
  if (text.contains("OutOfMemoryError")) return false;
  return text.contains("MemoryError") || text.contains("bad_alloc") || text.contains("can't allocate memory");
}

bool is_of_missing_file(std::string_view message) {
  return message.contains("ModuleNotFoundError") || message.contains("ImportError") ||
         message.contains("No such file or directory");
}

}  // namespace

std::string stage_name(Stage stage, Mode mode) {
  switch (stage) {
    case Stage::load:
      return "load";
    case Stage::setup:
      return "setup";
    case Stage::warm_up:
      return "warm_up";
    case Stage::region:
      return mode == Mode::counts ? "count" : mode == Mode::wall ? "time" : mode == Mode::figure ? "figure" : "result";
    default:
      return "host";
  }
}

CaseFailure describe_failure(const CaseFailed& failed, const DialogueRules& rules) {
  const std::string stage = stage_name(failed.stage, rules.mode);
  if (failed.skipped) return {.stage = stage, .message = failed.message, .detail = {}, .output = {}, .skipped = true};
  std::string text = failed.message;
  const std::uint64_t memory_limit = rules.plan.memory_bytes;
  if (memory_limit > 0 && is_out_of_memory(text)) {
    text.insert(
        0, fmt::format("over memory, of which it may use {:.4g} MiB: ", static_cast<double>(memory_limit) / 1048576));
  }
  if (rules.measured->language != Language::python || failed.signal) {
    // A library's message may run for pages (PyTorch appends its own stack).
    std::string summary(trim(first_line(text)));
    if (failed.signal == SIGILL && rules.mode == Mode::counts) {
      summary +=
          "; Valgrind lacks some instructions (AVX-512 among them): build without -march=native, or with "
          "-march=x86-64-v3";
      if (const std::string& hint = rules.toolchain->lacking_instructions; !hint.empty()) summary += "; " + hint;
    }
    return {stage, std::move(summary), failed.detail.empty() ? text : failed.detail, {}};
  }
  const std::vector<Snippet> parts = python_parts(*rules.measured);
  const std::string place = innermost_place(failed.detail, parts);
  return {stage, place.empty() ? text : fmt::format("{} ({})", text, place), map_traceback(failed.detail, parts), {}};
}

CaseFailure describe_cut_off(Stage stage, Mode mode) {
  return {stage_name(stage, mode),
          fmt::format("its code closed descriptor {}, on which the case's process speaks with tally: let it close what "
                      "it has opened itself, or only those below {}",
                      protocol::kCaseSocket, protocol::kCaseSocket),
          {},
          {}};
}

CaseFailure describe_exit(int wait_status, Stage stage, Mode mode) {
  return {stage_name(stage, mode),
          "the case's process " + describe(decode_wait_status(wait_status)) + " before it had a result",
          {},
          {}};
}

void add_reason(CaseFailure& failure) {
  constexpr std::string_view kOurs = "tally: ";
  const std::string_view said = last_line(trim(failure.output));
  // Who words an exception looks for the text of its lines, too.
  const bool is_of_file = said.substr(std::min(said.size(), kOurs.size())).starts_with(protocol::image::kLooksFor);
  if (is_of_file && !failure.detail.empty() && !is_of_missing_file(failure.message)) return;
  if (said.starts_with(kOurs)) failure.message += fmt::format(": {}", said.substr(kOurs.size()));
}

}  // namespace tally
