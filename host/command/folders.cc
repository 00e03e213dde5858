#include "folders.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "files.h"

namespace tally::host {

using protocol::Field;

namespace {

/// Another one was set by the user.
bool is_temporary(const std::string& folder) {
  const char* const value = ::getenv("TMPDIR");
  return value != nullptr && value == folder;
}

std::string reason() { return std::strerror(errno); }  // NOLINT(concurrency-mt-unsafe): there is one thread

}  // namespace

CommandFolders::CommandFolders(const protocol::Message& request)
    : home_(request.text(Field::command_folder).value_or("")),
      folder_(home_),
      temporary_(request.text(Field::folder).value_or("")),
      lasting_(temporary_ + "-setup") {
  for (std::size_t i = 0; i < request.count(Field::copied_file); ++i) {
    const std::string_view pair = *request.nth(Field::copied_file, i);
    const std::size_t end = pair.find('\0');
    copied_.push_back({.to = std::string(pair.substr(0, end)), .from = std::string(pair.substr(end + 1))});
  }
}

std::optional<FolderProblem> CommandFolders::make() {
  renewed_ = temporary_;
  if (!copied_.empty()) {
    folder_ = path_in(temporary_, "files");
    renewed_ = path_in(temporary_, "tmp");
    if (!make_folders(folder_) || !make_folders(renewed_))
      return FolderProblem{"cannot create its folder: " + reason(), folder_};
  }
  ::setenv("TMPDIR", renewed_.c_str(), 1);
  return std::nullopt;
}

std::optional<FolderProblem> CommandFolders::use_lasting() const {
  if (!is_temporary(renewed_)) return std::nullopt;
  if (!make_folders(lasting_)) return FolderProblem{"cannot create its folder: " + reason(), lasting_};
  ::setenv("TMPDIR", lasting_.c_str(), 1);
  return std::nullopt;
}

void CommandFolders::use_renewed() const {
  if (is_temporary(lasting_)) ::setenv("TMPDIR", renewed_.c_str(), 1);
}

std::optional<FolderProblem> CommandFolders::renew() const {
  if (copied_.empty()) {
    empty_folder(temporary_);
    return std::nullopt;
  }
  empty_folder(path_in(temporary_, "tmp"));
  empty_folder(folder_);
  for (const Copied& one : copied_) {
    const std::string to = path_in(folder_, one.to);
    std::string problem = make_folders(to.substr(0, to.rfind('/'))) ? copy_named(one.from, to) : reason();
    if (!problem.empty()) return FolderProblem{"its files cannot be copied", std::move(problem)};
  }
  return std::nullopt;
}

void CommandFolders::empty() const {
  empty_folder(temporary_);
  remove_all(lasting_);
}

std::optional<FolderProblem> go_to(const std::string& folder) {
  if (::chdir(folder.c_str()) != 0) return FolderProblem{"cannot enter its working folder: " + reason(), folder};
  if (::getenv("PWD") != nullptr) ::setenv("PWD", folder.c_str(), 1);
  return std::nullopt;
}

}  // namespace tally::host
