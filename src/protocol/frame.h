/// The wire between the runner and its hosts: length-checked, versioned frames of tagged fields.
///
/// Frames are read and written in place, in buffers that the caller owns, and never allocate: a host must be able to
/// take a request without moving its heap by one byte, or a longer path would change the counts of the case (a longer
/// cache path once moved BatchNorm by 0.5 %).
///
/// Layout, little-endian: magic u32, version u16, type u16, job u32, payload length u32; then fields, each: tag u16,
/// zero u16, length u32, bytes. A field may be repeated. Unknown fields are ignored, unknown types are the receiver's
/// error.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace tally::protocol {

inline constexpr std::uint32_t kMagic = 0x4b524d54;  // "TMRK"
inline constexpr std::uint16_t kVersion = 2;
inline constexpr std::size_t kHeaderSize = 16;
inline constexpr std::size_t kMaxFrame = std::size_t{4}
                                         << 20;  ///< Longer frames are refused, whatever their header says.

enum class MessageType : std::uint16_t {
  // From a host, on its control socket.
  hello = 1,    ///< Once, when it is ready to fork.
  started = 2,  ///< A case child was forked.
  exited = 3,   ///< A case child was reaped.
  // From the runner to a host, on its control socket.
  variables = 11,  ///< Before the first run_case: those of late_variables.h; a host without room for them ignores it.
  run_case = 10,   ///< With two descriptors attached: the case's own socket and the pipe for its output.
  // From the runner to a case child, on the case's socket.
  count = 20,    ///< Execute one counted replicate in a forked child.
  time = 21,     ///< Execute timed blocks in forked children, one after the other.
  advance = 22,  ///< Leave this phase; after the last phase the child exits.
  // From a case child, on the case's socket.
  ready = 30,    ///< A phase was set up and warmed up; commands may come.
  counted = 31,  ///< A counted replicate is done; its dump lies in the host's output folder.
  timed = 32,    ///< One child's timed blocks are done.
  failed = 33,   ///< The case cannot continue; the child exits.
  result = 34,   ///< What an examined statement's execution left; comes before the `counted` of the same region.
  report = 35,   ///< What a benchmark's function reported about itself, once it has ended.
  asked = 36,    ///< The case looks for a driver that its host does not find (hidden_drivers.h); at any time.
};

/// What a field means; the comment says in which messages.
enum class Field : std::uint16_t {
  pid = 1,      ///< hello, started, exited, counted, timed: of the process in question.
  threads = 2,  ///< hello, ready: threads alive in the sending process. run_case, of a benchmark program: those that
                ///< its function runs in; absent: one.
  status = 3,   ///< exited, counted, timed: a wait status as waitpid(2) gives it.
  message = 4,  ///< failed: one line.
  detail = 5,   ///< failed: a traceback or other text of several lines.
  stage = 6,    ///< failed, exited: a protocol::Stage; the last one that was entered.
  under_valgrind = 7,  ///< hello: 1 when Valgrind runs the host.
  language = 8,        ///< hello: "cpp", "python" or "command".
  version = 9,         ///< hello: of the interpreter or compiler that the host was made for.
  signal = 10,         ///< failed: of a crash; absent otherwise.
  cut_off = 11,        ///< exited: 1 when the child had lost its socket, and could not say why it ended.

  snippet = 20,         ///< run_case, C++: the shared object; a relative name.
  symbol = 21,          ///< run_case, C++: the entry function.
  prepare = 37,         ///< run_case, Python, repeated: source of the toolchain's own, run before all else of the case.
  load = 38,            ///< run_case, Python, repeated: source that brings the case's values, run before its setup.
  setup_part = 22,      ///< run_case, Python, repeated: source text; a traceback's line is part · kPartStride + line.
  stmt_part = 23,       ///< run_case, Python, repeated; parts are numbered through setup and statement.
  folder = 24,          ///< run_case: the case child's working folder, or absent.
  own_folder = 71,      ///< run_case: 1 where nobody else has that folder: its files are no change; absent otherwise.
  warm_up = 25,         ///< run_case: iterations executed before a phase is ready.
  cpu = 26,             ///< run_case, repeated: CPUs that the child is pinned to.
  memory = 27,          ///< run_case: limit in bytes on the child's data, or absent.
  heap_padding = 28,    ///< run_case: bytes allocated before setup, a perturbation.
  stack_padding = 29,   ///< run_case: bytes by which the stack is moved, a perturbation.
  system_entropy = 59,  ///< run_case: 1 where the system answers what asks for randomness; absent: we do.
  to_come = 58,         ///< run_case: how many more requests the host is likely to get.
  before_region = 30,   ///< run_case, Python: source run before every region, not measured.
  in_process = 31,  ///< ready: this child will not fork replicates. started: 1 where the host has threads, and runs the
                    ///< case itself; absent where it was forked.
  sync = 32,        ///< run_case, Python: source run at the end of every region.
  allocator = 36,   ///< ready: the file of an allocator whose heap the host cannot read; absent for the C library's.
  device = 35,      ///< ready: the device that the case works on, "cuda"; absent where it works on none. Lines may
                    ///< follow, NAME=VALUE: settings of the process for it.
  driver = 68,      ///< asked: the file that was looked for.
  examiner = 33,    ///< run_case, Python: source of what makes a statement report what it leaves; absent otherwise.
  result_name = 34,  ///< run_case, Python, repeated: variables that the examined statement leaves.

  iterations = 40,  ///< count: executions in the region. counted: executions done.
  thread = 56,      ///< count, of a benchmark program's team: this one of its threads alone is collected, counted from
                    ///< 1, in a forked child; absent: all. counted: which one was; absent: all.
  followed = 88,    ///< count: a protocol::Followed that is wanted; absent: nothing. counted: what is in the dump.
  last = 52,        ///< count, time: 1 when only `advance` is to follow; the child may spend its own state on it.
  phase = 41,       ///< ready: a protocol::Phase.
  dump = 42,        ///< counted: the number of the dump in the process's output.
  block_ns = 43,    ///< time: with `iterations` 0, let a block last at least so long.
  budget_ns = 44,   ///< time: stop after the block that reaches so much time; 0: after the first one.
  children = 51,    ///< time: so many, each of which has a `timed` of its own; absent: one.
  least_samples = 64,  ///< time: of a child, whatever the budget; absent: one.
  flushes = 91,  ///< time, on a device: 1 where its cache is to be written over before each block; absent: it is not.
  samples = 45,  ///< timed: doubles, seconds for each block.
  launch_samples = 69,    ///< timed, on a device: likewise, until the block's wait for the device began.
  device_samples = 70,    ///< timed, on a device: likewise, by the device's own clock; absent where none is read.
  spent_ns = 57,          ///< timed: since the command, or since the child before: its fork and its end included.
  manual = 65,            ///< timed: 1 where the samples are what the benchmark says, not the clock; absent otherwise.
  allocation_count = 47,  ///< counted.
  allocation_bytes = 48,  ///< counted.
  pauses = 55,            ///< counted: how often counting was paused in the region; absent where it was not.
  one_execution = 89,     ///< counted: instructions that one execution took before, where the number of executions
                          ///< was chosen by it; absent otherwise.
  changed_file = 66,      ///< counted, failed, report: the first that the case has changed; absent where none is known.
  requested = 67,         ///< counted, failed, report: bits of host::Requested; absent where there is none.
  text = 49,              ///< result: what was left. report: a label, or absent.
  counter = 53,           ///< report, repeated: "7\t0x1.8p+1\tname": Google Benchmark's flags, the value, what it is.
  argument = 72,          ///< run_case, of a command: the program and its arguments, each ended by a null.
  input = 73,             ///< run_case, of a command: the file of its standard input; absent: /dev/null.
  output = 74,          ///< run_case, of a command: where its standard output goes: a file or one of kOutput…; absent:
                        ///< /dev/null.
  expected = 75,        ///< run_case, of a command, repeated: exit codes; absent: however it ends.
  command_folder = 76,  ///< run_case, of a command: where it runs. `folder` is that of its temporary files.
  variable = 77,        ///< run_case, of a command, and variables, repeated: "NAME=VALUE".
  before_all = 81,      ///< run_case, of a command: what a shell does once, before its first execution; or absent.
  after_all = 82,       ///< run_case, of a command: what a shell does once, after its last one; or absent.
  copied_file = 83,  ///< run_case, of a command, repeated: "TO\0FROM", a file or folder that each execution gets anew
                     ///< in a folder of its own, where it then runs; absent: it runs in `command_folder`.
  own_numbers = 85,  ///< run_case, of a command: 1 where it is to have process numbers of its own, or to fail.
  private_tmp = 86,  ///< run_case, of a command: 1 where each execution is to have a /tmp of its own, or to fail.
  user_ns = 78,      ///< report, of a command: processor time of one execution, the median.
  system_ns = 79,    ///< report, of a command: likewise, within the system.
  peak_bytes = 80,   ///< report, of a command or a case that reports it: the most memory that one process had at once.
  exit_code = 90,    ///< report, of a command, repeated: each with which an execution that was timed has ended.
  left_behind = 87,  ///< report, of a command: what it left in a /tmp of its own, which is gone; absent: nothing.
  value = 84,        ///< report, of a case that reports a figure: "0x1.8p+1\tbytes".
  skipped = 54,      ///< failed: 1 where the case itself does not want to be measured; absent otherwise.
  refusal = 50,      ///< result: why it is not complete; absent otherwise.
};

inline constexpr int kPartStride = 1'000'000;

inline constexpr char kOutputToErrors[] = "errors";    ///< Where its errors go.
inline constexpr char kOutputToPipe[] = "pipe";        ///< To a reader that keeps nothing.
inline constexpr char kOutputInherited[] = "inherit";  ///< Where tally's own goes (descriptors.h, kInheritedOutput).

/// Where a case failed; travels as a number.
enum class Stage : std::uint32_t { load = 1, setup = 2, warm_up = 3, region = 4, host = 5 };

/// A case has two measured phases, in this order: the empty loop, and the loop with the statement. Where each region is
/// a call of a function, `lead` comes between them: a call that executes only what warms the function up. It is
/// subtracted from the statement's calls, which execute as much before they continue: what only a call's first
/// executions do is in both.
enum class Phase : std::uint32_t { baseline = 0, statement = 1, lead = 2 };

/// A frame that lies complete in somebody's buffer. Views stay valid as long as that buffer does.
class Message {
 public:
  Message() = default;
  Message(MessageType type, std::uint32_t job, std::string_view payload) : type_(type), job_(job), payload_(payload) {}

  [[nodiscard]] MessageType type() const { return type_; }
  [[nodiscard]] std::uint32_t job() const { return job_; }

  /// The first field with this tag, or nothing.
  [[nodiscard]] std::optional<std::string_view> text(Field field) const { return nth(field, 0); }
  /// The n-th field with this tag, counting from 0, or nothing.
  [[nodiscard]] std::optional<std::string_view> nth(Field field, std::size_t n) const;
  /// A number, or `otherwise` where it is absent or not eight bytes long.
  [[nodiscard]] std::uint64_t number(Field field, std::uint64_t otherwise = 0, std::size_t n = 0) const;
  [[nodiscard]] std::size_t count(Field field) const;

 private:
  MessageType type_{};
  std::uint32_t job_ = 0;
  std::string_view payload_;
};

enum class ParseState { complete, incomplete, bad_magic, bad_version, too_long, bad_field };

struct Parsed {
  ParseState state = ParseState::incomplete;
  Message message;
  std::size_t consumed = 0;        ///< Bytes of the frame when complete.
  std::uint16_t peer_version = 0;  ///< As the header says, when it was read.
};

/// Reads the frame at the start of `bytes`. Checks lengths of all its fields, so that later look-ups need not.
Parsed parse_frame(std::string_view bytes);

/// Builds one frame in a buffer of the caller's.
class Writer {
 public:
  Writer(std::span<char> buffer, MessageType type, std::uint32_t job);
  Writer& text(Field field, std::string_view bytes);
  Writer& number(Field field, std::uint64_t value);

  /// The finished frame; empty when the buffer was too small.
  [[nodiscard]] std::string_view finish();

 private:
  std::span<char> buffer_;
  std::size_t size_ = kHeaderSize;
  bool overflow_ = false;
};

}  // namespace tally::protocol
