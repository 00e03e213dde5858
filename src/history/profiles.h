/// Profiles in a history, each kept under the digest of its content for as long as it explains a change. Pure.
///
/// profiles/AB/CDEF….json, beside it CDEF….python.json where there is one. A case whose code did not change has the
/// same profile at every commit, and so one file. What explains nothing goes again: kept are those on both sides of a
/// change, and those of the last run, which the next change is explained from.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "history/course.h"
#include "history/files.h"

namespace tally {

/// As they are kept beside a record.
struct ProfileTexts {
  std::string native;
  std::optional<std::string> python;  ///< Of Python functions.
};

/// Of a case of the given record; nothing where none was kept.
using ProfileReader = std::function<std::optional<ProfileTexts>(const CaseRecord&)>;

/// "profiles/AB/CDEF…", without an ending.
std::string profile_stem(const ProfileTexts& texts);

/// The files of a profile that is kept under a stem.
std::vector<NewHistoryFile> profile_files(const std::string& stem, ProfileTexts texts);

/// What a run's file calls a profile: its path from there; and the stem that such a path means, empty where it means
/// none.
std::string profile_path(const std::string& run_file, const std::string& stem);
std::string stem_of_path(const std::string& path);

/// The stem of a file under "profiles".
std::string stem_of_file(const std::string& file);

/// Cases and runs, by their places, whose profiles explain something: both sides of each change, and the last run that
/// counted the case.
std::set<std::pair<std::size_t, std::size_t>> edges_of(const History& history, const Course& course);

}  // namespace tally
