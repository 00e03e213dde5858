/// Writes "begin", then N MiB (argument, default 1024) of lines, then "end" to standard error.
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

static bool say(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(2, text.data(), text.size());
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

int main(int argc, char** argv) {
  const long mebibytes = argc > 1 ? std::atol(argv[1]) : 1024;
  std::string block;
  while (block.size() < 1024 * 1024) block += std::string(63, 'x') + '\n';
  if (!say("begin\n")) return 1;
  for (long i = 0; i < mebibytes; ++i) {
    if (!say(block)) return 1;
  }
  return say("end\n") ? 0 : 1;
}
