/// Source text of the user's, and where it stands, so that a compiler's and an interpreter's complaints can point
/// there.
#pragma once

#include <string>
#include <vector>

namespace tally {

/// A place in a suite file. Lines and columns count from 1; 0 means unknown (text built by us or given on the command
/// line).
struct SourcePosition {
  std::string file;
  int line = 0;
  int column = 0;
};

/// "file:line:column", leaving out what is unknown.
std::string describe(const SourcePosition& position);

/// Dedented text. `at` is the place of the text's first line; later lines follow it one by one in the same file.
struct Snippet {
  std::string text;
  SourcePosition at;
};

/// Text made of several snippets in order (a named setup, then generated lines, …), each with its own place.
struct Code {
  std::vector<Snippet> parts;

  [[nodiscard]] bool empty() const;
  /// The parts joined by newlines.
  [[nodiscard]] std::string text() const;
};

}  // namespace tally
