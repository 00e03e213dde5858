/// The result of one run, exactly as it is stored: plain data with the units in the names.
///
/// Owns: the shape. Never computes (measurement does) and never reads files (the caller hands text to json.h). The JSON
/// Schema is schema/record-2.schema.json; docs/reference/record.md says what every key means.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "measurement/command_use.h"
#include "measurement/counts.h"
#include "measurement/device_times.h"
#include "measurement/reported.h"
#include "measurement/settings.h"
#include "measurement/wall.h"
#include "plan/shard.h"

namespace tally {

inline constexpr int kRecordSchema = 2;

enum class CaseStatus { ok, failed, timeout, crashed, skipped };
std::string_view to_string(CaseStatus status);

struct Tool {
  std::string name = "tallymark";
  std::string version;
  std::string commit;  ///< May be empty.
  friend bool operator==(const Tool&, const Tool&) = default;
};

/// `tally serve`, where hosts stay warm between runs.
struct ServedBy {
  int pid = 0;
  std::string version;
  friend bool operator==(const ServedBy&, const ServedBy&) = default;
};

/// The commit of what was measured. A run says it of the folder that its program or its suite lies in, or of --source.
struct Source {
  std::string repository;            ///< Where `origin` is, without credentials, or the folder's name; may be empty.
  std::string commit;                ///< Its full id.
  std::optional<std::string> tree;   ///< Of the commit; empty where only its id was given.
  std::vector<std::string> parents;  ///< Their full ids.
  bool dirty = false;                ///< Tracked files differed from the commit.
  friend bool operator==(const Source&, const Source&) = default;
};

struct Machine {
  std::string cpu;  ///< Model name.
  int cpus = 0;     ///< Logical ones that we may run on.
  std::uint64_t memory_bytes = 0;
  std::string kernel;
  std::string system;               ///< "Debian GNU/Linux 12 (bookworm)".
  std::string architecture;         ///< "x86_64".
  std::optional<std::string> name;  ///< What it is called among others; only where a part of a plan was measured.
  friend bool operator==(const Machine&, const Machine&) = default;
};

/// What the names of facts begin with that are digests of files which hosts had in memory.
inline constexpr std::string_view kMappedFact = "mapped.";

/// What the name ends with of one digest for all Python sources of a module: "torch/**.py".
inline constexpr std::string_view kAllSources = "/**.py";

struct Fingerprint {
  std::string environment;
  std::string subject;
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// What the processor is, what it can do, and which variants of memcpy and its like it has glibc choose. Older records
/// have these among the facts.
inline constexpr auto kMachineFacts = std::to_array<std::string_view>({"cpu", "cpu.flags", "glibc.dispatch"});

/// Beside these, of Python: the folder that the interpreter's environment lies in. Functions keep their files' names,
/// so counts of two folders may differ, though nearly all are equal.
inline constexpr std::string_view kPythonFolder = "python.folder";
/// Of a program in Python, the folder that it runs in: likewise, but for two of one length.
inline constexpr std::string_view kProgramFolder = "program.folder";

/// What one toolchain's cases in one language ran in. A comparison names the facts that differ, so give each fact a key
/// of its own: "cpu.offered" (what Valgrind offers of the processor), "glibc", "valgrind", "python", "compiler",
/// "mapped.libfoo.so", …
struct Environment {
  std::map<std::string, std::string> facts;
  std::map<std::string, std::string> subject;  ///< What is being measured: "libfoo.so" → digest of what hosts mapped.
  /// Of the processor, by kMachineFacts: times follow from them, counts do not. And both folders. No fingerprint has
  /// them.
  std::optional<std::map<std::string, std::string>> machine = {};
  Fingerprint fingerprint;
  friend bool operator==(const Environment&, const Environment&) = default;
};

struct Definition {
  std::string stmt;
  std::string setup;
  std::string global_setup;
  std::string digest;
  std::optional<std::string> load = {};  ///< What brought values of another process before the setup.
  friend bool operator==(const Definition&, const Definition&) = default;
};

struct Attempt {
  CaseStatus outcome = CaseStatus::ok;
  double seconds = 0;
  std::optional<double> started_s;  ///< Since the machine booted: a clock that all its runs share.
  std::optional<std::vector<int>>
      cpus;  ///< Logical ones that it was given; no other tally ran anything there meanwhile.
  friend bool operator==(const Attempt&, const Attempt&) = default;
};

struct Failure {
  std::string stage = {};      ///< "build", "artifact", "setup", "count", "time", …
  std::string message = {};    ///< What a reader needs first; may have several lines.
  std::string reproduce = {};  ///< A command line that shows the failure again, or empty.
  friend bool operator==(const Failure&, const Failure&) = default;
};

/// Which case it is: what its definition says, before anything is measured.
struct CaseDescription {
  std::string id;
  std::vector<std::string> label;
  std::string language;               ///< "python", "cpp", "command"
  std::string runtime;                ///< "eager", "explicit", or one that the toolchain names: "torchscript"
  std::string autograd;               ///< "forward", "forward_backward", "explicit"
  std::optional<std::string> device;  ///< That its definition names: "cpu", "cuda"; empty: it names none.
  int threads = 1;
  std::vector<std::pair<std::string, std::string>> params;  ///< In the suite's order.
  std::vector<std::string> tags;
  std::string toolchain;
  Definition definition;
  std::optional<std::string> entropy;  ///< "system" where the case's own definition says so, or "fixed".
  /// Of a command: what its definition gives it of its own, "process_numbers" and "tmp".
  std::optional<std::vector<std::string>> own;
  friend bool operator==(const CaseDescription&, const CaseDescription&) = default;
};

/// How the attempts to measure a case went, and where.
struct CaseAttempts {
  std::size_t machine = 0;  ///< An index into Record::machines: where it was measured.
  /// Its key in Record::environments, where that does not follow from the toolchain: parts of several environments were
  /// merged.
  std::optional<std::string> environment;
  std::vector<Attempt> attempts;
  CaseStatus status = CaseStatus::skipped;
  std::vector<std::string> flags;     ///< Words: "optimised_away", "bimodal", "drifting", "imprecise", "counts_vary", …
  std::vector<std::string> warnings;  ///< Sentences for a reader: what a lint or the runner noticed.
  /// What making the file that its runtime loads came to: "seconds", "graph_breaks".
  std::optional<std::map<std::string, double>> artifact;
  std::optional<Failure> failure;
  friend bool operator==(const CaseAttempts&, const CaseAttempts&) = default;
};

/// What was counted of a case, and what that follows from.
struct CaseCounts {
  std::optional<Counts> counts;
  std::optional<std::vector<ProcessCount>> processes;  ///< Of a command: what its counts are the sum of.
  /// What the counts follow from, by digests, besides its definition: "environment", "settings", …, and files that the
  /// case loads, by their paths. Empty: not known, and then they cannot be reused (record/reuse.h).
  std::optional<std::map<std::string, std::string>> inputs;
  std::optional<std::string> reused;  ///< Counts: the commit (or the moment) of the run that took them, if another did.
  std::optional<std::string> profile;  ///< Path relative to the record.
  friend bool operator==(const CaseCounts&, const CaseCounts&) = default;
};

/// What a case took.
struct CaseTimes {
  std::optional<Wall> wall;
  std::optional<OnDevice> on_device;  ///< Where it worked on one.
  std::optional<ResourceUse> used;    ///< Of a command, or of a benchmark that reports the peak of its memory.
  friend bool operator==(const CaseTimes&, const CaseTimes&) = default;
};

/// What a benchmark program's function reported of itself.
struct CaseReported {
  std::optional<std::map<std::string, double>> counters;  ///< By their names, those per second of the median time.
  std::optional<std::string> note;                        ///< Its label.
  std::optional<Reported> reported;                       ///< Of a benchmark that is neither counted nor timed.
  friend bool operator==(const CaseReported&, const CaseReported&) = default;
};

/// All that a record says of a case. What reads one part takes that part.
struct CaseRecord : CaseDescription, CaseAttempts, CaseCounts, CaseTimes, CaseReported {
  friend bool operator==(const CaseRecord&, const CaseRecord&) = default;
};

inline constexpr const char* kStartOfImage = "image";
inline constexpr const char* kOrdinaryStart = "ordinary";

/// What a run measured by, and what that came to.
struct RecordedSettings : Settings {
  std::vector<std::string> valgrind_flags;  ///< For a reader. Empty where nothing was counted, as the two that follow.
  std::optional<std::string> counted_with;  ///< A tool of Valgrind's: "callgrind" or "tally-counter".
  std::optional<int> counting;              ///< kCountingVersion
  /// How hosts that counted came to be, by environment_name(): kStartOfImage or kOrdinaryStart, where one of them was
  /// started. Counts are the same.
  std::optional<std::map<std::string, std::string>> host_start;
  friend bool operator==(const RecordedSettings&, const RecordedSettings&) = default;
};

/// Of two starts of one environment's hosts: one that was started says more than those that were made of it. Empty:
/// none.
void add_host_start(std::string& known, std::string_view start);
/// To those of a run whose cases are put together with another's.
void add_host_starts(RecordedSettings& settings, const RecordedSettings& other);

struct Record {
  Tool tool;
  std::optional<Part> part;        ///< Of a plan, or all that was merged of one; empty: a run of a whole plan.
  std::optional<ServedBy> server;  ///< That measured; empty: the command did so itself.
  std::optional<Source> source;    ///< Empty: not known.
  /// What was measured, as one file: a suite or a program, by its path in the repository, else by its name. Empty for a
  /// statement.
  std::optional<std::string> suite;
  std::string started;  ///< ISO 8601, UTC: "2026-01-31T12:00:00Z".
  std::string finished;
  std::vector<std::string> command;
  double seconds = 0;
  std::vector<Machine> machines;  ///< That cases were measured on; one, unless shards were merged.
  RecordedSettings settings;
  std::map<std::string, Environment> environments;  ///< By environment_name().
  Fingerprint fingerprint;                          ///< Of all environments together.
  std::vector<CaseRecord> cases;                    ///< In plan order, whatever order they finished in.
  friend bool operator==(const Record&, const Record&) = default;
};

/// "torch [python]": the two languages of a toolchain have an environment each, and so has a runtime that has hosts of
/// its own: "torch [python compiled]".
std::string environment_name(std::string_view toolchain, std::string_view language, std::string_view runtime = {});

/// What a case ran in, or null. Older records have one for both languages, under the toolchain's name alone.
const Environment* environment_of(const Record& record, const CaseRecord& one);

/// One fingerprint for each of a record's environments, and one for all.
void set_fingerprints(Record& record);

/// False: an interruption came first. (A case that skipped itself was tried.)
bool was_tried(const CaseAttempts& one);

/// What each case took in all its attempts.
LastTimes last_times(const Record& record);

/// The case of this id, or null.
const CaseRecord* find_case(const Record& record, std::string_view id);

/// The first of its machines; one that says nothing where it names none.
Machine first_machine(const Record& record);

}  // namespace tally
