/// What the figures of a record promise each other, so that no reader has to check again: counts follow from their
/// replicates, a floor from its samples, a time is like its samples, an id names the facts of its case. Internal to
/// src/record: everything that reads a record, a part of one or a case asks here. Pure.
#pragma once

#include <optional>
#include <string>

#include "record/record.h"

namespace tally {

/// Where a record contradicts itself, and how.
struct Fault {
  std::string place;  ///< "counts.per_iteration"
  std::string message;
};

/// The first that is found of one case.
std::optional<Fault> fault_of(const CaseRecord& one);

/// The same of a part of a case, for callers that do not have all of it: without its samples of time, a case is a few
/// hundred bytes.
std::optional<Fault> fault_of(const Counts& counts);

/// Of what does not belong to a case.
std::optional<Fault> fault_of(const Record& record);

/// The id that the facts of a case make.
std::string id_by_facts(const CaseDescription& one);

/// Of the id of a case: it is there, and what it says in brackets are the facts of the case.
std::optional<Fault> fault_of_id(const CaseDescription& one);

}  // namespace tally
