/// The readings of the cases at each commit, from runs that may be compared with each other. Pure.
///
/// A case's counts are those of one environment and one definition: of what was measured in this process, else of the
/// run that was begun last. Others are as if they were not there; so are runs with other iterations or simulations.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "record/record.h"

namespace tally {

/// A case of a run.
struct Reading {
  const Record* run = nullptr;
  const CaseRecord* of = nullptr;  ///< Null: it was requested, and the commit has no such case.
  std::string_view path;           ///< Of the record that profiles lie beside; empty: there are none.

  /// One that is below zero is none (is_below_zero()).
  [[nodiscard]] bool has_count() const;
};

class Readings {
 public:
  explicit Readings(Settings settings) : settings_(std::move(settings)) {}

  /// Of a store, whenever it was measured.
  void add_stored(Record record, std::string path = {});
  /// Measured just now; `asked` are the cases that were wanted. An error (input): in another environment than another
  /// one that was measured just now, so that their counts say nothing of each other.
  Status add_fresh(Record record, std::string path, const std::vector<std::string>& asked);

  /// Null where nothing is known of the case at that commit.
  [[nodiscard]] const Reading* at(const std::string& commit, const std::string& id) const;

 private:
  /// What a case's counts must share.
  struct Ground {
    std::string environment;
    std::string definition;
    std::string started;
    const Record* fresh = nullptr;  ///< The run that was measured just now; null: a stored one.
    [[nodiscard]] bool fits(const Ground& other) const {
      return environment == other.environment && definition == other.definition;
    }
  };
  static Ground ground_of(const Record& run, const CaseRecord& one);
  [[nodiscard]] bool has_our_settings(const Record& run) const;
  void index(const Record& run, const std::string& path);

  Settings settings_;
  std::deque<Record> runs_;
  std::deque<std::string> paths_;
  std::map<std::string, Ground, std::less<>> grounds_;                            ///< By case.
  std::map<std::pair<std::string, std::string>, std::vector<Reading>> readings_;  ///< By commit and case.
};

}  // namespace tally
