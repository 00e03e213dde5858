/// The facts of a host's image besides its memory: its host and its machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "json/value.h"

namespace tally {

/// By which the same host is known again, here or on another machine.
struct ImageOrigin {
  std::string host;                ///< "Python host of torch under Valgrind"
  std::string content;             ///< Digest of its specification, in which nothing is of a file's times.
  std::vector<std::string> files;  ///< What it was made of besides; the same host has the same bytes in them.
  std::string state;               ///< state_of_all() of these, before it was started.
  // For one that brings its libraries along.
  std::string own_content = {};          ///< Digest of its specification, whatever starts the counter.
  std::string own_folder = {};           ///< Where tally's own of it lies, which it does not bring along.
  std::string installation = {};         ///< Of Python (build/installation.h); empty: it cannot bring it along.
  std::vector<std::string> mapped = {};  ///< The programs and libraries that the host had in memory.
  // Of one that has done so.
  std::map<std::string, std::string> libraries = {};  ///< Path → digest: the store has them. Empty: it brings none.
  std::vector<std::string> folders = {};              ///< Where they lay, and its modules; a case may not look there.
};

/// What of a machine a process may keep, and the counter does not answer for it. Everything else of a machine, such as
/// its name, its kernel's version and how many processors it has, moves no count.
struct ImageMachine {
  std::string processor;  ///< Capabilities that Valgrind looks at: its own code and the guest's processor follow.
  std::string kernel;     ///< "6.1"
  std::string user;       ///< Of the effective user and group, their numbers.
  std::string limits;     ///< Of memory and of addresses, as getrlimit(2) has them.

  static ImageMachine here();
};

/// Why an image of that machine cannot be used on this one, in words; empty: it can.
std::string why_unfit(const ImageMachine& image, const ImageMachine& here);

struct ImageAbout {
  ImageOrigin origin;
  ImageMachine machine;
  std::string digest;       ///< Of the image's bytes.
  std::uint64_t bytes = 0;  ///< Its length.
};

json::Object to_json(const ImageAbout& about);
/// An error (input): something is missing, or is none of this.
Result<ImageAbout> image_about(const json::Value& object);

/// The line with which a file begins that holds an image. An error (input): it has none, or is too long.
Result<std::string> first_line(int fd, const std::filesystem::path& path);

}  // namespace tally
