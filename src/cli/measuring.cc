#include "cli/measuring.h"

#include "tally_version.h"

namespace tally::cli {

namespace {

ProgressStyle style_of(const Context& context, const RunOptions& options) {
  if (options.quiet) return ProgressStyle::quiet;
  return context.err_is_terminal && !options.verbose ? ProgressStyle::live : ProgressStyle::lines;
}

Surroundings surroundings_of(const Context& context) {
  Surroundings around{.environment = context.environment,
                      .working_folder = context.working_folder,
                      .libexec = context.libexec,
                      .tool = {},
                      .command = context.command};
  around.tool.version = TALLY_VERSION;
  around.tool.commit = TALLY_COMMIT;
  return around;
}

}  // namespace

Measuring::Measuring(Interrupts interrupts, const Context& context, const RunOptions& options, std::ostream& err)
    : interrupts_(std::move(interrupts)),
      runner_(context.libexec + "/tally-supervisor", &interrupts_),
      progress_(err, style_of(context, options), options.verbose,
                use_color(context, options.color, context.err_is_terminal), context.width) {}

Result<std::unique_ptr<Measuring>> Measuring::begin(const Context& context, const RunOptions& options,
                                                    std::ostream& err) {
  auto interrupts = Interrupts::install();
  if (!interrupts) return std::unexpected(interrupts.error());
  std::unique_ptr<Measuring> measuring(new Measuring(*std::move(interrupts), context, options, err));
  auto workspace = Workspace::open(measuring->runner_, surroundings_of(context), options.cores);
  if (!workspace) return std::unexpected(workspace.error());
  measuring->workspace_ = *std::move(workspace);
  if (options.keep) measuring->kept_ = measuring->workspace_->keep_scratch();
  return measuring;
}

Measuring::~Measuring() {
  if (!kept_.empty()) progress_.on_message("kept " + kept_);
}

}  // namespace tally::cli
