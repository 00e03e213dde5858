/// Texts and their small numbers: kernel names, devices, streams, threads.
///
/// Owns: one copy of each text. Bounded: beyond `most` texts or `most_bytes` bytes every new text gets the number of
/// `kOverflow`, and how often that happened is counted, so that a hostile trace cannot fill the memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tally::trace {

class TextTable {
 public:
  TextTable(std::uint32_t most, std::size_t most_bytes) : most_(most), most_bytes_(most_bytes) {}

  static constexpr std::uint32_t kOverflow = 0xFFFF'FFFF;

  /// The number of `text`, from 0 in order of first appearance; `kOverflow` when there is no room for a new one.
  std::uint32_t number(std::string_view text);

  [[nodiscard]] const std::string& text(std::uint32_t number) const { return texts_[number]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(texts_.size()); }
  [[nodiscard]] std::uint64_t overflowed() const { return overflowed_; }

 private:
  std::uint32_t find_or_add(std::string_view text);
  void grow();

  std::uint32_t most_;
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::uint64_t overflowed_ = 0;
  std::vector<std::string> texts_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_;  ///< Open addressing; number + 1, 0 is free.
  std::vector<std::uint32_t> recent_ =
      std::vector<std::uint32_t>(512, kOverflow);  ///< Numbers of texts that were looked up: most were a moment ago.
};

}  // namespace tally::trace
