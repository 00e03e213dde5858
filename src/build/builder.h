/// Plans and tracks what must be built before cases can run: precompiled preludes, snippets, the artifacts of runtimes.
///
/// A state machine: it hands out processes to run (take_ready) and is notified how they ended (finished). What runs
/// them, where and how many at once is execution's business. Snippets without file-scope code are compiled in batches
/// where the compiler is clang (ten statements: 2.0 s instead of 16); when a batch does not compile, each of its
/// snippets is built alone, so that the guilty one is found and the others are not lost.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "build/cache.h"
#include "build/installation.h"
#include "build/resolve.h"
#include "expansion/case.h"

namespace tally {

/// A toolchain with what this machine offers for it. An absent part was not needed.
struct ResolvedToolchain {
  Toolchain spec;                                   ///< With what was discovered.
  std::map<std::string, std::string> modules = {};  ///< Required Python module → its folder, or its file.
  std::map<std::string, std::string> facts = {};    ///< What was discovered of the subject.
  std::string compiled = {};  ///< The folder of compiled Python sources for those that have none; empty: all have.
  std::string loaded = {};    ///< Another text whenever a file changes that the interpreter loads with the modules.
  std::vector<std::string> loaded_files = {};          ///< These files.
  std::vector<std::string> libraries = {};             ///< Those that Python has loaded, of the subject.
  std::map<std::string, PerLanguage> no_runtime = {};  ///< A runtime → why it has no cases here; empty: it has.
  std::optional<Result<ResolvedCompiler>> compiler = {};
  std::optional<Result<ResolvedInterpreter>> interpreter = {};
  std::string installation = {};                      ///< Of Python, for images of its hosts: JSON; empty: it has none.
  std::shared_ptr<CarriedInstallation> carried = {};  ///< It is not installed here; null: it is.
};

/// Those of the toolchain's own machine where it was carried here, else `here`.
inline FileDigests& digests_of(const ResolvedToolchain& toolchain, FileDigests& here) {
  return toolchain.carried ? toolchain.carried->digests : here;
}

struct BuildOptions {
  std::string snippet_include;       ///< The folder that holds tally/snippet.h.
  std::string artifact_driver;       ///< The script that runs those of artifacts.
  EnvironmentVariables environment;  ///< Complete, for compilers and the interpreter.
  std::size_t batch_size = 12;       ///< 1: every snippet alone.
  bool examined = false;             ///< Statements report what they leave, instead of being measured.
  Milliseconds deadline{300'000};    ///< For one process.
};

struct BuildFailure {
  std::string stage;  ///< "toolchain", "build" or "artifact"
  std::string message;
  std::string log;
};

/// What a case needs, once it is there.
struct BuiltCase {
  std::string library;                        ///< C++: the shared object.
  std::string symbol;                         ///< C++: the function in it.
  std::string folder;                         ///< Where its artifact lies; empty when it has none.
  std::map<std::string, double> making = {};  ///< What its artifact's making came to: "seconds", "graph_breaks".
};

struct BuildTask {
  std::uint32_t id = 0;
  std::string what;  ///< "prelude torch", "12 snippets", …
  ProcessRequest request;
};

class Builder {
 public:
  Builder(Cache cache, BuildOptions options, const std::map<std::string, ResolvedToolchain>& toolchains,
          std::span<const Case> cases);

  /// Processes that may start now; each is handed out once. An error is a cache that cannot be written.
  Result<std::vector<BuildTask>> take_ready();
  Status finished(std::uint32_t id, const ProcessResult& result);

  /// A case has turned out to work on a device: its snippet is to report what one that names a device does. built() has
  /// nothing of it until that is there. False: nothing is to be built for that.
  bool move_to_device(std::size_t index);

  [[nodiscard]] bool done() const { return running_.empty() && waiting_.empty(); }

  /// By index into the cases. Neither: not yet.
  [[nodiscard]] const std::optional<BuiltCase>& built(std::size_t index) const { return entries_[index].built; }
  [[nodiscard]] const std::optional<BuildFailure>& failure(std::size_t index) const { return entries_[index].failure; }

  /// The toolchain's warm-up code, compiled; nothing while it is not there or when it has none or did not compile.
  [[nodiscard]] std::optional<BuiltCase> warm_up(const std::string& toolchain) const;
  /// Why it could not be built; null: nothing has failed.
  [[nodiscard]] const BuildFailure* warm_up_failure(const std::string& toolchain) const;
  /// True when warm_up() will not change any more.
  [[nodiscard]] bool warm_up_settled(const std::string& toolchain) const;

 private:
  enum class Kind { prelude, snippets, artifacts };

  /// One snippet to compile: of a case, or a toolchain's warm-up.
  struct Entry {
    const Case* measured = nullptr;  ///< Null for warm-up code.
    std::string toolchain;
    std::string key;  ///< Known once the prelude is.
    bool snippet_done = false;
    bool artifact_done = false;
    bool on_device = false;  ///< Although its case names none.
    std::string artifact_folder;
    std::optional<BuiltCase> built;
    std::optional<BuildFailure> failure;
  };

  struct Work {
    Kind kind = Kind::prelude;
    std::string toolchain;
    std::vector<std::size_t> entries;
    std::filesystem::path folder;  ///< Scratch.
    bool again = false;            ///< Its first process was killed, or overtaken by a change of a header.
    std::chrono::system_clock::time_point began = {};  ///< By the clock that files have.
  };

  void start_toolchain(const std::string& name);
  void start_artifacts(const std::string& name);
  [[nodiscard]] static std::map<std::string, double> read_making(const std::filesystem::path& folder);
  [[nodiscard]] static std::string artifact_key(const ResolvedToolchain& toolchain, const Artifact& artifact);
  void prelude_known(const std::string& name, const std::string& id);
  Result<BuildTask> prepare(std::uint32_t id, Work& work);
  Result<BuildTask> prepare_prelude(std::uint32_t id, Work& work);
  Result<BuildTask> prepare_snippets(std::uint32_t id, Work& work);
  Result<BuildTask> prepare_artifacts(std::uint32_t id, Work& work);
  Status finish_prelude(const Work& work, const ProcessResult& result);
  Status finish_snippets(const Work& work, const ProcessResult& result);
  Status finish_artifacts(const Work& work, const ProcessResult& result);
  void fail_entry(Entry& entry, BuildFailure failure);
  void settle(Entry& entry);
  [[nodiscard]] std::vector<std::string> compile_argv(const ResolvedToolchain& toolchain) const;
  [[nodiscard]] std::string prelude_key(const ResolvedToolchain& toolchain) const;
  [[nodiscard]] std::string key_of(const Entry& entry) const;
  [[nodiscard]] std::string source_of(const Entry& entry, std::string_view symbol, bool with_lines) const;
  ProcessRequest request(std::vector<std::string> argv, const std::filesystem::path& folder) const;

  Cache cache_;
  BuildOptions options_;
  std::map<std::string, ResolvedToolchain> toolchains_;
  std::vector<Entry> entries_;  ///< The cases in order, then the warm-ups.
  std::map<std::string, std::size_t> warm_ups_;
  std::map<std::string, std::string> prelude_keys_;
  std::map<std::string, std::string> prelude_ids_;
  std::uint32_t last_id_ = 0;
  std::vector<Work> waiting_;
  std::map<std::uint32_t, Work> running_;
};

}  // namespace tally
