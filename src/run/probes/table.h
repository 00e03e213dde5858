/// The probes: every way to look into a case beside its count and its time. Each is a file of this folder, and a line
/// here. Their order is that in which they are executed and kept, and in which options and events name them.
#pragma once

#include <array>
#include <bitset>
#include <string>
#include <string_view>
#include <vector>

#include "expansion/case.h"
#include "hosts/probe_host.h"
#include "profile/store.h"
#include "record/record.h"
#include "session/probe.h"
#include "symbols/object_names.h"
#include "symbols/source_lines.h"

namespace tally {

/// What the findings of a case's probes are kept with.
struct ProbeContext {
  const Case& measured;
  CaseRecord& record;      ///< Its counts and times stand.
  StoredProfile* profile;  ///< Of its count, before it is written; null: there is none.
  std::string& baseline;   ///< Callgrind's text of the empty loop, with that profile.
  std::string folder;      ///< For files beside the record; empty: none are kept.
  bool keeps_sources;      ///< The texts of the user's files, too.
  bool keeps_traces;       ///< Those of devices, too.
  const std::string& working_folder;
  ObjectNames& names;
  SourceLines& lines;

  /// Writes a file of the case: its digest, and this suffix.
  [[nodiscard]] Status keep_file(std::string_view suffix, std::string_view text) const;
};

/// A probe of which something is kept with a record: how it is executed, how one asks for it, what becomes of what it
/// finds.
struct KeptProbe {
  Probe probe;
  const Probe* by_callgrind = nullptr;  ///< In its place where Callgrind counts; null: none.
  /// `on_device`: of each case that turns out to work on a device; its option says whether its file is kept.
  enum class Asked { always, with_profiles, by_option, on_device };
  Asked asked = Asked::with_profiles;
  std::string_view field = {};   ///< That says whether it is wanted, in a request's profiles; empty: none does.
  std::string_view option = {};  ///< The command's that leaves it out, or asks for it: "--no-lines"; empty: none does.
  std::string_view help = {};    ///< Of the option.
  std::string_view suffix = {};  ///< Of its file beside a case's profile: ".python.json"; empty: it has none.
  /// An error: what it found is of no use, and a warning says why.
  Status (*keep)(const ProbeSample& found, ProbeContext& context) = nullptr;
};

namespace probes {

/// The same probe in another host, of which it asks for other regions.
constexpr Probe in_other_host(Probe probe, const ProbeHost& host, ProbeStep (*next)(const ProbeState& state)) {
  probe.host = &host;
  probe.next = next;
  return probe;
}

extern const KeptProbe kCalls;
extern const KeptProbe kAllocationSites;
extern const KeptProbe kPythonFunctions;
extern const KeptProbe kThreads;
extern const KeptProbe kLines;
extern const KeptProbe kHeapPeak;
extern const KeptProbe kKernels;

inline constexpr auto kTable = std::to_array<const KeptProbe*>(
    {&kCalls, &kAllocationSites, &kPythonFunctions, &kThreads, &kLines, &kHeapPeak, &kKernels});

}  // namespace probes

/// Some of the table.
class ProbeSet {
 public:
  /// Those that belong to profiles where nobody says otherwise.
  static ProbeSet of_profiles();

  void set(const KeptProbe& probe, bool is_in);
  [[nodiscard]] bool contains(const KeptProbe& probe) const;

  friend bool operator==(const ProbeSet&, const ProbeSet&) = default;

 private:
  std::bitset<probes::kTable.size()> in_;  ///< By their places in the table.
};

/// For an engine: these, and those that are always wanted. `by_callgrind`: it counts, and not the counter.
std::vector<const Probe*> probes_to_execute(const ProbeSet& wanted, bool by_callgrind = false);

/// Whose session left it.
const KeptProbe& probe_of(const ProbeSample& found);

}  // namespace tally
