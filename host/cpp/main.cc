/// The C++ host: opens the toolchain's libraries once, then loads one snippet in each case child.
///
///   tally-host-cpp [--mapped] [--preload LIBRARY]... [--warm-up SNIPPET SYMBOL]
///
/// Natively it serves wall times; under Valgrind (with --instr-atstart=no) it serves counts. Its
/// descriptors are protocol/descriptors.h's. With --mapped it serves nobody: it prints what it has in memory then.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "callgrind.h"
#include "entropy.h"
#include "fork_server.h"
#include "fresh_heap.h"
#include "late_variables.h"
#include "pinned_stack.h"
#include "protocol/descriptors.h"
#include "regions.h"
#include "rehearsal.h"
#include "shared_page.h"
#include "tally/snippet.h"

namespace tally::host {
namespace {

using protocol::Field;
using protocol::Message;
using protocol::Phase;
using protocol::Stage;

using Entry = void (*)(tally_regions* baseline, tally_regions* statement);

char g_snippet[4096];
char g_symbol[512];
char g_load_error[2048];

/// Opens g_snippet. What the loader allocates depends on the length of names and on neighbours in a batch, and must not
/// move the heap that the case will see: fill_malloc() comes after it. (A thread with an arena of its own would do as
/// well, but a process that ever had a second thread counts otherwise than one that had none.)
Entry load_snippet() {
  Entry entry = nullptr;
  g_load_error[0] = 0;
  void* library = ::dlopen(g_snippet, RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) entry = reinterpret_cast<Entry>(::dlsym(library, g_symbol));
  if (entry == nullptr) {
    const char* reason = ::dlerror();
    std::snprintf(g_load_error, sizeof g_load_error, "%s", reason == nullptr ? "unknown" : reason);
  }
  return entry;
}

/// One phase as the snippet sees it; the first next() of a phase begins it.
struct SnippetPhase {
  tally_regions regions{};  // first: the snippet hands back a pointer to it
  Regions* engine = nullptr;
  Phase phase = Phase::baseline;
  bool begun = false;
};

unsigned long long next_of(tally_regions* regions) {
  auto* self = reinterpret_cast<SnippetPhase*>(regions);
  if (!self->begun) {
    self->begun = true;
    RegionHooks hooks;
    hooks.context = regions;
    if (regions->before_region != nullptr) {
      hooks.before_region = [](void* context) { static_cast<tally_regions*>(context)->before_region(); };
    }
    if (regions->sync != nullptr) hooks.sync = [](void* context) { static_cast<tally_regions*>(context)->sync(); };
    if (regions->device != nullptr) {
      hooks.device = [](void* context) { return static_cast<tally_regions*>(context)->device(); };
    }
    if (regions->observe != nullptr) {
      hooks.observe = [](void* context, int what) { return static_cast<tally_regions*>(context)->observe(what); };
    }
    self->engine->set_hooks(hooks);
    self->engine->begin(self->phase);
  }
  return self->engine->next();
}

void fail_of(tally_regions* regions, const char* message, const char* detail) {
  auto* self = reinterpret_cast<SnippetPhase*>(regions);
  self->engine->fail(self->engine->stage(), message, detail == nullptr ? "" : detail);
}

void result_of(tally_regions* regions, const char* text, const char* refusal) {
  reinterpret_cast<SnippetPhase*>(regions)->engine->report_result(text, refusal);
}

struct CaseRun {
  Entry entry;
  SnippetPhase baseline;
  SnippetPhase statement;
};

void enter_snippet(void* argument) {
  auto* run = static_cast<CaseRun*>(argument);
  run->entry(&run->baseline.regions, &run->statement.regions);
}

void copy_name(char* to, std::size_t size, std::string_view from) {
  std::snprintf(to, size, "%.*s", static_cast<int>(from.size()), from.data());
}

void run_case(void* /*context*/, Channel channel, const Message& request) {
  Regions engine(channel, request.job(), request.number(Field::warm_up));
  copy_name(g_snippet, sizeof g_snippet, request.text(Field::snippet).value_or(""));
  copy_name(g_symbol, sizeof g_symbol, request.text(Field::symbol).value_or(""));
  enter_stage(Stage::load);
  CaseRun run{load_snippet(),
              {{next_of, fail_of, nullptr, nullptr, result_of, nullptr, nullptr}, &engine, Phase::baseline},
              {{next_of, fail_of, nullptr, nullptr, result_of, nullptr, nullptr}, &engine, Phase::statement}};
  if (run.entry == nullptr) {
    engine.fail(Stage::load, "cannot load the compiled snippet", g_load_error);
    return;
  }
  fill_malloc();
  if (const auto padding = request.number(Field::heap_padding); padding > 0) {
    std::memset(std::malloc(padding), 1, padding);  // kept on purpose: it moves whatever setup allocates
  }
  if (callgrind::running()) align_mappings();
  enter_stage(Stage::setup);
  call_on_pinned_stack(enter_snippet, &run, request.number(Field::stack_padding));
  if (!engine.failed() && !(run.statement.begun && engine.ended_properly())) {
    engine.fail(engine.stage(), "the snippet returned before its statement was measured",
                "a return in the setup, or a statement that leaves the measured loop");
  }
}

/// Runs one snippet as a case is run.
bool rehearse_snippet(const char* snippet, const char* symbol, bool counted) {
  static char buffer[16 * 1024];
  protocol::Writer request(buffer, protocol::MessageType::run_case, 0);
  request.text(Field::snippet, snippet).text(Field::symbol, symbol).number(Field::warm_up, 1);
  return rehearse(run_case, nullptr, request, counted);
}

/// A file that is loaded already is not loaded again, and what loading goes through would be left to each case: 700
/// blocks of the loader's. A copy is another file. It is not run.
void load_copy_of(const char* snippet) {
  const int from = ::open(snippet, O_RDONLY | O_CLOEXEC);
  const int copy = ::memfd_create("warm-up", MFD_CLOEXEC);
  struct stat about{};
  if (from >= 0 && copy >= 0 && ::fstat(from, &about) == 0 && ::sendfile(copy, from, nullptr, about.st_size) > 0) {
    std::snprintf(g_snippet, sizeof g_snippet, "/proc/self/fd/%d", copy);
    load_snippet();
  }
  ::close(copy);
  ::close(from);
}

bool rehearse_all(int argc, char** argv, bool counted) {
  for (int i = 1; i + 2 < argc; ++i) {
    if (std::strcmp(argv[i], "--warm-up") != 0) continue;
    if (counted) load_copy_of(argv[i + 1]);
    if (!rehearse_snippet(argv[i + 1], argv[i + 2], counted)) return false;
  }
  return true;
}

/// /proc/self/maps on standard output.
int print_mapped() {
  const int maps = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  static char block[4096];
  ssize_t n = 0;
  while ((n = ::read(maps, block, sizeof block)) > 0) {
    if (::write(STDOUT_FILENO, block, static_cast<std::size_t>(n)) != n) return 3;
  }
  return n == 0 ? 0 : 3;
}

/// The descriptor under which a folder stays open: the same one for the same folder, and of three figures always.
int open_folder(const char* folder) {
  static struct stat known[protocol::kPreloadFolders];
  static int count = 0;
  struct stat wanted{};
  if (::stat(folder, &wanted) != 0) return -1;
  for (int i = 0; i < count; ++i) {
    if (known[i].st_dev == wanted.st_dev && known[i].st_ino == wanted.st_ino) return protocol::kFirstPreloadFolder + i;
  }
  if (count == protocol::kPreloadFolders) return -1;
  const int fd = ::open(folder, O_PATH | O_DIRECTORY);
  const int kept = ::dup2(fd, protocol::kFirstPreloadFolder + count);
  ::close(fd);
  if (kept >= 0) known[count++] = wanted;
  return kept;
}

/// Opens a library for all. The loader keeps its name, and those of what lies beside it, in the heap before any
/// constructor has run: by a path through its folder's descriptor they are equally long wherever it is installed. (A
/// TorchScript model read 0.36 % more with libtorch in a folder with a longer name.)
bool preload(const char* library) {
  static char name[4096];
  const char* const slash = std::strrchr(library, '/');
  std::snprintf(name, sizeof name, "%s", library);
  if (slash != nullptr) {
    static char folder[4096];
    std::snprintf(folder, sizeof folder, "%.*s", static_cast<int>(slash - library) + 1, library);
    const int fd = open_folder(folder);
    if (fd >= 0) std::snprintf(name, sizeof name, "/proc/self/fd/%d%s", fd, slash);
  }
  return ::dlopen(name, RTLD_NOW | RTLD_GLOBAL) != nullptr;
}

int main_of_host(int argc, char** argv) {
  entropy::prepare();
  settle_loader();
  ask_c_library();
  reserve_late_variables(nullptr);
  if (callgrind::running()) leave_memory_below(floor_of_stage(StartStage::surroundings));
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--preload") != 0) continue;
    if (!preload(argv[++i])) {
      std::fprintf(stderr, "cannot preload: %s\n", ::dlerror());
      return 3;
    }
  }
  if (argc > 1 && std::strcmp(argv[1], "--mapped") == 0) return print_mapped();
  if (!rehearse_all(argc, argv, false)) return 3;
  if (callgrind::running()) {
    // Again, for the translations that case children inherit. What a library sets up on first use ran before, without
    // counting, which is several times faster.
    callgrind::start_instrumentation();
    if (!rehearse_all(argc, argv, true)) return 3;
  }
  forget_user();
  // Libraries keep words of their surroundings, such as this program's path, in holes that a case would fall into.
  if (callgrind::running()) {
    leave_memory_below(floor_of_stage(StartStage::imports));
  } else {
    fill_malloc();
  }
  return serve({"cpp", __VERSION__}, run_case, nullptr);
}

}  // namespace
}  // namespace tally::host

int main(int argc, char** argv) { return tally::host::main_of_host(argc, argv); }
