#include "process/thread_names.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

namespace tally {

std::vector<std::string> thread_names(int pid) {
  std::map<long, std::string> names;
  std::error_code code;
  for (const auto& thread : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), code)) {
    const long number = std::strtol(thread.path().filename().c_str(), nullptr, 10);
    std::ifstream file(thread.path() / "comm");
    if (std::string name; number != pid && std::getline(file, name)) names[number] = name;
  }
  std::vector<std::string> ordered;
  ordered.reserve(names.size());
  for (auto& [number, name] : names) ordered.push_back(std::move(name));
  return ordered;
}

}  // namespace tally
