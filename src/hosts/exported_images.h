/// Writes images of hosts for another machine: `tally cache export`. The format is in carried_images.h.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "hosts/host_images.h"
#include "hosts/packed_images.h"

namespace tally {

/// What an image brings along.
enum class Brings {
  nothing,    ///< It wants the files that it names.
  libraries,  ///< Its libraries, and what was found out about them: images of Python's hosts alone.
};

/// Writes images to `to`: those of hosts whose name matches, the one that was used last first. Where there is none,
/// nothing is written. An error (io, interrupted): neither.
Result<std::vector<CarriedImage>> export_images(const HostImages& images, const std::string& filter,
                                                const std::filesystem::path& to, const IsStopped& is_stopped = {},
                                                Brings brings = Brings::nothing);

}  // namespace tally
