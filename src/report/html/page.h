/// A page that needs nothing else: its template filled with style, script and data. Pure.
#pragma once

#include <string>

#include "json/value.h"

namespace tally {

struct HtmlPage {
  std::string title;
  std::string css;
  std::string js;
  json::Value data;        ///< What the script reads.
  bool has_files = false;  ///< It may load scripts that lie beside it.
  std::string head = {};   ///< Lines of markup for its head; nothing of others goes in here unescaped.
};

/// Everything in `data` is data to the script, which writes it as text and never as markup; the JSON cannot end its
/// script element (see escape.h).
std::string render_page(const HtmlPage& page);

}  // namespace tally
