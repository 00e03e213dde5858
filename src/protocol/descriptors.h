/// The descriptors of a host and of its case children, by number: the runner hands them over, and host/ expects them.
#pragma once

namespace tally::protocol {

// What a host is started with.
inline constexpr int kControlSocket = 3;
inline constexpr int kHostProgram = 4;    ///< C++, under Valgrind: its own file, which the loader opens.
inline constexpr int kHostExtension = 4;  ///< Python: the extension module.
inline constexpr int kHostScript = 5;     ///< Python: tally_host.py.
inline constexpr int kLateEnvironment =
    6;  ///< Of a program in Python: NAME=VALUE, each ended by a null, set before it is collected.

inline constexpr int kHostCompiled = 8;   ///< Python: the folder of what is compiled where sources are not, if any.
inline constexpr int kHostStart = 9;      ///< Python: tally_start.py.
inline constexpr int kHostFunctions = 7;  ///< Python, where calls are observed: the extension that does it.

// Of a program in Python, besides; kHostScript is then tally_program.py.
inline constexpr int kHostCommon = 10;        ///< tally_host.py, of which it takes what all Python hosts do.
inline constexpr int kProgramFramework = 11;  ///< What knows the framework: tally_pytest.py.
inline constexpr int kProgramText = 12;       ///< What is to be collected, as tally_program.py reads it.

inline constexpr int kInheritedOutput = 4;  ///< Of commands: tally's own standard output.

inline constexpr int kProgramPreload = 5;  ///< A program that is made to serve: what is put before its libraries.

/// The handshake of a benchmark program, a variable of its environment: by the first value it becomes the host of its
/// own benchmarks, by the second it lists them on a descriptor that its own output does not reach, and ends. Its
/// arguments are the user's alone: a main() may look at them before it calls anything of ours.
inline constexpr const char* kAskVariable = "TALLY_ASKS_PROGRAM";
inline constexpr const char* kAskToServe = "serve";
inline constexpr const char* kAskToList = "list";
inline constexpr int kBenchmarkList = 3;
/// The list's first line. Then a line for each benchmark: its name and, each after a tab, its arguments with all of
/// their values, "n=64,1000" ("args=8/1,64/2" where several go together), and "@threads=1,4" where it runs in more than
/// one.
inline constexpr const char* kBenchmarkListStart = "tallymark benchmarks 1";

/// C++: the folders of preloaded libraries, which are opened through these.
inline constexpr int kFirstPreloadFolder = 200;
inline constexpr int kPreloadFolders = 50;

/// In a case child. Fixed, so that no case sees another count of open files than its neighbour; high, because code that
/// becomes a daemon, or forks one, closes what is low (os.closerange(3, 256)) without asking whose it is. Where so high
/// a number is not allowed, it is a low one.
inline constexpr int kCaseSocket = 1000;
inline constexpr int kCaseOutput = 1001;   ///< Of commands: kInheritedOutput, if so high a number is allowed.
inline constexpr int kLeastPrivate = 256;  ///< All others of a case child's own are not below this.

}  // namespace tally::protocol
