/// How a package is installed, for hints: the command of a distribution, or of conda. Packages have Debian's names
/// here: valgrind, git, clang-19, python3-numpy.
#pragma once

#include <string>
#include <string_view>

namespace tally {

/// That of the distribution whose /etc/os-release has this text, or of conda. Of one that is not known: Debian's.
std::string install_command(std::string_view package, std::string_view os_release, bool in_conda);

/// That of this machine, or of the conda environment that this process is in ($CONDA_PREFIX).
std::string install_command(std::string_view package);

}  // namespace tally
