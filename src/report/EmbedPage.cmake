# Puts src/report/page into a C++ file. Raw strings hold the text as it is; compilers limit one literal (65,536 bytes are
# promised), so each file is a literal of its own and they are joined.
set(page ${CMAKE_CURRENT_SOURCE_DIR}/page)
set(embedded "#include \"report/page_text.h\"\n\nnamespace tally {\n\n")
function(embed name)
  set(text "${embedded}const std::string ${name} =")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page}/${file})
    file(READ ${page}/${file} content)
    string(APPEND text " std::string(R\"tallypage(${content})tallypage\") +")
  endforeach()
  set(embedded "${text} \"\";\n\n" PARENT_SCOPE)
endfunction()
embed(page_html page.html)
embed(page_css page.css list.css case.css growth.css flame.css lines.css screens.css)
embed(trace_page_css page.css list.css case.css flame.css trace.css screens.css)
embed(trace_page_js elements.js figures.js table.js theme.js trace_events.js trace_canvas.js trace_view.js trace_panels.js
  trace_main.js)
embed(page_js elements.js theme.js keys.js figures.js table.js plots.js changes.js growth.js profile.js flame_tree.js flame.js sandwich.js profile_view.js columns.js
  environment.js list.js cards.js functions.js lines.js why.js case.js main.js)
embed(history_page_css page.css list.css case.css flame.css history.css screens.css)
embed(history_page_js elements.js figures.js theme.js keys.js table.js plots.js cards.js profile.js flame_tree.js flame.js sandwich.js
  functions.js profile_view.js history_data.js history_words.js history_plot.js history_course.js history_step.js history_case.js
  history_commit.js history_commits.js history_ledger.js history_overview.js history_main.js)
string(APPEND embedded "}  // namespace tally\n")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/page_text.new "${embedded}")
configure_file(${CMAKE_CURRENT_BINARY_DIR}/page_text.new ${CMAKE_CURRENT_BINARY_DIR}/page_text.cc COPYONLY)
