/// Decides when the exact counts of an earlier record may stand for new ones: when all that they depend on is the same.
///
/// Pure: compares digests that others have taken. What a count follows from stands in CaseRecord::inputs; a record
/// without (older ones, those of a server) has nothing to reuse.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/record.h"

namespace tally {

using CountInputs = std::map<std::string, std::string>;

/// Why the counts of a case may not be taken over, whatever is measured now: it failed, its count varies, it works on a
/// device, … Empty: they may, where the inputs agree.
std::string why_never_reused(const CaseRecord& earlier);

/// Why they may not for this case, as described, where this is what its counts would follow from now: "its environment
/// is another". Empty: they may.
std::string why_not_reused(const CaseRecord& earlier, const CaseDescription& described, const CountInputs& now);

/// Those of the cases that may be reused that are counted all the same, as places in `ids`, rising: one in twenty, and
/// one at the least. Which ones follows from their ids and from `run`, a text that differs from run to run.
std::vector<std::size_t> proofs_among(std::span<const std::string_view> ids, std::string_view run);

/// Whether a count that was taken again is the earlier one, to the instruction.
bool is_same_count(const Counts& earlier, const Counts& again);

/// Takes over what an earlier run has counted, and what it had to say of that. `run` is the earlier record's.
void take_over_counts(CaseRecord& now, const CaseRecord& earlier, const Record& run);

/// What became of a count that was taken again and was another: a flag of the case.
inline constexpr std::string_view kReuseRefuted = "reuse_refuted";

}  // namespace tally
