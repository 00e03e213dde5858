/// The suite of a measure request: TOML text, or a document with the same keys as JSON.
#pragma once

#include "definition/read_suite.h"
#include "serve/request.h"

namespace tally::serve {

/// Includes and relative paths are taken from the working folder of the client.
Result<Suite> suite_of(const MeasureRequest& request, const ProgramLister& list = nullptr);

/// The tree that a TOML file with the same content would have. A value's place is where it stands in the document,
/// "suite.benchmark[2].label"; what is null is left out.
TomlNode tree_of(const json::Value& document, const std::string& place);

}  // namespace tally::serve
