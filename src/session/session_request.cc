#include "session/session_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "protocol/frame.h"

namespace tally {

using protocol::Field;
using protocol::Writer;

namespace {

constexpr std::uint64_t kWarmUpPython = 40;  // CPython 3.11 specialises within 20 rounds of a loop
constexpr std::uint64_t kWarmUpCpp = 10;

void append_texts(Writer& writer, Field field, const Code& code) {
  for (const Snippet& part : code.parts) writer.text(field, part.text);
}

/// An upper bound of the frame's length.
std::size_t size_of(const SessionRequest& request) {
  const Toolchain& toolchain = *request.rules.toolchain;
  std::size_t size = 64UZ * 1024;  // paths, numbers, CPUs
  for (const Code* code :
       {&request.rules.measured->load, &request.rules.measured->setup, &request.rules.measured->stmt}) {
    for (const Snippet& part : code->parts) size += part.text.size() + 64;
  }
  if (const auto& line = request.rules.measured->command) {
    for (const std::string& argument : line->run) size += argument.size() + 64;
    for (const auto& [name, value] : line->environment) size += name.size() + value.size() + 64;
    for (const std::string& file : line->files) size += 2 * file.size() + 64;
    size += line->setup.size() + line->cleanup.size() + line->prepare.size();
  }
  return size + toolchain.texts.before_region.py.size() + toolchain.device.sync.py.size() +
         toolchain.texts.seed.py.size() + toolchain.texts.set_threads.py.size() + request.examiner.size();
}

void append_python(Writer& frame, const SessionRequest& request) {
  const Case& measured = *request.rules.measured;
  const Toolchain& toolchain = *request.rules.toolchain;
  for (const ToolchainCode& code : before_setup(toolchain.texts, measured.language, measured.threads))
    frame.text(Field::prepare, code.text);
  append_texts(frame, Field::load, measured.load);
  append_texts(frame, Field::setup_part, measured.setup);
  append_texts(frame, Field::stmt_part, measured.stmt);
  if (!toolchain.texts.before_region.py.empty()) frame.text(Field::before_region, toolchain.texts.before_region.py);
  if (!toolchain.device.sync.py.empty() && toolchain.device.identify.py.empty())
    frame.text(Field::sync, toolchain.device.sync.py);
  if (const Probe* probe = request.rules.mode.probe) {
    if (!probe->before_region.empty()) frame.text(Field::before_region, probe->before_region);
    if (!probe->examiner.empty()) frame.text(Field::examiner, probe->examiner);
  }
  if (request.rules.mode != Mode::result) return;
  frame.text(Field::examiner, request.examiner);
  for (const std::string& name : measured.results) frame.text(Field::result_name, name);
}

void append_command(Writer& frame, const CommandLine& line) {
  std::string arguments;
  for (const std::string& argument : line.run) (arguments += argument).push_back('\0');
  frame.text(Field::argument, arguments);
  for (const auto& [name, value] : line.environment) frame.text(Field::variable, fmt::format("{}={}", name, value));
  for (const int status : line.expected) frame.number(Field::expected, static_cast<std::uint64_t>(status));
  if (!line.prepare.empty()) frame.text(Field::setup_part, line.prepare);
  if (!line.input.empty()) frame.text(Field::input, line.input);
  if (!line.setup.empty()) frame.text(Field::before_all, line.setup);
  if (!line.cleanup.empty()) frame.text(Field::after_all, line.cleanup);
  if (line.output != "null") frame.text(Field::output, line.output);
  if (line.own_numbers) frame.number(Field::own_numbers, 1);
  if (line.private_tmp) frame.number(Field::private_tmp, 1);
  for (const std::string& file : line.files) {
    std::string copy = name_in_own_folder(line, file);
    copy.push_back('\0');
    frame.text(Field::copied_file, copy.append(file));
  }
  frame.text(Field::command_folder, line.folder);
}

}  // namespace

Result<std::string> request_frame(const SessionRequest& request) {
  const DialogueRules& rules = request.rules;
  // Not the largest frame: zeroing 4 MiB takes longer than all else that starting a session needs.
  std::string buffer(std::min(protocol::kMaxFrame, size_of(request)), '\0');
  Writer frame(buffer, protocol::MessageType::run_case, request.job);
  const bool python = rules.measured->language == Language::python;
  if (python) {
    append_python(frame, request);
  } else if (rules.measured->command) {
    append_command(frame, *rules.measured->command);
  } else {
    frame.text(Field::snippet, request.built.library).text(Field::symbol, request.built.symbol);
    if (!rules.toolchain->own_host.executable.empty() && rules.measured->threads > 1)
      frame.number(Field::threads, static_cast<std::uint64_t>(rules.measured->threads));
  }
  const auto& command = rules.measured->command;
  frame.number(Field::warm_up, command  ? static_cast<std::uint64_t>(command->warm_up)
                               : python ? kWarmUpPython
                                        : kWarmUpCpp);
  // A program's own benchmark may be too heavy for as many as are usual: it is executed less often, unless somebody
  // says how often.
  const bool is_program = rules.toolchain->own_host.python || !rules.toolchain->own_host.executable.empty();
  if (is_program && rules.plan.exact_iterations) frame.number(Field::iterations, rules.plan.iterations);
  frame.text(Field::folder, request.built.folder.empty() ? request.folder : request.built.folder);
  if (rules.toolchain->own_host.python) frame.number(Field::own_folder, 1);
  for (const int cpu : request.cpus) frame.number(Field::cpu, static_cast<std::uint64_t>(cpu));
  // Under Valgrind its own memory would count against it: there the engine looks from outside only.
  if (rules.plan.memory_bytes > 0 && !is_under_valgrind(rules.mode))
    frame.number(Field::memory, rules.plan.memory_bytes);
  if (rules.plan.system_entropy) frame.number(Field::system_entropy, 1);
  frame.number(Field::heap_padding, request.perturbation.heap_padding)
      .number(Field::stack_padding, request.perturbation.stack_padding)
      .number(Field::to_come, request.to_come);
  const std::size_t length = frame.finish().size();
  if (length == 0) {
    return fail(ErrorKind::input, "the case's source text is too long for one message (4 MiB)", rules.measured->id,
                "move a part of it into a module");
  }
  buffer.resize(length);
  return buffer;
}

}  // namespace tally
