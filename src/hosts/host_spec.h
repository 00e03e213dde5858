/// The specification of a host: its program and arguments, its environment, and the files that it gets.
///
/// Two plans share a host only if their specifications are the same. Reads nothing but the names in the
/// working folder; opens files only when a request is made of a specification.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "build/builder.h"
#include "expansion/case.h"
#include "hosts/host_images.h"
#include "measurement/settings.h"
#include "process/process.h"

namespace tally {

struct ProbeHost;

/// Which host a case of a plan needs.
struct HostKind {
  std::string toolchain;
  Language language = Language::cpp;
  bool counted = false;  ///< Under Valgrind.
  unsigned hash_seed = 0;
  std::uint64_t environment_padding = 0;
  std::string runtime = {};          ///< Whose warm-up comes after the toolchain's; empty: no runtime's.
  const ProbeHost* probe = nullptr;  ///< What it has for a probe; null: nothing.
  bool on_device = false;            ///< It finds the drivers of devices, and touches none of them before it forks.
  bool anew = false;                 ///< Another process than that of the kind that differs in this alone.

  auto operator<=>(const HostKind&) const = default;
};

/// "Python host of torch under Valgrind"
std::string describe(const HostKind& kind);

/// What hosts get of the machine and of the user.
struct HostSurroundings {
  EnvironmentVariables environment;               ///< Where instructions are counted; complete.
  EnvironmentVariables timed_environment;         ///< Where time is taken.
  EnvironmentVariables command_environment = {};  ///< Of whole commands.
  std::map<std::string, std::string> device_environment =
      {};                                       ///< Besides, for hosts of cases on a device: which devices there are.
  std::string working_folder;                   ///< Also of cases that have no model.
  std::string libexec;                          ///< Where the hosts' programs are.
  std::string valgrind;                         ///< Its program; empty where nothing is counted, or none is installed.
  std::vector<std::string> counter_start = {};  ///< What that is put behind: a Valgrind, or what starts it without one.
  std::string counter = {};               ///< Its tool that counts, where no calls are wanted; empty: Callgrind does.
  std::string function_symbols = {};      ///< Where it finds symbols of libraries that have none; empty: nowhere.
  std::optional<HostImages> images = {};  ///< Where hosts' images are kept; nothing: each host is started.
  std::string here = {};  ///< Where a process listens whose forks are the hosts that count Python; empty: none does.
};

/// Whether its host is a fork of a program that was there before (`tally exec`): the next one is a fork of another
/// state.
bool is_fork_of_program(const HostKind& kind, const HostSurroundings& around);

struct HostSpec {
  struct File {
    std::string path;
    int target = -1;  ///< The descriptor under which the host finds it open.
  };

  std::string name;
  std::string family;  ///< The name without how it measures: hosts of one import the same.
  std::vector<std::string> argv;
  std::size_t dump_argument = 0;  ///< Where in argv the folder of dumps belongs, when counted.
  EnvironmentVariables environment;
  /// What is sent to it once it has been started or made of its image, which does not know them; nothing: it has no
  /// room.
  std::optional<EnvironmentVariables> late_variables = {};
  std::optional<std::string> late_environment = {};  ///< A program in Python: what is set before it is collected.
  std::optional<std::string> program = {};           ///< A program in Python: what it is to collect.
  std::string working_folder;
  std::vector<File> files;
  std::string made_of;                          ///< Python: digest of the interpreter and of all files that it loads.
  std::string made_of_text = {};                ///< What of that is in no file.
  std::vector<std::string> made_of_files = {};  ///< And its files.
  std::string installation = {};                ///< Of Python, for its image (build/installation.h).
  bool is_carried = false;            ///< Python is not installed here: it is made of an image, or not at all.
  std::size_t counter_arguments = 0;  ///< What starts the counter, at the beginning of argv.
  bool counted = false;
  bool is_users_program = false;          ///< In C++ or Python: tally's part of it is what it serves by.
  bool inherits_output = false;           ///< Tally's own standard output is passed to it.
  std::string folder_variable;            ///< Of its environment: it names the folder of its dumps; empty: none does.
  bool single_use = false;                ///< A fresh host for every session.
  bool anew = false;                      ///< No other specification's host will do.
  std::optional<HostImages> images = {};  ///< It may be made of an image, and leaves one; nothing: it is started.
  std::string restorer = {};              ///< Then: the program that makes it of one.
};

struct HostKey {
  std::string digest;
  std::string image;    ///< Of the image that it may be made of: hosts that differ in late variables have one.
  std::string lineage;  ///< Of all but the files that it was made of: two with one lineage are older and newer.
  auto operator<=>(const HostKey&) const = default;
};

/// `toolchain` must have what the kind's language needs. An error: a part of tally cannot be read.
Result<HostSpec> host_spec(const HostKind& kind, const ResolvedToolchain& toolchain,
                           const std::optional<BuiltCase>& warm_up, const HostSurroundings& around,
                           const Settings& settings);

HostKey key_of(const HostSpec& spec);

/// For the image of such a host, as its files are now.
ImageOrigin origin_of(const HostSpec& spec);

/// The option that has Valgrind run a tool of ours. It looks for tools in a folder of its own, from where this leads to
/// the root; so whatever starts Valgrind (Debian's is a script that sets variables) starts the tool like any other.
std::string valgrind_tool(const std::string& path);

/// What our counter is started with, whatever it counts.
std::vector<std::string> counter_flags(const std::string& counter);

/// For what wants instructions of each function and nothing else: no simulation, no contexts.
Settings of_instructions_alone(Settings settings);

/// Callgrind's. Every flag is stated, for defaults have changed between versions.
std::vector<std::string> valgrind_flags(const Settings& settings);

/// For the temporary files of a program in Python (0) or of one of its cases: in its host's folder, which goes with it,
/// and of one length, whatever the number.
std::string make_temporary_folder(const std::string& dumps, std::uint32_t number);

/// The request without its CPUs. `control` becomes the host's control socket; `dumps` is the folder of Callgrind's
/// output. Where `new_image` names a file, the host leaves its image there if it took long to start.
Result<ProcessRequest> host_request(const HostSpec& spec, const std::string& dumps, UniqueFd control,
                                    const std::string& new_image = {});

/// The first message to such a host.
std::string late_variables_frame(const EnvironmentVariables& variables);

/// The same for a host that is made of an image. `folders`: those in which its cases may not look for anything, because
/// what was there was not brought along.
ProcessRequest restore_request(const HostSpec& spec, const std::string& dumps, UniqueFd control, UniqueFd image,
                               const std::vector<std::string>& folders = {});

}  // namespace tally
