/// What a probe's hosts (session/probe.h) have that counting hosts do not. Plain data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hosts/host_spec.h"

namespace tally {

/// What the hosts of a probe have that those which count cases do not.
struct ProbeHost {
  std::string_view description;  ///< "with source lines": follows what the host is of.
  /// Valgrind's flags, where it runs under Valgrind; null: those that cases are counted with.
  std::vector<std::string> (*valgrind_flags)(const Settings& settings) = nullptr;
  /// An option of the counter's, where that counts a whole command; null: none.
  const char* command_option = nullptr;
  /// Adds files, variables and arguments to a specification that has all else. Null: nothing.
  void (*add)(HostSpec& spec, const HostSurroundings& around) = nullptr;
  /// The variable of its environment that names the folder where an observer in it leaves its files
  /// (Probe::file_ending).
  std::string_view folder_variable = {};
  bool may_be_image = false;  ///< Such a host may be made of an image, and leave one: nothing in it is of one run.
};

}  // namespace tally
