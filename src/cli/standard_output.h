/// Standard output of a program that others read: a failed write is always an error.
///
/// While this object lives, std::cout writes through it. The first failure is kept; what comes after it is dropped.
#pragma once

#include <array>
#include <iosfwd>
#include <streambuf>

namespace tally::cli {

/// Gives 0, 1 and 2, where one of them is closed, to a descriptor that can be neither read nor written: the next file
/// that is opened would have the number, and get what is printed. Writes to closed pipes and beyond a file's limit
/// become errors. To be called before anything is opened.
void prepare_standard_streams();

class StandardOutput final : public std::streambuf {
 public:
  explicit StandardOutput(int descriptor);
  StandardOutput(const StandardOutput&) = delete;
  StandardOutput& operator=(const StandardOutput&) = delete;
  ~StandardOutput() override;

  /// The exit code of a command that would end with `code`: writes what is left, and says on `err` what could not be
  /// written, which makes a fine end a failed one. Quietly where the reader has closed a pipe, as `head` does: 141,
  /// which is what a shell says of a process that SIGPIPE ended.
  int finish(int code, std::ostream& err);

 protected:
  int_type overflow(int_type letter) override;
  /// On a terminal, whole lines are written at once.
  std::streamsize xsputn(const char* text, std::streamsize length) override;
  int sync() override;

 private:
  int descriptor_;
  bool is_terminal_;
  int error_ = 0;  ///< The number of the first failure.
  std::array<char, 65536> buffer_;
  std::streambuf* before_;
};

}  // namespace tally::cli
