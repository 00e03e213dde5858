/// One client's stream: documents in, documents out, one to a line, and what is too long for a line beside it as a
/// file.
///
/// Owns the descriptors, what has come of a line so far, and what the client has not read yet. Never waits, and never
/// looks into a document.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/unique_fd.h"

namespace tally::serve {

class Channel {
 public:
  /// How much a client may pass as a file. Who trusts the other side takes what comes.
  static constexpr std::uint64_t kLongestPassed = std::uint64_t{256} << 20;
  static constexpr std::uint64_t kAnyLength = UINT64_MAX;
  /// What may wait for a client that does not read, files included; one document more may be.
  static constexpr std::uint64_t kMostUnsent = std::uint64_t{512} << 20;

  /// A connected Unix stream socket.
  explicit Channel(UniqueFd socket, std::uint64_t longest_passed = kLongestPassed,
                   std::uint64_t most_unsent = kMostUnsent);
  /// Two descriptors that stay the caller's, such as standard input and output: lines of any length, no files.
  Channel(int in, int out);

  [[nodiscard]] bool is_socket() const { return static_cast<bool>(socket_); }
  [[nodiscard]] int in() const { return in_; }
  [[nodiscard]] int out() const { return out_; }

  /// Documents that have come, in order; an error stands for one that cannot be taken, and those after it can.
  std::vector<Result<std::string>> receive();
  /// The client says nothing more. It may still listen.
  [[nodiscard]] bool ended() const { return ended_; }

  /// Sends as much as the client takes now, and keeps the rest for flush().
  void send(std::string document);
  void flush();
  [[nodiscard]] bool has_unsent() const { return !unsent_.empty(); }
  /// The client takes nothing more, or has taken nothing for too long.
  [[nodiscard]] bool broken() const { return broken_; }

 private:
  struct Unsent {
    std::string bytes;
    std::size_t sent = 0;
    UniqueFd file;  ///< Goes with the first byte.
    std::uint64_t file_bytes = 0;
  };

  [[nodiscard]] std::size_t longest_line() const;
  std::ptrdiff_t read_some(std::string_view& bytes);
  std::ptrdiff_t write_some(const Unsent& next) const;
  void take(std::string_view bytes, std::vector<Result<std::string>>& documents);
  Result<std::string> document_of(std::string line);
  Result<std::string> passed_document(std::uint64_t bytes);

  void queue(Unsent next);

  UniqueFd socket_;
  std::uint64_t longest_passed_ = kLongestPassed;
  std::uint64_t most_unsent_ = kMostUnsent;
  int in_;
  int out_;
  std::string line_;            ///< What has come of it.
  bool skips_line_ = false;     ///< It was too long.
  std::deque<UniqueFd> files_;  ///< That have come, and belong to lines to come.
  std::deque<Unsent> unsent_;
  std::uint64_t unsent_bytes_ = 0;  ///< With those of files.
  std::uint64_t unread_files_ = 0;  ///< Bytes of those that the socket holds.
  bool ended_ = false;
  bool breaks_when_sent_ = false;  ///< What it waits for can never be sent.
  bool broken_ = false;
};

}  // namespace tally::serve
