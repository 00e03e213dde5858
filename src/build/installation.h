/// What was found out about an installation of Python: text that an image of a host keeps, so that another machine, on
/// which it is not installed, knows what the host was made of (hosts/carried_images.h).
#pragma once

#include <memory>
#include <string>

#include "build/file_digests.h"
#include "build/resolve.h"
#include "json/value.h"

namespace tally {

struct Installation {
  std::string question;             ///< Digest of what a toolchain asks of it: the same toolchain asks the same.
  ResolvedInterpreter interpreter;  ///< Its identity and start are none here: they are of files' times.
  json::Value discovery = {};       ///< The interpreter's answer, as discovery has it; null: nothing was asked.
  std::string glibc;                ///< The version of the C library that its processes had.
};

json::Value to_json(const Installation& installation);
/// An error (input): it is none.
Result<Installation> installation_from(const json::Value& value);

/// An installation that is not here: images bring its libraries along.
struct CarriedInstallation {
  Installation found;
  FileDigests digests;  ///< Of its files, as they were there.
};

}  // namespace tally
