/// A probe of which something is kept with a record: how it is executed, how one asks for it, what becomes of what it
/// finds.
#pragma once

#include <string>
#include <string_view>

#include "execution/probe.h"
#include "expansion/case.h"
#include "profile/store.h"
#include "record/record.h"
#include "run/object_names.h"
#include "run/source_lines.h"

namespace tally {

/// What the findings of a case's probes are kept with.
struct ProbeContext {
  const Case& measured;
  CaseRecord& record;      ///< Its counts and times stand.
  StoredProfile* profile;  ///< Of its count, before it is written; null: there is none.
  std::string folder;      ///< For files beside the record; empty: none are kept.
  bool keeps_sources;      ///< The texts of the user's files, too.
  const std::string& working_folder;
  ObjectNames& names;
  SourceLines& lines;

  /// Writes a file of the case: its digest, and this suffix.
  [[nodiscard]] Status keep_file(std::string_view suffix, std::string_view text) const;
};

struct KeptProbe {
  Probe probe;
  bool always = false;          ///< Of each counted case; others where profiles are kept, and nobody has left them out.
  std::string_view field = {};  ///< That says whether it is wanted, in a request's profiles; empty: none does.
  std::string_view option = {};  ///< The command's that leaves it out: "--no-lines"; empty: none does.
  std::string_view help = {};    ///< Of the option.
  std::string_view suffix = {};  ///< Of its file beside a case's profile: ".python.json"; empty: it has none.
  /// An error: what it found is of no use, and a warning says why.
  Status (*keep)(const ProbeSample& found, ProbeContext& context) = nullptr;
};

}  // namespace tally
