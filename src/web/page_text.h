/// The pages of this folder as text, put into the program when it is built (EmbedPages.cmake).
#pragma once

#include <string>

namespace tally {

extern const std::string page_html;
extern const std::string page_css;
extern const std::string page_js;
extern const std::string history_page_css;
extern const std::string history_page_js;
extern const std::string trace_page_css;
extern const std::string trace_page_js;

}  // namespace tally
