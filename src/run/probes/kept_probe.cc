#include "run/probes/kept_probe.h"

#include <filesystem>

#include "base/digest.h"
#include "base/files.h"

namespace tally {

Status ProbeContext::keep_file(std::string_view suffix, std::string_view text) const {
  return write_file(std::filesystem::path(folder) / (digest(measured.id) + std::string(suffix)), text);
}

}  // namespace tally
