#include "execution/command.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>

namespace tally::testing {

namespace fs = std::filesystem;

Command Command::start(std::vector<std::string> argv, const std::string& folder, const std::string& mark,
                       bool terminal) {
  std::vector<std::string> variables = {"PATH=/usr/bin:/bin", "HOME=" + folder, "TERM=xterm", mark,
                                        // Runs of other tests, and of the developer, are not waited for.
                                        "TALLY_CPU_LOCKS=" + folder + "/cpu-locks",
                                        "XDG_CACHE_HOME=" TALLY_BUILD_DIR "/tests/execution-cache",
                                        "XDG_RUNTIME_DIR=/none"};  // no server of the developer's is found
  std::vector<char*> arguments;
  std::vector<char*> environment;
  for (std::string& text : argv) arguments.push_back(text.data());
  for (std::string& text : variables) environment.push_back(text.data());
  arguments.push_back(nullptr);
  environment.push_back(nullptr);
  int master = -1;
  const winsize size{.ws_row = 24, .ws_col = 200, .ws_xpixel = 0, .ws_ypixel = 0};
  const pid_t pid = terminal ? forkpty(&master, nullptr, nullptr, &size) : fork();
  if (pid == 0) {
    if (chdir(folder.c_str()) != 0) _exit(126);
    if (!terminal) {
      setpgid(0, 0);
      const int file = open("output", O_WRONLY | O_CREAT | O_TRUNC, 0644);
      dup2(file, 1);
      dup2(file, 2);
    }
    execve(arguments[0], arguments.data(), environment.data());
    _exit(127);
  }
  EXPECT_GT(pid, 0);
  if (master >= 0) fcntl(master, F_SETFL, O_NONBLOCK);
  return {pid, UniqueFd(master)};
}

Command::~Command() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

int Command::wait(Milliseconds within) {
  const Clock::time_point end = Clock::now() + within;
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG) == 0) {
    if (terminal_) (void)shown();  // a full terminal would block it
    if (Clock::now() > end) return -1000;
    std::this_thread::sleep_for(Milliseconds(5));
  }
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void Command::press_control_c() const { EXPECT_EQ(::write(terminal_.get(), "\x03", 1), 1); }

std::string Command::shown() const {
  std::string text;
  char block[4096];
  for (ssize_t n; (n = ::read(terminal_.get(), block, sizeof block)) > 0;)
    text.append(block, static_cast<std::size_t>(n));
  return text;
}

CommandTest::CommandTest()
    : mark_("TALLY_TEST_MARK=" + std::to_string(getpid()) +
            ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
  std::string name = fs::temp_directory_path() / "tally-execution-XXXXXX";
  folder_ = mkdtemp(name.data());
}

CommandTest::~CommandTest() {
  EXPECT_TRUE(all_gone(mark_, kPatience));
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void CommandTest::write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }

std::string CommandTest::read(const std::string& name) const {
  std::ostringstream text;
  text << std::ifstream(path(name)).rdbuf();
  return text.str();
}

Command CommandTest::start(std::vector<std::string> arguments, bool terminal) const {
  std::vector<std::string> argv = {tally_, "run", "suite.toml", "--keep-env", "TALLY_TEST_MARK", "--iterations", "10"};
  for (const auto& [option, value] : {std::pair("--min-run-time", "0.001"), std::pair("--max-run-time", "0.002")}) {
    if (std::ranges::find(arguments, option) == arguments.end()) argv.insert(argv.end(), {option, value});
  }
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return Command::start(std::move(argv), folder_, mark_, terminal);
}

void CommandTest::wait_for_lines(const std::string& name, std::size_t lines) const {
  const Clock::time_point end = Clock::now() + kPatience;
  while (lines_in(name) < lines) {
    ASSERT_LT(Clock::now(), end) << name << " does not grow\n" << read("output");
    std::this_thread::sleep_for(Milliseconds(5));
  }
}

std::size_t CommandTest::lines_in(const std::string& name) const {
  return static_cast<std::size_t>(std::ranges::count(read(name), '\n'));
}

nlohmann::json without_times(nlohmann::json record) {
  for (const char* key : {"started", "finished", "seconds", "command"}) record.erase(key);
  // Which it is depends on what is in the cache, and on how long a start takes.
  for (nlohmann::json& start : record["settings"]["host_start"]) start = "some";
  for (nlohmann::json& one : record["cases"]) {
    one["wall"] = one["wall"].is_null() ? "none" : "some";
    for (nlohmann::json& attempt : one["attempts"]) {
      for (const char* key : {"seconds", "started_s", "cpus"}) attempt.erase(key);
    }
    std::erase_if(one["flags"].get_ref<nlohmann::json::array_t&>(), [](const nlohmann::json& flag) {
      return flag != "counts_vary" && flag != "optimised_away";  // all others are said of times
    });
  }
  return record;
}

int size_from_environment(const char* name, int otherwise) {
  const char* text = getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

}  // namespace tally::testing
