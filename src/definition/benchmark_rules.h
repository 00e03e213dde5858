/// The rules a definition must keep by itself, whatever else is in its suite.
#pragma once

#include "base/error.h"
#include "definition/suite.h"

namespace tally {

/// A C++ text is a block of its own: it closes what it opens and nothing else. One that ends the loop around it would
/// be measured as something else, and one that opens more would be reported in lines of ours.
Status check_brackets(const Snippet& text, const std::string& where);

/// The first of the rules that is broken, as an error that says what to write instead.
Status check_benchmark(const Benchmark& benchmark);

/// Where an error about a definition stands: the most precise known place, or its label.
std::string place_of(const SourcePosition& precise, const Places& places, const std::vector<std::string>& label);

/// Parameters of a benchmark or a command: each has a name that ids and filters can have, and values, each once.
Status check_params(const std::vector<Param>& params, const Places& places, const std::vector<std::string>& label);

/// A label has parts, each of printable text without blanks at its ends.
Status check_label(const std::vector<std::string>& label, const Places& places);

}  // namespace tally
