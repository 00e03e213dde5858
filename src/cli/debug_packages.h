/// Which Debian package has the names of an object's code, by what dpkg has noted on this machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace tally::cli {

/// The package with the debug symbols of each object: "python3.11-dbg", "libssl3-dbgsym". Empty where dpkg knows
/// nothing of the object. Reads the lists of files of all packages, once for all objects.
std::vector<std::string> debug_packages_of(const std::vector<std::string>& objects,
                                           const std::filesystem::path& dpkg = "/var/lib/dpkg");

/// One sentence on the code of a profile that has no name, the objects that it is in and what would name it; empty
/// where it is less than a hundredth of the event.
std::string nameless_note(const Profile& profile, std::size_t event,
                          const std::filesystem::path& dpkg = "/var/lib/dpkg");

}  // namespace tally::cli
