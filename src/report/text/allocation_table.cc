#include "report/text/allocation_table.h"

#include <fmt/format.h>

#include "json/text.h"
#include "profile/names.h"

namespace tally {
namespace {

/// Whole where it is, else to six figures.
std::string per_iteration(std::uint64_t total, std::uint64_t iterations) {
  if (total % iterations == 0) return fmt::format("{}", total / iterations);
  return fmt::format("{:.6g}", static_cast<double>(total) / static_cast<double>(iterations));
}

}  // namespace

std::string render_allocations(const AllocationSites& kept, const AllocationRender& render) {
  Table table;
  table.columns = {{.title = "allocations", .right = true},
                   {.title = "bytes", .right = true},
                   {.title = "by", .drop = 1},
                   {.title = "site", .least = 16},
                   {.title = "from", .least = 16, .drop = 2}};
  for (const AllocationSite& site : kept.sites) {
    if (render.top > 0 && table.rows.size() == render.top) break;
    table.rows.push_back({{per_iteration(site.count, kept.iterations)},
                          {per_iteration(site.bytes, kept.iterations)},
                          {std::string(to_string(site.source)), Tint::dim},
                          {place_of(site)},
                          {origin_of(site), Tint::dim}});
  }
  std::string text = render_table(table, render.options);
  if (kept.sites.size() > table.rows.size())
    text += fmt::format("and {} more\n", kept.sites.size() - table.rows.size());
  if (kept.lost > 0) text += fmt::format("{} requests more at sites that there was no room for\n", kept.lost);
  return text;
}

std::string allocations_json(const AllocationSites& kept, std::size_t top) {
  json::Array sites;
  for (const AllocationSite& site : kept.sites) {
    if (top > 0 && sites.size() == top) break;
    json::Array frames;
    for (const AllocationFrame& frame : site.frames)
      frames.push_back(json::Object{{"object", frame.object}, {"function", demangle(frame.function)}});
    json::Object one{{"source", std::string(to_string(site.source))},
                     {"allocations", site.count},
                     {"bytes", site.bytes},
                     {"frames", std::move(frames)}};
    if (!site.python.function.empty()) {
      one["python"] =
          json::Object{{"function", site.python.function}, {"file", site.python.file}, {"line", site.python.line}};
    }
    sites.push_back(std::move(one));
  }
  return json::to_text(json::Object{{"iterations", kept.iterations}, {"lost", kept.lost}, {"sites", std::move(sites)}},
                       1) +
         "\n";
}

json::Object allocation_delta_json(const AllocationDelta& delta) {
  return {{"text", describe(delta)},
          {"source", to_string(delta.site.source)},
          {"site", place_of(delta.site)},
          {"from", origin_of(delta.site)},
          {"allocations_before", delta.count_before},
          {"allocations_after", delta.count_after},
          {"bytes_before", delta.bytes_before},
          {"bytes_after", delta.bytes_after}};
}

}  // namespace tally
