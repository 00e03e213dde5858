/// Traces for the browser test: two ranks of which one has a slower kernel, and one of very many events.
#pragma once

#include <string>

namespace tally {

/// Writes trace.html, ranks.html and changed.html, and many.html with so many events of work.
bool write_trace_pages(const std::string& folder, int many);

}  // namespace tally
