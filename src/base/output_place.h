/// Checks the place that an output is written to, before anything is written.
///
/// A file is replaced: a new one beside it takes its name, so that a reader sees the old text or the new one. Anything
/// else has another owner: a device, a named pipe, a descriptor that a shell has opened for us (`>(command)` is
/// /dev/fd/63) is written into, and links are followed to what they name.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "base/error.h"

namespace tally {

struct OutputPlace {
  enum class Kind {
    nothing,     ///< A new file; its folder may be missing.
    file,        ///< A file that is there.
    stream,      ///< A device, a pipe, another process's descriptor: opened, and written into.
    descriptor,  ///< One of this process.
  };
  Kind kind = Kind::nothing;
  std::filesystem::path path;  ///< With links followed, of `nothing` and `file`; as it was given of the others.
  int descriptor = -1;
  mode_t mode = 0;  ///< Permissions of `file`.
  uid_t owner = 0;
  gid_t group = 0;

  /// A text there stays: what is kept beside it can be found again, and is no other's.
  [[nodiscard]] bool is_file() const { return kind == Kind::nothing || kind == Kind::file; }
};

/// An error (input): a folder stands there. (io): it cannot be reached, or must not be written.
Result<OutputPlace> find_output_place(const std::filesystem::path& path);

/// Whether a text can be written there, as far as that can be known before: makes its folder, and writes nothing.
Status check_output(const std::filesystem::path& path);

/// The folder and those above it, where they are missing.
Status make_folder(const std::filesystem::path& folder);

}  // namespace tally
