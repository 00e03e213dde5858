/// Where a trace's bytes come from: a file, a pipe, a gzip stream of either.
///
/// Owns: reading in fixed-size blocks, inflating, and reading ahead on a second thread. Never holds more than a few
/// blocks. Nothing here knows what the bytes mean.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "base/unique_fd.h"

namespace tally::trace {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills some of `room`; 0 at the end.
  virtual Result<std::size_t> read(std::span<char> room) = 0;
  /// Why the bytes ended before their time (a cut or corrupt gzip stream); empty when they did not.
  [[nodiscard]] virtual std::string fault() const { return {}; }
  /// Whether a thread of its own is at work here.
  [[nodiscard]] virtual bool reads_ahead() const { return false; }
};

/// Opens `path` ("-" is standard input) and looks at its first bytes: gzip is recognised by what it is, not by its
/// name. With `read_ahead`, inflating happens on a thread of its own; reading alone is too little work for one.
Result<std::unique_ptr<ByteSource>> open_source(const std::string& path, bool read_ahead);

/// The same for bytes in memory, which must outlive the source. For tests.
std::unique_ptr<ByteSource> memory_source(std::span<const char> bytes, std::size_t block = 65536);

/// A stream that inflates to more than this many times its size, beyond the first 256 MB, is taken for a bomb and ends
/// there with a fault. Real traces repeated a hundred times inflate 30-fold.
inline constexpr std::size_t kMostInflation = 400;

}  // namespace tally::trace
