#include "process/install_command.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "base/files.h"
#include "base/text.h"

namespace tally {
namespace {

struct Installer {
  const char* distribution;  ///< As ID or ID_LIKE of os-release(5) has it; conda is none.
  const char* command;
  const char* compiler;       ///< What clang-19 is called.
  const char* python_module;  ///< Before the name of a module.
};

constexpr Installer kConda = {"conda", "conda install -c conda-forge", "clangxx", ""};
constexpr std::array<Installer, 4> kInstallers = {{{"debian", "apt-get install", "clang-19", "python3-"},
                                                   {"fedora", "dnf install", "clang", "python3-"},
                                                   {"rhel", "dnf install", "clang", "python3-"},
                                                   {"arch", "pacman -S", "clang", "python-"}}};

/// The words of a key, as the file quotes them or not.
std::string value_in(std::string_view os_release, std::string_view key) {
  for (const std::string_view line : split(os_release, '\n')) {
    if (!line.starts_with(key) || !line.substr(key.size()).starts_with('=')) continue;
    const std::string_view value = line.substr(key.size() + 1);
    return std::string(value.starts_with('"') && value.ends_with('"') ? value.substr(1, value.size() - 2) : value);
  }
  return {};
}

const Installer& installer_of(std::string_view os_release) {
  const std::string names = value_in(os_release, "ID") + " " + value_in(os_release, "ID_LIKE");
  for (const std::string_view name : split(names, ' ')) {
    for (const Installer& one : kInstallers) {
      if (name == one.distribution) return one;
    }
  }
  return kInstallers.front();
}

}  // namespace

std::string install_command(std::string_view package, std::string_view os_release, bool in_conda) {
  constexpr std::string_view kModule = "python3-";
  const Installer& installer = in_conda ? kConda : installer_of(os_release);
  std::string name(package);
  if (package.starts_with(kModule)) name = installer.python_module + name.substr(kModule.size());
  if (package == "clang-19") name = installer.compiler;
  return fmt::format("{} {}", installer.command, name);
}

std::string install_command(std::string_view package) {
  const char* const conda = std::getenv("CONDA_PREFIX");
  return install_command(package, read_file("/etc/os-release").value_or(""), conda != nullptr && *conda != 0);
}

}  // namespace tally
