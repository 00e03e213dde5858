/// Digests of files by content, each computed once: libraries of a gigabyte are needed in every run.
///
/// A digest is remembered under the file's device, inode, size and time of change, in one file that processes share:
/// the last save wins, and what is lost by that is computed again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"

namespace tally {

class FileDigests {
 public:
  /// `folder` holds what is remembered; it need not exist.
  explicit FileDigests(std::filesystem::path folder);
  /// Of files that lie on another machine: path → digest, whatever lies at that path here. Others are this machine's.
  /// Nothing is kept.
  explicit FileDigests(std::map<std::string, std::string> elsewhere) : elsewhere_(std::move(elsewhere)) {}

  /// Whether it is a file, or a folder of sources, of another machine.
  [[nodiscard]] bool is_elsewhere(const std::filesystem::path& path) const {
    return elsewhere_.contains(path.string());
  }

  /// Of a file's bytes, links followed; "unreadable" where it cannot be read.
  std::string of(const std::filesystem::path& path);

  /// One digest for the Python sources under a folder, names and contents; of a file, its own. Which file has which
  /// digest is kept under it, for sources_of().
  std::string of_sources(const std::filesystem::path& place);
  /// Relative path → digest, of what of_sources() answered here with `digest`; empty where that is not known.
  [[nodiscard]] std::map<std::string, std::string> sources_of(const std::string& digest) const;

  /// Keeps what is new. Nothing is lost without, but time.
  Status save();

 private:
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::int64_t>;

  std::filesystem::path folder_;  ///< Empty: nothing is kept.
  std::map<std::string, std::string> elsewhere_;
  std::map<Key, std::string> known_;
  bool changed_ = false;
};

}  // namespace tally
