#include "cli/context.h"

#include <fmt/chrono.h>
#include <fmt/ostream.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "build/resolve.h"
#include "hosts/environment.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX asks programs to declare it

namespace tally::cli {

namespace fs = std::filesystem;

namespace {

int terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

}  // namespace

Result<Context> read_context(int argc, char** argv) {
  Context context;
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
  context.environment = parse_environment(entries);
  std::error_code code;
  context.working_folder = fs::current_path(code).string();
  context.command.assign(argv, argv + argc);
  context.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  context.err_is_terminal = ::isatty(STDERR_FILENO) == 1;
  context.width = context.out_is_terminal ? terminal_width() : 100;
  context.now = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
  const fs::path own = fs::read_symlink("/proc/self/exe", code);
  for (const fs::path& folder :
       {own.parent_path() / "libexec/tallymark", own.parent_path().parent_path() / "libexec/tallymark"}) {
    if (fs::exists(folder / "tally-supervisor", code)) {
      context.libexec = folder.string();
      return context;
    }
  }
  return fail(ErrorKind::missing, "tally's own parts are not beside it",
              (own.parent_path() / "libexec/tallymark").string(),
              "run it from where it was built or installed (make build)");
}

bool use_color(const Context& context, const std::string& when, bool is_terminal) {
  if (when == "always") return true;
  return when == "auto" && is_terminal && value_of(context.environment, "NO_COLOR").empty();
}

int report_error(const Error& error, std::ostream& err) {
  fmt::print(err, "tally: error: {}\n", describe(error));
  if (error.kind == ErrorKind::interrupted) return kInterrupted;
  return error.kind == ErrorKind::input ? kUsage : kFailed;
}

}  // namespace tally::cli
