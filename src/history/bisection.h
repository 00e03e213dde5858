/// Chooses the commit of a line to measure next, and finds the commits that have changed a case's count, as far as that
/// is known. Pure.
///
/// A line is commits 0 to n, each a parent of the next. Between two commits at which a case's counts differ there is at
/// least one that changed it; the largest change that is not yet one commit's is split in its middle, for all cases
/// that want to know there. What cannot be built, or gives a case no count, is passed over: the middle is then that of
/// the longest stretch which may still be measured, and after `most_unmeasurable` failures between two counts nothing
/// more is tried between these.
///
/// Where a change falls apart into steps that are each below the threshold, those of half a threshold are followed, and
/// the sum is reported as a drift. Changes that cancel each other between two measured commits are not seen.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace tally {

/// How a case's count went from one commit to a later one.
struct CountDistance {
  double relative = 0;    ///< after / before − 1.
  double thresholds = 0;  ///< (after − before) / what a real change must exceed; 0 also where they say nothing of each
                          ///< other.
};

struct BisectionOptions {
  std::size_t most_unmeasurable = 8;
};

/// What has changed a case's count.
struct BisectionFinding {
  std::size_t which = 0;                                          ///< The case.
  std::size_t since = 0;                                          ///< The last commit known to be without the change …
  std::size_t at = 0;                                             ///< … and the first known to have it.
  bool is_drift = false;                                          ///< The sum of steps, none of which is real alone.
  std::vector<std::pair<std::size_t, std::size_t>> contributors;  ///< Of a drift: since and at of each step.
};

class Bisection {
 public:
  /// Asked of commits at which the case has a count.
  using Distance = std::function<CountDistance(std::size_t which, std::size_t before, std::size_t after)>;

  /// Commits 0 to `last`.
  Bisection(std::size_t last, std::size_t cases, Distance distance, BisectionOptions options = {});

  void set_count(std::size_t which, std::size_t commit);
  /// It was measured there, and there is none.
  void set_no_count(std::size_t which, std::size_t commit);
  void set_unbuildable(std::size_t commit);

  struct Next {
    std::size_t commit = 0;
    std::vector<std::size_t> cases;  ///< That want it, rising.
  };
  /// Both ends first, then the middles; nothing when all that can be known is.
  [[nodiscard]] std::optional<Next> next() const;

  /// Commits that may have to be measured, if each case changed in each of them; and how many of them if all that is
  /// left to be explained came with one commit.
  struct Left {
    std::size_t at_most = 0;
    std::size_t of_one_change = 0;
  };
  [[nodiscard]] Left left() const;

  /// By commit (`at`), then by case.
  [[nodiscard]] std::vector<BisectionFinding> findings() const;

  /// It has counts at both ends: else there is nothing to compare.
  [[nodiscard]] bool is_comparable(std::size_t which) const;
  /// Of those strictly between, which could not be built or gave the case no count; the others were not tried.
  [[nodiscard]] std::size_t unmeasurable_between(std::size_t which, std::size_t since, std::size_t at) const;

 private:
  struct Track {
    std::set<std::size_t> counted;
    std::set<std::size_t> countless;
  };
  /// Two neighbouring counts between which something is to be found, and may be.
  struct Gap {
    std::size_t which = 0;
    std::size_t since = 0;
    std::size_t at = 0;
    double size = 0;
  };

  [[nodiscard]] std::vector<Gap> open_gaps() const;
  void add_open_gaps(std::size_t which, std::vector<Gap>& gaps) const;
  [[nodiscard]] bool may_be_measured(std::size_t which, std::size_t commit) const;
  [[nodiscard]] std::optional<std::size_t> middle_of(const Gap& gap) const;
  [[nodiscard]] double thresholds(std::size_t which, std::size_t before, std::size_t after) const;
  void add_findings(std::size_t which, std::vector<BisectionFinding>& findings) const;

  std::size_t last_;
  std::vector<Track> tracks_;
  std::set<std::size_t> unbuildable_;
  Distance distance_;
  BisectionOptions options_;
};

}  // namespace tally
