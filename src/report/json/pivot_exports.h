/// The cases of one record against each other, as CSV and as JSON. Pure.
#pragma once

#include <string>

#include "comparison/pivot.h"

namespace tally {

/// A line for each row, sections' axes first; values as plain numbers, per iteration, seconds. A case without a value
/// leaves its field empty.
std::string to_csv(const Pivot& pivot);

/// { "metric", "rows": [axis..], "columns": [axis..], "column_values": [{..}..], "growth_axis",
///   "sections": [{ "common": {..}, "rows": [{ "heading": {..}, "cells": [{..} or null..], "complexity" }..],
///   "complexity": [..] }..], "left_out": [id..] }; docs/guides/table.md says what each means.
std::string to_json(const Pivot& pivot);

}  // namespace tally
