#include <fmt/format.h>

#include "report/escape.h"
#include "report/format.h"
#include "report/trace_report.h"

namespace tally::report {
namespace {

/// Stacked bars from below: compute, exposed communication, exposed memory; what stays empty is idle.
std::string timeline_svg(const trace::DeviceFigures& d) {
  if (d.timeline.empty()) return {};
  constexpr double height = 60;
  std::string bars[3];
  for (std::size_t i = 0; i < d.timeline.size(); ++i) {
    const trace::TimelinePoint& p = d.timeline[i];
    double top = height;
    const double parts[3] = {p.compute, p.exposed_communication, p.exposed_memory};
    for (int k = 0; k < 3; ++k) {
      const double tall = parts[k] * height;
      top -= tall;
      if (tall > 0.01) bars[k] += fmt::format("M{} {:.2f}h1v{:.2f}h-1z", i, top, tall);
    }
  }
  return fmt::format(
      "<svg class=\"trace-timeline\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"Utilization of device {} over {}\" width=\"100%\" height=\"90\">"
      "<rect width=\"100%\" height=\"100%\" fill=\"#8883\"/>"
      "<path d=\"{}\" fill=\"#2a7ab9\"/><path d=\"{}\" fill=\"#d9822b\"/><path d=\"{}\" fill=\"#7b5ea7\"/></svg>\n"
      "<p class=\"trace-legend\">Utilization in slices of {}: <span style=\"color:#2a7ab9\">compute</span>, "
      "<span style=\"color:#d9822b\">exposed communication</span>, "
      "<span style=\"color:#7b5ea7\">exposed copies and fills</span>; the rest is idle.</p>\n",
      d.timeline.size(), height, html_escape(d.device), format_nanoseconds(d.parts.window), bars[0], bars[1], bars[2],
      format_nanoseconds(d.timeline_slice));
}

void row(std::string& out, std::string_view window, const trace::Parts& p) {
  out += fmt::format(
      "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
      html_escape(window), format_nanoseconds(p.window), format_part(p.busy, p.window),
      format_part(p.compute, p.window), format_part(p.exposed_communication, p.window),
      format_part(p.exposed_memory, p.window), format_part(p.idle, p.window));
}

}  // namespace

std::string trace_html_section(std::span<const trace::TraceResult> traces, const TraceTextOptions& options) {
  std::string out = "<section class=\"trace\">\n<h2>GPU utilization</h2>\n";
  for (const trace::TraceResult& trace : traces) {
    out += fmt::format("<h3>{}</h3>\n<pre>{}</pre>\n", html_escape(trace.path), html_escape(render_reading(trace)));
    for (const trace::DeviceFigures& d : trace.figures.devices) {
      out += fmt::format("<h4>Device {}</h4>\n", html_escape(d.device)) + timeline_svg(d);
      out +=
          "<table><thead><tr><th>window</th><th>length</th><th>busy</th><th>compute</th><th>exposed communication</th>"
          "<th>exposed memory</th><th>idle</th></tr></thead><tbody>\n";
      row(out, "first to last work", d.parts);
      if (d.steps_parts) row(out, "all steps", *d.steps_parts);
      for (const trace::StepFigures& s : d.steps) row(out, s.name, s.parts);
      out +=
          "</tbody></table>\n<table><thead><tr><th>kernel</th><th>count</th><th>total</th><th>share</th></tr></thead>"
          "<tbody>\n";
      std::size_t shown = 0;
      for (const trace::KernelRow& k : options.full_names ? d.kernels : d.short_kernels) {
        if (options.kernels != 0 && shown++ == options.kernels) break;
        out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{:.1f} %</td></tr>\n", html_escape(k.name),
                           format_count(static_cast<double>(k.count)), format_nanoseconds(k.total), 100 * k.share);
      }
      out += "</tbody></table>\n";
    }
  }
  return out + "</section>\n";
}

}  // namespace tally::report
