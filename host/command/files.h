/// Files and folders that the host of commands makes and takes away.
#pragma once

#include <string>
#include <vector>

namespace tally::host {

std::string path_in(const std::string& folder, const std::string& name);
/// But "." and "..".
std::vector<std::string> names_in(const std::string& folder);

void empty_folder(const std::string& folder);
void remove_all(const std::string& path);

/// A file, a link (as a link) or a folder with all that is in it, with modes and times of change. What is in a folder
/// that is there already stays. Empty: done; else why not, with the path.
std::string copy_all(const std::string& from, const std::string& to);

/// What somebody has named: a link is followed. A folder that the copy would lie in is refused.
std::string copy_named(const std::string& from, const std::string& to);

/// With all folders above; false: errno says why not.
bool make_folders(const std::string& path);

}  // namespace tally::host
