/// The commits that a history follows, and which of them were measured. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tally {

/// A commit as a person knows it.
struct CommitName {
  std::string id;
  std::string author;
  std::string title;
};

/// From the first commit to the tip, by first parents; never by dates.
struct CommitLine {
  std::vector<CommitName> commits;    ///< Oldest first.
  std::vector<std::size_t> measured;  ///< For each run, oldest first, its commit's place in `commits`.

  [[nodiscard]] const CommitName& of_run(std::size_t run) const { return commits[measured[run]]; }

  /// The commits that a change between two runs may be of: those after `since`'s, up to and with `run`'s.
  [[nodiscard]] std::span<const CommitName> candidates(std::size_t since, std::size_t run) const {
    return std::span(commits).subspan(measured[since] + 1, measured[run] - measured[since]);
  }
};

}  // namespace tally
