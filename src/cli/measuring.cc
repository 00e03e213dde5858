#include "cli/measuring.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "cpu/topology.h"
#include "hosts/host_images.h"
#include "tally_version.h"

namespace tally::cli {

namespace {

ProgressStyle style_of(const Context& context, const RunOptions& options) {
  if (options.quiet) return ProgressStyle::quiet;
  return context.err_is_terminal && !options.verbose ? ProgressStyle::live : ProgressStyle::lines;
}

}  // namespace

Surroundings surroundings_of(const Context& context) {
  Surroundings around{.libexec = context.libexec, .tool = {}};
  around.tool.version = TALLY_VERSION;
  around.tool.commit = TALLY_COMMIT;
  around.cpu_locks = value_of(context.environment, "TALLY_CPU_LOCKS");
  return around;
}

Measuring::Measuring(Interrupts interrupts, const Context& context, const RunOptions& options, std::ostream& err)
    : interrupts_(std::move(interrupts)),
      runner_(context.libexec + "/tally-supervisor", &interrupts_),
      progress_(err, style_of(context, options), options.verbose,
                use_color(context, options.style.color, context.err_is_terminal), context.width) {}

namespace {

/// The CPUs to use, as --cores says them: without those that are left to others.
Result<std::string> cpus_to_use(const RunOptions& options) {
  if (options.reserved_cpus == 0) return options.cores;
  const auto wanted = options.cores.empty() ? Result<CpuSet>(CpuSet()) : parse_cpu_list(options.cores);
  if (!wanted) return std::unexpected(wanted.error());
  const auto topology = read_topology(*wanted);
  if (!topology) return std::unexpected(topology.error());
  const std::vector<CpuIndex>& allowed = topology->allowed.cpus();
  const auto reserved = static_cast<std::size_t>(options.reserved_cpus);
  if (reserved >= allowed.size()) {
    return fail(ErrorKind::input,
                fmt::format("--reserve-cpus {} leaves none of the CPUs {}", reserved, to_string(topology->allowed)), {},
                "reserve fewer, or allow more with --cores");
  }
  return to_string(CpuSet({allowed.begin() + options.reserved_cpus, allowed.end()}));
}

/// Temporary files are kept by who made them.
std::string which_server(const RunOptions& options) {
  return options.keep && options.server == "auto" ? "off" : options.server;
}

}  // namespace

namespace {

/// Slurm gives a job a number of CPUs, and binds it to them only where it was set up to. Empty: it did, or there is
/// none.
std::string unbound_by_slurm(const Context& context) {
  const std::string_view given = value_of(context.environment, "SLURM_CPUS_ON_NODE");
  std::size_t count = 0;
  std::from_chars(given.data(), given.data() + given.size(), count);
  const auto topology = read_topology(CpuSet());
  if (count == 0 || !topology || topology->allowed.cpus().size() <= count) return {};
  return fmt::format(
      "Slurm gives this job {} CPU{} and binds it to none (TaskPlugin=task/none): what is timed leases CPUs among the "
      "{} "
      "that it sees",
      count, count == 1 ? "" : "s", topology->allowed.cpus().size());
}

}  // namespace

Result<std::unique_ptr<Measuring>> Measuring::begin(const Context& context, const RunOptions& options,
                                                    std::ostream& err) {
  auto interrupts = Interrupts::install();
  if (!interrupts) return std::unexpected(interrupts.error());
  std::unique_ptr<Measuring> measuring(new Measuring(*std::move(interrupts), context, options, err));
  if (options.keep && options.server != "auto" && options.server != "off") {
    return fail(ErrorKind::input, "a server's temporary files cannot be kept", "--keep",
                "take --keep away, or say --server off");
  }
  if (const std::string notice = unbound_by_slurm(context); !notice.empty()) measuring->progress_.on_message(notice);
  const auto cpus = cpus_to_use(options);
  if (!cpus) return std::unexpected(cpus.error());
  auto server = serve::Client::connect(context.environment, which_server(options), surroundings_of(context).tool,
                                       [&](const std::string& why) { measuring->progress_.on_message(why); });
  if (!server) return std::unexpected(server.error());
  if (*server) {
    const auto topology = read_topology(cpus->empty() ? CpuSet() : *parse_cpu_list(*cpus));
    if (!topology) return std::unexpected(topology.error());
    measuring->server_ = *std::move(server);
    // Without an option the server's own hold; but a process that is confined to a few (taskset) means those.
    const auto online = static_cast<std::size_t>(std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L));
    if (!cpus->empty() || topology->allowed.cpus().size() < online) measuring->cores_ = to_string(topology->allowed);
    if (options.verbose) {
      measuring->progress_.on_message(fmt::format("measured by the server at {} (process {})",
                                                  measuring->server_->path(), measuring->server_->pid()));
    }
    return measuring;
  }
  auto workspace = Workspace::open(measuring->runner_, surroundings_of(context), *cpus);
  if (!workspace) return std::unexpected(workspace.error());
  measuring->workspace_ = *std::move(workspace);
  if (options.keep) measuring->kept_ = measuring->workspace_->keep_scratch();
  return measuring;
}

Result<RunResult> Measuring::measure(const RunRequest& request, const serve::ServedPlan& plan) {
  if (server_) return server_->measure(request, plan, cores_, interrupts_, progress_);
  return tally::measure(*workspace_, request, progress_);
}

Caller caller_of(const Context& context) {
  return {.environment = context.environment, .working_folder = context.working_folder, .command = context.command};
}

Caller caller_of(const Context& context, const RunOptions& options) {
  Caller caller = caller_of(context);
  if (options.images.empty()) return caller;
  std::erase_if(caller.environment, [](const auto& variable) { return variable.first == HostImages::kVariable; });
  caller.environment.emplace_back(HostImages::kVariable, options.images);
  return caller;
}

Measuring::~Measuring() {
  if (!kept_.empty()) progress_.on_message("kept " + kept_);
}

}  // namespace tally::cli
