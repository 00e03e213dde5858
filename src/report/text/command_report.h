/// The processes of a record's commands: the text below their table, and the formats of other programs. Pure; every
/// name is escaped for its format.
#pragma once

#include <string>

#include "record/record.h"

namespace tally {

/// Which processes a command's instructions are of, for each that has several; empty: none has.
std::string processes_text(const Record& record);
/// How each command stands to the first one; empty where there is nothing to compare with.
std::string relations_text(const Record& record);

/// What hyperfine's --export-json writes (results[].command, mean, stddev, median, user, system, min, max, times,
/// memory_usage_byte, exit_codes, parameters), with `instructions` beside it. What was not measured is null.
/// `command` is the command's name, where it was given one. `exit_codes` is there where all executions ended with the
/// same one.
std::string to_hyperfine(const Record& record);

/// A table: each command with its instructions and times, and how it stands to the first one.
std::string commands_to_markdown(const Record& record);

/// A line for each command, with a heading line: seconds and bytes.
std::string commands_to_csv(const Record& record);

}  // namespace tally
