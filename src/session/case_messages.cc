#include "session/case_messages.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/files.h"
#include "base/text.h"
#include "protocol/dump_names.h"

namespace tally {

using protocol::Field;
using protocol::Message;
using protocol::MessageType;
using protocol::Writer;

namespace {

std::string text_of(const Message& message, Field field) { return std::string(message.text(field).value_or("")); }

std::vector<double> samples_of(std::string_view bytes, double iterations) {
  std::vector<double> samples(bytes.size() / sizeof(double));
  if (!samples.empty()) std::memcpy(samples.data(), bytes.data(), samples.size() * sizeof(double));
  for (double& sample : samples) sample /= iterations;
  return samples;
}

/// Reads and removes it.
Result<std::string> take_file(const protocol::DumpPath& path) {
  auto text = read_file(path.text);
  ::unlink(path);
  return text;
}

/// A file that is not whole is the disk's fault before it is the counter's.
Result<Totals> totals_of(std::string_view dump) {
  auto totals = callgrind_totals(dump);
  if (totals) return totals;
  return fail(ErrorKind::io, dump.empty() ? "its file is empty" : totals.error().message, {},
              "is there room in the folder of temporary files (TMPDIR), and no limit of the size of its files "
              "(RLIMIT_FSIZE)?");
}

RegionCounted counted(const Message& message, const DumpFolder& dumps) {
  const std::uint64_t pid = message.number(Field::pid);
  RegionCounted region{.status = static_cast<int>(message.number(Field::status)),
                       .own = dumps.child && pid == static_cast<std::uint64_t>(*dumps.child),
                       .iterations = message.number(Field::iterations, 1),
                       .allocations = message.number(Field::allocation_count),
                       .allocated_bytes = message.number(Field::allocation_bytes),
                       .pauses = message.number(Field::pauses),
                       .one_execution = message.number(Field::one_execution),
                       .thread = static_cast<int>(message.number(Field::thread)),
                       .followed = static_cast<protocol::Followed>(message.number(Field::followed)),
                       .totals = {},
                       .dump = {},
                       .left = {}};
  if (region.status != 0) return region;
  // There is none of a region that is not observed, such as the empty loop of Python.
  if (dumps.ending)
    region.left = take_file(protocol::observed_path(dumps.path.c_str(), pid, dumps.ending->c_str())).value_or("");
  if (!dumps.has_dumps) return region;
  auto text = take_file(protocol::dump_path(dumps.path.c_str(), pid, message.number(Field::dump, 1)));
  region.totals = text ? totals_of(*text) : Result<Totals>(std::unexpected(text.error()));
  if (text) region.dump = *std::move(text);
  return region;
}

PhaseReady ready(const Message& message) {
  const std::string device = text_of(message, Field::device);
  PhaseReady ready{.phase = static_cast<protocol::Phase>(message.number(Field::phase)),
                   .in_process = message.number(Field::in_process) != 0,
                   .device = std::string(first_line(device)),
                   .allocator = text_of(message, Field::allocator),
                   .threads = static_cast<int>(message.number(Field::threads, 1))};
  for (const std::string_view line : split(std::string_view(device).substr(ready.device.size()), '\n')) {
    if (const std::size_t end = line.find('='); end != std::string_view::npos)
      ready.device_settings.emplace(line.substr(0, end), line.substr(end + 1));
  }
  return ready;
}

CaseReport report(const Message& message) {
  constexpr unsigned kRate = 1;
  constexpr unsigned kInverted = 1U << 31U;
  CaseReport report{.note = text_of(message, Field::text), .counters = {}};
  report.left_behind = text_of(message, Field::left_behind);
  if (message.text(Field::peak_bytes)) {
    const auto seconds = [&](Field field) { return static_cast<double>(message.number(field)) * 1e-9; };
    report.used =
        ResourceUse{seconds(Field::user_ns), seconds(Field::system_ns), message.number(Field::peak_bytes), {}};
    if (const std::size_t count = message.count(Field::exit_code); count > 0) {
      std::vector<int>& codes = report.used->exit_codes.emplace();
      for (std::size_t i = 0; i < count; ++i) codes.push_back(static_cast<int>(message.number(Field::exit_code, 0, i)));
    }
  }
  if (const auto figure = message.text(Field::value)) {
    const std::size_t end = figure->find('\t');
    report.figure = Reported{std::strtod(std::string(figure->substr(0, end)).c_str(), nullptr),
                             end == std::string_view::npos ? "" : std::string(figure->substr(end + 1))};
  }
  for (std::size_t i = 0; i < message.count(Field::counter); ++i) {
    const std::string counter(*message.nth(Field::counter, i));
    const std::size_t value = counter.find('\t') + 1;
    const std::size_t name = counter.find('\t', value) + 1;  // to its end, whatever is in it
    if (value == 0 || name == 0) continue;
    const auto flags = static_cast<unsigned>(std::strtoul(counter.c_str(), nullptr, 10));
    char* end = nullptr;
    const double number = std::strtod(counter.c_str() + value, &end);
    // A program that was built with an earlier tallymark writes a number as its locale does: "0x1,8p+0".
    if (end == counter.c_str() + value || end != counter.c_str() + name - 1) continue;
    report.counters.push_back({counter.substr(name), number, (flags & kRate) != 0, (flags & kInverted) != 0});
  }
  return report;
}

}  // namespace

void DumpFolder::clean() const {
  if (path.empty() || !child) return;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(path, code)) {
    if (protocol::is_dump_of(entry.path().filename().c_str(), static_cast<std::uint64_t>(*child)))
      ::unlink(entry.path().c_str());
  }
}

CaseMessage decode(const Message& message, const DumpFolder& dumps) {
  switch (message.type()) {
    case MessageType::ready:
      return ready(message);
    case MessageType::counted:
      return counted(message, dumps);
    case MessageType::timed: {
      const std::uint64_t number = message.number(Field::iterations, 1);
      const auto samples = [&](Field field) {
        return samples_of(message.text(field).value_or(""), static_cast<double>(number));
      };
      return ChildTimed{.status = static_cast<int>(message.number(Field::status)),
                        .number = number,
                        .samples_s = samples(Field::samples),
                        .launch_s = samples(Field::launch_samples),
                        .device_s = samples(Field::device_samples),
                        .manual = message.number(Field::manual) != 0,
                        .spent_s = static_cast<double>(message.number(Field::spent_ns)) * 1e-9};
    }
    case MessageType::failed:
      return CaseFailed{
          static_cast<protocol::Stage>(message.number(Field::stage)),
          std::string(message.text(Field::message).value_or("failed")), text_of(message, Field::detail),
          message.text(Field::signal) ? std::optional(static_cast<int>(message.number(Field::signal))) : std::nullopt,
          message.number(Field::skipped) != 0};
    case MessageType::result:
      return StatementResult{text_of(message, Field::text), text_of(message, Field::refusal), false};
    case MessageType::report:
      return report(message);
    default:
      return InvalidMessage{};
  }
}

std::string_view encode(const CaseCommand& command, std::uint32_t job, std::span<char> buffer) {
  const auto nanoseconds = [](double seconds) { return static_cast<std::uint64_t>(seconds * 1e9); };
  if (const auto* count = std::get_if<AskCount>(&command)) {
    Writer frame(buffer, MessageType::count, job);
    frame.number(Field::iterations, count->iterations).number(Field::last, count->last ? 1 : 0);
    if (count->thread > 0) frame.number(Field::thread, static_cast<std::uint64_t>(count->thread));
    if (count->followed != protocol::Followed::nothing)
      frame.number(Field::followed, static_cast<std::uint64_t>(count->followed));
    return frame.finish();
  }
  if (const auto* times = std::get_if<AskTimes>(&command)) {
    Writer frame(buffer, MessageType::time, job);
    frame.number(Field::iterations, times->iterations)
        .number(Field::block_ns, nanoseconds(times->block_s))
        .number(Field::budget_ns, nanoseconds(times->budget_s))
        .number(Field::least_samples, times->least_samples)
        .number(Field::children, times->children)
        .number(Field::last, times->last ? 1 : 0);
    if (times->flushes) frame.number(Field::flushes, 1);
    return frame.finish();
  }
  return Writer(buffer, MessageType::advance, job).finish();
}

}  // namespace tally
