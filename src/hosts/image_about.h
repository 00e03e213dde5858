/// The facts of a host's image besides its memory: its host and its machine.
#pragma once

#include <cstdint>
#include <filesystem>
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
