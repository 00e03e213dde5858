/// Records and profiles by path, for the commands that read them. Every error names the path.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include "base/error.h"
#include "comparison/comparison.h"
#include "profile/allocation_sites.h"
#include "profile/store.h"
#include "record/record.h"

namespace tally {

/// Also one that zstd has compressed.
Result<Record> load_record(const std::string& path);

/// The id that `wanted` means: itself, else the only one that contains or (as a glob) matches it, as it is written or
/// as a reader sees it (base/readable_id.h). An unknown or ambiguous name lists what is near.
Result<std::string> choose_id(std::span<const std::string> ids, const std::string& wanted, const std::string& where);
/// The case that it means.
Result<const CaseRecord*> choose_case(const Record& record, const std::string& wanted, const std::string& path);

/// The profile of a case, found beside the record at `path`.
Result<StoredProfile> load_profile(const CaseRecord& record, const std::string& path);

/// "FILE" (a Callgrind file or a stored profile) or "RECORD#CASE".
Result<StoredProfile> load_profile(const std::string& file_or_case);

/// Where the profile that a case of the record at `path` names is. A record may be anybody's: it names no file but
/// those that lie with it, else this is an error (input).
Result<std::filesystem::path> profile_file(const std::string& id, const std::string& profile, const std::string& path);

/// The Python functions of a case, from beside its profile; and of "RECORD#CASE".
Result<StoredProfile> load_python_profile(const CaseRecord& record, const std::string& path);
Result<StoredProfile> load_python_profile(const std::string& record_and_case);

/// Where a case allocates, from beside its profile; and of "RECORD#CASE".
Result<AllocationSites> load_allocation_sites(const CaseRecord& record, const std::string& path);
Result<AllocationSites> load_allocation_sites(const std::string& record_and_case);

/// For compare(): quiet when no profile was kept. One that was kept and cannot be read is reported on `err`, once.
ProfileLoader profile_loader(const Record& base, std::string base_path, std::string next_path,
                             std::ostream* err = nullptr);

/// How records are compared here: with the names of files that were digested on this machine.
CompareOptions compare_options(bool denoise = false);

/// The same where nothing is taken for noise.
CompareOptions exact_compare_options();

/// What --denoise does in every command that compares.
inline constexpr const char* kDenoiseHelp =
    "Judge by counts without known interpreter noise (Python; see tally profile --list-rules)";

/// To a file, or to `out` for "-".
Status write_output(const std::string& path, const std::string& text, std::ostream& out);

/// Whether what is measured for hours can be written there then. Nothing is asked of "" and "-".
Status check_outputs(std::initializer_list<std::string> paths);

/// Whether something can be kept beside an output, as profiles and a journal are: it is a file.
bool is_beside_file(const std::string& path);

/// Paths, empty where a text is not wanted, and texts.
using NamedTexts = std::span<const std::pair<const std::string&, std::string>>;

/// Each text to its path, until one fails.
Status write_outputs(NamedTexts files, std::ostream& out);

}  // namespace tally
