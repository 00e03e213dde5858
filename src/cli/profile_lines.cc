#include "cli/profile_lines.h"

#include <ostream>

#include "cli/refuse.h"
#include "json/text.h"
#include "records/kept_lines.h"
#include "report/text/line_table.h"

namespace tally::cli {
namespace {

std::string moved_json(const std::vector<LineDelta>& moved, std::size_t top) {
  json::Array lines;
  for (const LineDelta& delta : moved) {
    if (top > 0 && lines.size() == top) break;
    lines.push_back(line_delta_json(delta));
  }
  return json::to_text(json::Object{{"event", "Ir"}, {"moved", moved.size()}, {"lines", std::move(lines)}}, 1) + "\n";
}

}  // namespace

int show_lines(const ProfileCommandOptions& options, const RenderOptions& render, std::ostream& out,
               std::ostream& err) {
  if (options.inclusive || !options.export_as.empty() || options.by != "function") {
    return refuse("profile",
                  {ErrorKind::input, "--lines shows own instructions", "", "leave --inclusive, --by and --export out"},
                  err);
  }
  const auto kept = load_lines(options.file);
  if (!kept) return refuse("profile", kept.error(), err);
  const LineRender lines{.options = render, .top = options.top};
  if (options.base.empty()) {
    out << (options.json ? lines_json(*kept, options.top) : render_lines(*kept, lines));
    return 0;
  }
  const auto base = load_lines(options.base);
  if (!base) return refuse("profile", base.error(), err);
  const std::vector<LineDelta> moved = moved_lines(line_deltas(&*base, *kept));
  if (options.json) {
    out << moved_json(moved, options.top);
  } else if (moved.empty()) {
    out << "no line moved\n";
  } else {
    out << render_line_deltas(moved, lines);
  }
  return 0;
}

}  // namespace tally::cli
