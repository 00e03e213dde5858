/// The folder that a site is written into: whole files, of this site and of no other.
///
/// What the page loads is called by its content, so a file that is there is the one that is meant; and the page itself
/// comes after all that it loads. Killed anywhere, the folder holds the site of before or the new one, each whole. What
/// no page loads any more goes last. Of two writers the second one waits.
#pragma once

#include <filesystem>
#include <vector>

#include "base/error.h"
#include "report/history/site.h"

namespace tally::cli {

/// Makes the folder. Errors (input): it holds something and is no site of ours; files whose names begin with a dot
/// (.git, .nojekyll) are left alone. io: it cannot be written.
Status write_site_folder(const std::filesystem::path& folder, const std::vector<SiteFile>& files);

}  // namespace tally::cli
