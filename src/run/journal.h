/// The results of a run as they come in, so that a run which dies loses nothing: a file of JSON lines.
///
/// Line 1: {"tally_journal":2,"run":{NAME:TEXT,…}}: what a run that continues it must share
/// others: {"crc32":"89abcdef","case":PAYLOAD}, the checksum being that of the payload's bytes
///
/// PAYLOAD is one-line JSON of the caller's, never looked into. A line is the kernel's when append()
/// returns: nothing that kills us can lose it. It is on the disk, which only matters when the machine itself dies,
/// kSyncInterval later at the latest (a sync took 0.1 to 4 ms, as much as everything else of a short case). One process
/// writes at a time (flock). A line that was cut off at the end is what a crash leaves, and is dropped; anything broken
/// before it is an error with its line number, for somebody to look at.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/unique_fd.h"
#include "measurement/wall.h"
#include "run/journal_text.h"

namespace tally {

Result<Journal> read_journal(const std::string& path);

struct ResumedJournal;

class JournalWriter {
 public:
  static constexpr std::chrono::milliseconds kSyncInterval{50};

  /// A new file, with its folder when that is missing. An error (input) when there is one already: it may hold results.
  static Result<JournalWriter> create(const std::string& path, const JournalHeader& header);

  /// Continues an existing one: cuts off a torn end. An error (input) when its header is another, naming what
  /// differs; (missing) when there is none, and then no case was ever finished.
  static Result<ResumedJournal> resume(const std::string& path, const JournalHeader& header);

  /// Adds a line, and says where. After an error (a full disk) the file ends with the last whole line
  /// as before, and another append() may work.
  Result<StoredSamples> append(std::string_view payload);

  /// A payload that was appended by this object.
  [[nodiscard]] Result<std::string> read_back(StoredSamples place) const;

  /// Waits until all lines are on the disk.
  Status sync();
  /// The same, unless it was done less than kSyncInterval ago; returns when to call it again. The next append() or
  /// sync() has its error.
  std::optional<std::chrono::steady_clock::time_point> sync_if_due(std::chrono::steady_clock::time_point now);

 private:
  JournalWriter(UniqueFd file, std::string path, std::uint64_t bytes)
      : file_(std::move(file)), path_(std::move(path)), whole_bytes_(bytes) {}
  static Result<JournalWriter> locked(UniqueFd file, const std::string& path);
  Status write_line(const std::string& line);
  [[nodiscard]] Error refusal(int code, bool intact) const;

  UniqueFd file_;
  std::string path_;
  std::uint64_t whole_bytes_ = 0;
  bool unsynced_ = false;
  int refused_ = 0;  ///< The error number of a sync that failed.
  std::chrono::steady_clock::time_point synced_{};
};

struct ResumedJournal {
  JournalWriter writer;
  std::vector<std::string> payloads;
};

}  // namespace tally
