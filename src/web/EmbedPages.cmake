# Puts the pages of this folder into a C++ file. Raw strings hold the text as it is; compilers limit one literal (65,536 bytes are
# promised), so each file is a literal of its own and they are joined.
set(page ${CMAKE_CURRENT_SOURCE_DIR})
set(embedded "#include \"web/page_text.h\"\n\nnamespace tally {\n\n")
function(embed name)
  set(text "${embedded}const std::string ${name} =")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page}/${file})
    file(READ ${page}/${file} content)
    string(APPEND text " std::string(R\"tallypage(${content})tallypage\") +")
  endforeach()
  set(embedded "${text} \"\";\n\n" PARENT_SCOPE)
endfunction()
embed(kPageHtml
  shared/page.html)
embed(kPageCss
  shared/page.css record/list.css record/case.css record/growth.css shared/flame.css record/lines.css
  shared/screens.css)
embed(kTracePageCss
  shared/page.css record/list.css record/case.css shared/flame.css trace/trace.css shared/screens.css)
embed(kTracePageJs
  shared/elements.js shared/figures.js shared/table.js shared/theme.js trace/events.js trace/canvas.js trace/view.js
  trace/panels.js trace/main.js)
embed(kPageJs
  shared/elements.js shared/theme.js shared/keys.js shared/figures.js shared/table.js shared/plots.js
  record/changes.js record/growth.js shared/profile.js shared/flame_tree.js shared/flame.js shared/sandwich.js
  shared/profile_view.js record/columns.js record/environment.js record/list.js record/cards.js record/functions.js
  record/lines.js record/why.js record/case.js record/main.js)
embed(kHistoryPageCss
  shared/page.css record/list.css record/case.css shared/flame.css history/history.css shared/screens.css)
embed(kHistoryPageJs
  shared/elements.js shared/figures.js shared/theme.js shared/keys.js shared/table.js shared/plots.js record/cards.js
  shared/profile.js shared/flame_tree.js shared/flame.js shared/sandwich.js record/functions.js shared/profile_view.js
  history/data.js history/words.js history/plot.js history/course.js history/step.js history/case.js history/commit.js
  history/commits.js history/ledger.js history/overview.js history/main.js)
string(APPEND embedded "}  // namespace tally\n")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/page_text.new "${embedded}")
configure_file(${CMAKE_CURRENT_BINARY_DIR}/page_text.new ${CMAKE_CURRENT_BINARY_DIR}/page_text.cc COPYONLY)
