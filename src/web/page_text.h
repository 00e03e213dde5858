/// The pages of this folder as text, put into the program when it is built (EmbedPages.cmake).
#pragma once

#include <string>

namespace tally {

extern const std::string kPageHtml;
extern const std::string kPageCss;
extern const std::string kPageJs;
extern const std::string kHistoryPageCss;
extern const std::string kHistoryPageJs;
extern const std::string kTracePageCss;
extern const std::string kTracePageJs;

}  // namespace tally
