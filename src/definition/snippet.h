/// Source text of the user's, and where it stands, so that a compiler's and an interpreter's complaints can point
/// there.
#pragma once

#include <string>
#include <vector>

namespace tally {

/// A place in a suite file. Lines and columns count from 1; 0 means unknown (text built by us or given on the command
/// line).
struct SourcePosition {
  std::string file = {};
  int line = 0;
  int column = 0;
};

/// "file:line:column", leaving out what is unknown.
std::string describe(const SourcePosition& position);

/// Dedented text. `at` is the place of the text's first line; later lines follow it one by one in the same file.
struct Snippet {
  std::string text = {};
  SourcePosition at = {};
  int indent = 0;  ///< Columns of the file that dedenting removed from every line after the first.
};

/// Without leading blank lines, trailing blanks, carriage returns and the margin that all lines share; the place moves
/// with the text. Doing it twice changes nothing.
Snippet dedent(Snippet snippet);

/// The place of a byte of the snippet's text; unknown stays unknown.
SourcePosition position_of(const Snippet& snippet, std::size_t offset);

/// Text made of several snippets in order (a named setup, then generated lines, …), each with its own place.
struct Code {
  std::vector<Snippet> parts;

  [[nodiscard]] bool empty() const;
  /// The parts joined by newlines.
  [[nodiscard]] std::string text() const;
};

}  // namespace tally
