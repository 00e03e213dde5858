/// Removes a folder with all that is in it, and nothing else: links are removed, never followed.
///
/// Somebody else may be removing the same folder: what is gone already is no error. No exceptions, for
/// tally-supervisor.
#pragma once

namespace tally::supervisor {

/// True when it is gone.
bool remove_folder(const char* path);

}  // namespace tally::supervisor
