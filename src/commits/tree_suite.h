/// Today's suite or program in another work tree of its repository: old commits are measured with it.
///
/// The text is today's, also of the suites that it includes, and each is read once: what is measured first and last is
/// asked the same. Its relative paths (include folders, programs, libraries) are resolved as if it lay at the same
/// place in the work tree; a suite from outside the repository as if it lay at the work tree's top. What names a file
/// of the repository absolutely would be today's at every commit, and is refused.
#pragma once

#include <map>
#include <string>

#include "base/error.h"
#include "definition/read_suite.h"

namespace tally {

class TreeSuite {
 public:
  /// One of the two is named, as from `working_folder`. `top` is the repository's work tree. Errors (input): the suite
  /// cannot be read, the program lies outside of the repository.
  static Result<TreeSuite> of_suite(const std::string& top, const std::string& working_folder,
                                    const std::string& suite);
  static Result<TreeSuite> of_program(const std::string& top, const std::string& working_folder,
                                      const std::string& program);

  /// As a record of `tally run` names it: relative to the top, or the name of a file from outside.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool is_program() const { return is_program_; }
  /// Of the suite itself.
  [[nodiscard]] std::string text() const;

  /// As from `tree`. `list` asks programs there.
  Result<Suite> in(const std::string& tree, const ProgramLister& list);

 private:
  TreeSuite(std::string top, std::string folder, std::string name, bool is_program)
      : top_(std::move(top)), folder_(std::move(folder)), name_(std::move(name)), is_program_(is_program) {}
  Result<std::string> todays(const std::string& path);

  std::string top_;
  std::string folder_;  ///< What stands for the tree's top today.
  std::string name_;
  bool is_program_ = false;
  std::map<std::string, std::string> texts_;  ///< By path, today's.
};

}  // namespace tally
