/// Finds the commit that is measured: one question to git, before anything is measured.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "git/repository.h"
#include "process/process.h"
#include "record/record.h"

namespace tally {

struct SourceRequest {
  std::string measured;     ///< The suite or the program, as an absolute path; empty: neither.
  std::string folder = {};  ///< Whose repository is meant; empty: that of `measured`.
  std::string commit = {};  ///< Instead of HEAD: a name in the repository, or a full id where there is none.
};

struct FoundSource {
  std::optional<Source> source;
  std::optional<std::string> suite;  ///< `measured` within the repository, else its file name.
  std::string why_unknown;           ///< Where there is a repository that git cannot read.
};

/// A commit whose files nobody has changed.
Source source_of(const Repository& repository, const Commit& commit);

/// An error: the folder lies in no repository, the commit is none, or git was interrupted.
Result<FoundSource> find_source(ProcessRunner& runner, const EnvironmentVariables& environment,
                                const SourceRequest& request);

}  // namespace tally
