/// The texts that `tally init` writes. Pure.
#pragma once

#include <string>
#include <vector>

namespace tally::cli {

enum class Starter { suite, cmake, python, command };

struct StarterFile {
  std::string name;  ///< Below the project's folder.
  std::string text;
};

std::vector<StarterFile> starter_files(Starter kind);

}  // namespace tally::cli
