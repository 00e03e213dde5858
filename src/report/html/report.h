/// A record (and what it is compared with) as one page that needs nothing else: no network, works from file://.
///
/// Owns: the data that goes into the page; src/web holds what shows it. Everything from a record is data to the
/// page's script, which writes it as text and never as markup; the JSON cannot end its script element (see escape.h).
/// Stays under 6 MB for 200 cases: samples are thinned to 160 a case, flame graphs share one budget of nodes, a case's
/// profile is packed until it is looked at (see packed.h), and sources are there once, as far as lines of them are
/// shown.
#pragma once

#include <string>

#include "comparison/comparison.h"
#include "comparison/evidence.h"
#include "record/record.h"

namespace tally {

struct HtmlReport {
  const Record* record = nullptr;
  const Comparison* comparison = nullptr;  ///< Of `record` as the new side; or null.
  Evidence kept;                           ///< Profiles and lines of either record.
  std::string name;                        ///< Shown as the title: the record's file name.
};

std::string render_html_report(const HtmlReport& report);

}  // namespace tally
