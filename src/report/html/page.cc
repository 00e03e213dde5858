#include "report/html/page.h"

#include <string_view>

#include "json/text.h"
#include "report/text/escape.h"
#include "web/page_text.h"

namespace tally {

std::string render_page(const HtmlPage& page) {
  const std::string json = script_json(json::to_text(page.data));
  // One pass over the template, so that what is filled in is never looked at for marks.
  std::string text;
  std::string_view rest = kPageHtml;
  while (true) {
    const std::size_t open = rest.find("{{");
    text += rest.substr(0, open);
    if (open == std::string_view::npos) return text;
    const std::size_t close = rest.find("}}", open);
    const std::string_view mark = rest.substr(open + 2, close - open - 2);
    text += mark == "title"     ? html_escape(page.title)
            : mark == "css"     ? page.css
            : mark == "js"      ? page.js
            : mark == "head"    ? page.head
            : mark == "scripts" ? std::string(page.has_files ? " 'self' file:" : "")
                                : json;
    rest.remove_prefix(close + 2);
  }
}

}  // namespace tally
