#include "definition/program.h"

#include <fmt/format.h>

#include <filesystem>

namespace tally {

std::string name_of(const Program& program) {
  if (!program.name.empty()) return program.name;
  return program.framework.empty() ? std::filesystem::path(program.path).filename().string() : program.framework;
}

std::string toolchain_of(const Program& program) {
  std::string name = "program-";
  for (const char c : name_of(program)) {
    const bool fits =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    name += fits ? std::string(1, c) : fmt::format("_{:02X}", static_cast<unsigned char>(c));
  }
  return name;
}

}  // namespace tally
