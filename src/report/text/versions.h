/// What was measured, and with what: the commit and the versions of compiler, interpreter and libraries, as a record's
/// environments name them. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comparison/comparison.h"
#include "record/record.h"

namespace tally {

enum class VersionKind {
  main,     ///< Of the few that say what was measured: compiler, Python, required libraries, glibc, Valgrind.
  package,  ///< Another installed package that was loaded.
  file,     ///< A file of the subject, by the first figures of its digest.
};

/// One of a record, or of both sides of a comparison: "Python", "3.11.2", "3.12.1".
struct VersionPair {
  std::string name;
  std::string before;
  std::string after;  ///< Empty: this side does not have it. Several environments: "3.11.2 and 3.12.1".
  VersionKind kind = VersionKind::main;
  friend bool operator==(const VersionPair&, const VersionPair&) = default;
};

/// In the order in which a reader asks: compiler, Python, libraries by name, glibc, Valgrind; then packages and files.
/// Of one record both sides are the same.
std::vector<VersionPair> versions_of(const Record& base, const Record& next);

/// "Debian clang version 19.1.7, Python 3.11.2 → 3.12.1, torch 2.6.0, glibc 2.36": what is main, and packages that
/// differ, 12 of them by name; those of one side are counted only. Empty where neither side says anything.
std::string versions_line(const std::vector<VersionPair>& versions);

/// "mill 1234567890 and changes that are not committed"; "no known commit".
std::string source_text(const std::optional<Source>& source);

}  // namespace tally
