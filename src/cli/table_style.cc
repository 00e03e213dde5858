#include "cli/table_style.h"

namespace tally::cli {

void add_table_style(OptionSet& command, TableStyle& style) {
  command.add("--color", &style.color, "When to print in colour").shows_default().one_of({"auto", "always", "never"});
  command
      .add("--width", &style.width,
           "Width of the output in columns (default: the terminal's; without one 100, and names are whole)")
      .range(20, 10000);
}

RenderOptions rendering(const Context& context, const TableStyle& style) {
  return {.width = style.width > 0 ? style.width : context.width,
          .color = use_color(context, style.color, context.out_is_terminal),
          .whole_names = style.width == 0 && !context.out_is_terminal};
}

}  // namespace tally::cli
