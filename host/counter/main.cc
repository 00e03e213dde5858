/// A tool of Valgrind's that counts executed instructions, and nothing else: what Callgrind counts as Ir, to the
/// instruction, several times as fast, because it follows no calls.
///
/// It takes Callgrind's place under a host that needs no call graph: its command line has what Callgrind's has of the
/// core, and --callgrind-out-file; its client requests are Callgrind's, and so is it that nothing is counted before
/// START_INSTRUMENTATION, as with --instr-atstart=no. Two of them do a little more or less: ZERO_STATS zeroes what all
/// threads have counted, and what is dumped by DUMP_STATS_AT, which says why, has the total alone.
///
/// With an option it counts a whole command and all processes that come of it (command.h).
///
/// What a guest asks the system to draw by lot, the counter answers (entropy.h): the same in each run. To a
/// host that asks learns what else its case gets from the system (case_watch.h).
///
/// Linked with Valgrind's core, which is under the GNU General Public License, version 2 or later. With ours, which is
/// under Apache-2.0, the program is under version 3.
#include "allocation_trace.h"
#include "call_graph.h"
#include "call_sites.h"
#include "calls.h"
#include "case_watch.h"
#include "closed_folders.h"
#include "command.h"
#include "data_files.h"
#include "drivers.h"
#include "dump.h"
#include "entropy.h"
#include "folder_lists.h"
#include "image.h"
#include "instrument.h"
#include "machine_facts.h"
#include "mappings.h"
#include "names.h"
#include "protocol/allocation_trace.h"
#include "protocol/collected.h"
#include "protocol/command_tree.h"
#include "protocol/followed_calls.h"
#include "read_files.h"
#include "start_clock.h"
#include "stretches.h"
#include "threads.h"
#include "translations.h"
#include "valgrind.h"

namespace tally::counter {

namespace {

const HChar* g_dump_name = "callgrind.out.%p";
protocol::Followed g_followed = protocol::Followed::nothing;  // As soon as instructions are counted.

protocol::Followed followed() {
  using protocol::Followed;
  if (notes_call_sites()) return Followed::instructions;
  return !follows_calls() ? Followed::nothing : separates_python() ? Followed::python_calls : Followed::calls;
}

/// In what is translated from here on. A process follows one thing, to its end.
void follow(protocol::Followed wanted) {
  if (followed() != protocol::Followed::nothing) return;
  switch (wanted) {
    case protocol::Followed::calls:
      return follow_calls(false);
    case protocol::Followed::python_calls:
      return follow_calls(true);
    case protocol::Followed::instructions:
      keep_instructions();
      return note_call_sites();
    default:
      return;  // Nothing, or what a later version follows.
  }
}

Bool handle_request(ThreadId thread, UWord* request, UWord* result) {
  if (request[0] == host::kBeginStage) list_whole_folders();
  if (handle_entropy_request(request, result) || handle_watch_request(thread, request, result) ||
      handle_trace_request(request, result) || handle_image_request(thread, request, result, g_dump_name))
    return True;
  if (request[0] == host::kReadCollected) {
    *result = collected();
    return True;
  }
  if (request[0] == host::kReadCollecting) {
    *result = is_instrumenting() && is_collecting(thread) ? 1 : 2;
    return True;
  }
  if (request[0] == host::kFollow) {
    const protocol::Followed before = followed();
    follow(static_cast<protocol::Followed>(request[1]));
    if (followed() != before) discard_all_translations();
    *result = static_cast<UWord>(followed());
    return True;
  }
  if (request[0] == host::kNameDumps) {
    g_dump_name =
        VG_(strdup)("tally.name", reinterpret_cast<const HChar*>(request[1]));  // NOLINT(performance-no-int-to-ptr)
    *result = 1;
    return True;
  }
  if (request[0] == host::kReadDumpName) {
    HChar* const name = VG_(expand_file_name)("--callgrind-out-file", g_dump_name);
    const SizeT size = VG_(strlen)(name) + 1;
    const bool fits = size <= request[2];
    if (fits) VG_(memcpy)(reinterpret_cast<void*>(request[1]), name, size);  // NOLINT(performance-no-int-to-ptr)
    leave_out_files_of(name);
    *result = fits ? 1 : 0;
    return True;
  }
  if (request[0] == host::kEndStart) {
    end_start_clock();
    *result = 1;
    return True;
  }
  if (!VG_IS_TOOL_USERREQ('C', 'T', request[0])) return False;
  *result = 0;
  switch (request[0]) {
    case VG_USERREQ__DUMP_STATS:
    case VG_USERREQ__DUMP_STATS_AT:
      end_if_it_has_looked();
      settle_others(thread);
      dump(g_dump_name, request[0] == VG_USERREQ__DUMP_STATS);
      return True;
    case VG_USERREQ__ZERO_STATS:
      zero();
      return True;
    case VG_USERREQ__START_INSTRUMENTATION:
      end_if_it_has_looked();
      end_trace();
      follow(g_followed);
      start_instrumentation();
      join_mappings_of_libraries();
      return True;
    case VG_USERREQ__TOGGLE_COLLECT:
      toggle_collecting(thread);
      return True;
    case VG_USERREQ__STOP_INSTRUMENTATION:
      stop_instrumentation();
      forget_requests();
      forget_followed_requests();
      return True;
    default:
      return False;
  }
}

void before_syscall(ThreadId thread, UInt number, UWord* arguments, UInt /*count*/) {
  look_for_data_file(number, arguments);
  look_for_new_file(number, arguments);
  note_wait(number, arguments);
  keep_names_of_unmapped(number, arguments);
  note_call_of_command(thread, number, arguments);
  begin_deadline(thread, number, arguments);
  explain_too_many_threads(number, arguments);
}

void after_syscall(ThreadId thread, UInt number, UWord* arguments, UInt /*count*/, SysRes result) {
  end_deadline(thread, result);
  note_timer(number, arguments, result);
  end_of_data_file(number);
  write_over_randomness(number, arguments, result);
  watch_syscall(thread, number, arguments, result);
  keep_read_files(number, arguments, result);
  watch_closed_folders(number, arguments, result);
  hide_drivers(thread, number, arguments, result);
  answer_for_machine(number, arguments, result);
  answer_for_clock(thread, number, arguments, result);
  hide_library_files(thread, number, arguments, result);
  sort_folder_lists(thread, number, arguments, result);
  answer_command(thread, number, arguments, result);
}

Bool take_option(const HChar* argument) {
  if (take_drivers_option(argument) || take_image_option(argument) || take_read_files_option(argument) ||
      take_trace_option(argument) || take_command_option(argument) || take_folder_lists_option(argument) ||
      take_clock_option(argument))
    return True;
  if (VG_(strcmp)(argument, protocol::command::kInstructionsOption) == 0) {
    keep_instructions();
    return True;
  }
  if (VG_(strcmp)(argument, "--follow-calls=yes") == 0) {
    g_followed = protocol::Followed::calls;
    return True;
  }
  if (VG_(strcmp)(argument, "--follow-instructions=yes") == 0) {
    g_followed = protocol::Followed::instructions;
    return True;
  }
  constexpr HChar kDumps[] = "--callgrind-out-file=";
  constexpr SizeT kLength = sizeof kDumps - 1;
  if (VG_(strncmp)(argument, kDumps, kLength) != 0) return False;
  g_dump_name = VG_(strdup)("tally.name", argument + kLength);
  leave_out_dumps(g_dump_name);
  return True;
}

void print_usage() {
  VG_(printf)("    --callgrind-out-file=<f>  dumps go to <f>.1, <f>.2 and so on [callgrind.out.%%p]\n");
  VG_(printf)("    --dump-instr=yes  dumps have the cost of each instruction, and direct calls [no]\n");
  VG_(printf)("    --follow-calls=yes  dumps have who calls whom [no]\n");
  VG_(printf)("    --follow-instructions=yes  dumps have the cost of each instruction, and all of its calls [no]\n");
  VG_(printf)("    --hidden-drivers=<f>[:<f>...]  files that the program does not find [none]\n");
  VG_(printf)("    --allocation-trace=<f>  a file of the program's allocations until counting starts [none]\n");
  VG_(printf)(
      "    --first-modules-alone=yes  list of folders what Python's own start imports, until a host's first stage "
      "[no]\n");
  VG_(printf)("    --time-of-day=fixed  a case reads the same time of day in each run [the system's]\n");
  VG_(printf)("    --host-image=<f>  where a host that took long to start leaves its image [none]\n");
  VG_(printf)("    --host-image-of-program=yes  of a program that reads files and folders of its own [no]\n");
  VG_(printf)(
      "    --command=<f>  count from the start to the end, and each process writes its counts to this folder [none]\n");
  VG_(printf)("    --command-counts=<f>  a file that all processes of a command keep their counters in [none]\n");
  VG_(printf)("    --command-answers=no  of a command: randomness and clocks are the system's [yes]\n");
}

void print_debug_usage() { VG_(printf)("    (none)\n"); }

void on_options() {
  // As Callgrind has it, whatever a .valgrindrc says: blocks end at jumps, so that each is of one function.
  VG_(clo_vex_control).iropt_unroll_thresh = 0;
  VG_(clo_vex_control).guest_chase = False;
  reserve_threads();
  reserve_names();
  if (counts_command()) begin_command();
  fix_start_bytes();
}
void on_exit(Int /*status*/) { end_of_command(); }

void on_fork_in_parent(ThreadId thread) {
  entropy_before_fork_ends(thread);
  command_forks();
}

void begin() {
  VG_(details_name)("tally-counter");
  VG_(details_version)(nullptr);
  VG_(details_description)("a counter of instructions");
  VG_(details_copyright_author)("Tallymark, with Valgrind's core: GNU General Public License, version 3");
  VG_(details_bug_reports_to)("the issues of Tallymark");
  VG_(details_avg_translation_sizeB)(300);

  // As Callgrind has it: of the registers only the stack pointer need be right within a block.
  VG_(clo_vex_control).iropt_register_updates_default = VexRegUpdSpAtMemAccess;
  VG_(clo_px_file_backed) = VexRegUpdSpAtMemAccess;

  VG_(basic_tool_funcs)(on_options, instrument, on_exit);
  VG_(needs_client_requests)(handle_request);
  VG_(needs_syscall_wrapper)(before_syscall, after_syscall);
  VG_(needs_command_line_options)(take_option, print_usage, print_debug_usage);
  VG_(track_start_client_code)([](ThreadId thread, ULong blocks) {
    on_start(thread, blocks);
    follow_thread(thread);
    continue_at_call_site_of(thread);
  });
  VG_(track_pre_thread_ll_create)([](ThreadId parent, ThreadId child) {
    on_create(parent, child);
    follow_new_thread(child);
  });
  VG_(track_pre_deliver_signal)([](ThreadId thread, Int signal, Bool alternate_stack) {
    before_signal(thread, signal, alternate_stack);
    forget_call_site();
  });
  VG_(track_post_deliver_signal)([](ThreadId thread, Int signal) {
    after_signal(thread, signal);
    forget_call_site();
  });
  // Before Valgrind's scheduler, which comes in as it begins.
  VG_(atfork)(nullptr, on_fork_in_parent, [](ThreadId thread) {
    if (is_being_restored()) return;
    forget_unused_threads();
    entropy_in_child(thread);
    forget_asked_drivers();
    on_fork();
    follow_fork(thread);
    command_in_child();
    read_files_in_child();
  });
  reserve_stretches();
}

}  // namespace

}  // namespace tally::counter

extern "C" {
VG_DETERMINE_INTERFACE_VERSION(tally::counter::begin)
}
