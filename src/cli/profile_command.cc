#include "cli/profile_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/text.h"
#include "cli/debug_packages.h"
#include "cli/profile_lines.h"
#include "cli/refuse.h"
#include "definition/builtin_toolchains.h"
#include "json/text.h"
#include "profile/export.h"
#include "profile/names.h"
#include "profile/pprof.h"
#include "profile/python_functions.h"
#include "profile/rules.h"
#include "records/record_files.h"
#include "report/text/allocation_table.h"
#include "report/text/function_table.h"

namespace tally::cli {
namespace {

std::vector<FunctionRule> noise_rules(const ProfileCommandOptions& options) {
  std::vector<FunctionRule> rules;
  if (options.denoise) rules = language_noise(Language::python);
  if (!options.ignore.empty()) rules.push_back({"ignored", "given with --ignore", options.ignore, ""});
  return rules;
}

std::string rules_text() {
  std::string text;
  for (const FunctionRule& rule : language_noise(Language::python)) {
    text += fmt::format("{}: {}\n  {}{}\n", rule.name, rule.reason, join(rule.functions, ", "),
                        rule.object.empty() ? "" : "  (in " + rule.object + ")");
  }
  return text;
}

/// The event that was requested, or "Ir", or the first.
Result<std::size_t> choose_event(const Profile& profile, const std::string& wanted) {
  const std::size_t index = event_index(profile, wanted.empty() ? "Ir" : wanted);
  if (index < profile.events.size()) return index;
  if (wanted.empty()) return 0;
  return fail(ErrorKind::input, fmt::format("no event '{}'", wanted), {},
              "the events are " + join(profile.events, ", "));
}

FunctionNaming naming_of(const ProfileCommandOptions& options) { return options.keep_names ? nullptr : standardize; }

FunctionCounts as_asked(const FunctionCounts& counts, const ProfileCommandOptions& options) {
  return denoise(counts, noise_rules(options))
      .grouped(options.by == "file"     ? Grouping::file
               : options.by == "object" ? Grouping::object
                                        : Grouping::function);
}

/// Calls go with functions: those of a file or an object are of no use.
FunctionCounts calls_of(const Profile& profile, const ProfileCommandOptions& options) {
  return options.by == "function" ? as_asked(function_calls(profile, naming_of(options)), options) : FunctionCounts();
}

/// The counter that follows calls knows no files.
bool has_files(const Profile& profile) {
  return std::ranges::any_of(profile.rows, [&](const auto& row) { return !profile.strings[row.file].empty(); });
}

/// By file where functions have none: what the source lines cost.
Result<FunctionCounts> files_of_lines(const StoredProfile& stored, std::size_t event, const std::string& file) {
  if (!stored.lines || stored.profile.events[event] != "Ir") {
    return fail(ErrorKind::input, "its functions have no files, and the costs of its source lines were not kept", file,
                "measure with --profiles and without --no-lines");
  }
  return file_counts(*stored.lines);
}

Result<FunctionCounts> counts_of(const StoredProfile& stored, std::size_t event, const ProfileCommandOptions& options,
                                 const std::string& file) {
  if (options.by == "file" && !has_files(stored.profile)) return files_of_lines(stored, event, file);
  const Inclusion inclusion = options.inclusive ? Inclusion::inclusive : Inclusion::exclusive;
  return as_asked(function_counts(stored.profile, event, inclusion, naming_of(options)), options);
}

std::string counts_json(const FunctionCounts& counts, const FunctionCounts& calls, const std::string& event,
                        double total, std::size_t top) {
  json::Array functions;
  for (const auto& [key, count] : counts.sorted()) {
    if (top > 0 && functions.size() == top) break;
    json::Object function = {
        {"object", key.object}, {"file", key.file}, {"function", demangle(key.name)}, {"count", count}};
    if (!calls.empty()) function["calls"] = calls.of(key);
    functions.push_back(std::move(function));
  }
  return json::to_text(json::Object{{"event", event}, {"total", total}, {"functions", std::move(functions)}}, 1) + "\n";
}

int write_export(const StoredProfile& stored, std::size_t event, const ProfileCommandOptions& options,
                 std::ostream& out, std::ostream& err) {
  const std::string text = options.export_as == "callgrind"    ? to_callgrind(stored.profile)
                           : options.export_as == "pprof"      ? to_pprof(stored.profile, event)
                           : options.export_as == "speedscope" ? to_speedscope(stored.profile, event, options.file)
                                                               : to_collapsed(stored.profile, event);
  const Status written = write_output(options.output, text, out);
  return written ? 0 : refuse_output("profile", written.error(), err);
}

Result<StoredProfile> load_python(const std::string& file, const ProfileCommandOptions& options) {
  Result<StoredProfile> stored = load_python_profile(file);
  if (stored && !options.natives) stored->profile = python_only(stored->profile);
  return stored;
}

int show_memory(const ProfileCommandOptions& options, const RenderOptions& render, std::ostream& out,
                std::ostream& err) {
  const Result<AllocationSites> kept = load_allocation_sites(options.file);
  if (!kept) return refuse("profile", kept.error(), err);
  out << (options.json ? allocations_json(*kept, options.top)
                       : render_allocations(*kept, {.options = render, .top = options.top}));
  return 0;
}

Result<StoredProfile> load(const std::string& file, const ProfileCommandOptions& options) {
  return options.view == ProfileView::python ? load_python(file, options) : load_profile(file);
}

/// What is printed of a profile, or of the difference of two.
struct ShownCounts {
  FunctionCounts counts;
  FunctionCounts calls;
  double total = 0;  ///< What shares are of.
};

Result<ShownCounts> shown_counts(const StoredProfile& stored, std::size_t event, const ProfileCommandOptions& options,
                                 const std::string& file) {
  Result<FunctionCounts> counts = counts_of(stored, event, options, file);
  if (!counts) return std::unexpected(counts.error());
  return ShownCounts{.counts = *std::move(counts),
                     .calls = calls_of(stored.profile, options),
                     .total = static_cast<double>(stored.profile.totals[event])};
}

/// Per iteration, so that runs of different lengths subtract. Shares are of the base's total.
Status subtract_base(ShownCounts& shown, const StoredProfile& stored, const StoredProfile& base,
                     const std::string& event, const ProfileCommandOptions& options) {
  const Result<std::size_t> base_event = choose_event(base.profile, event);
  if (!base_event) return std::unexpected(base_event.error());
  const Result<ShownCounts> before = shown_counts(base, *base_event, options, options.base);
  if (!before) return std::unexpected(before.error());
  const double per_iteration = 1.0 / static_cast<double>(stored.iterations);
  const double per_base_iteration = 1.0 / static_cast<double>(base.iterations);
  shown.counts = shown.counts.scaled(per_iteration) - before->counts.scaled(per_base_iteration);
  shown.calls = shown.calls.scaled(per_iteration) - before->calls.scaled(per_base_iteration);
  shown.total = before->total / static_cast<double>(base.iterations);
  return {};
}

int show_functions(const ProfileCommandOptions& options, const RenderOptions& render, std::ostream& out,
                   std::ostream& err) {
  const Result<StoredProfile> stored = load(options.file, options);
  if (!stored) return refuse("profile", stored.error(), err);
  const auto print_note = [&](const std::string& note) {
    err << "tally profile: " << options.file << ": note: " << note << '\n';
  };
  for (const std::string& note : stored->profile.notes) print_note(note);
  const Result<std::size_t> event = choose_event(stored->profile, options.event);
  if (!event) return refuse("profile", event.error(), err);
  if (!options.export_as.empty()) return write_export(*stored, *event, options, out, err);

  if (const std::string note = nameless_note(stored->profile, *event); !note.empty()) print_note(note);
  const std::string& name = stored->profile.events[*event];
  Result<ShownCounts> shown = shown_counts(*stored, *event, options, options.file);
  if (!shown) return refuse("profile", shown.error(), err);
  Result<StoredProfile> base = StoredProfile();
  if (!options.base.empty()) {
    base = load(options.base, options);
    if (!base) return refuse("profile", base.error(), err);
    const Status subtracted = subtract_base(*shown, *stored, *base, name, options);
    if (!subtracted) return refuse("profile", subtracted.error(), err);
  }
  const PythonNames names = {&stored->profile, &base->profile};
  const auto named = [&](const FunctionKey& key) { return names.of(key); };
  const FunctionCounts counts = shown->counts.renamed(named);
  const FunctionCounts calls = shown->calls.renamed(named);
  if (options.json) {
    out << counts_json(counts, calls, name, shown->total, options.top);
  } else {
    out << render_functions(counts, {.options = render,
                                     .top = options.top,
                                     .total = shown->total,
                                     .event = name,
                                     .full_names = options.full_names,
                                     .calls = calls});
  }
  return 0;
}

}  // namespace

void add_profile_options(OptionSet& sub, ProfileCommandOptions& options) {
  const auto choose = [&](const char* names, ProfileView view, const char* help) -> Option& {
    return sub.add(names, [&options, view] { options.view = view; }, help);
  };
  sub.add("FILE", &options.file, "A callgrind.out file, a kept profile, or RECORD#CASE");
  sub.add("--base", &options.base, "Profile to subtract, in any of the forms of FILE");
  sub.add("--inclusive", &options.inclusive, "Include the cost of the functions that each function calls");
  sub.add("--by", &options.by, "What to group by").one_of({"function", "file", "object"}).shows_default();
  sub.add("--top", &options.top, "Rows to show; 0: all").shows_default();
  sub.add("--event", &options.event, "Event to show (default: Ir, instructions)");
  sub.add("--denoise", &options.denoise, "Leave out known interpreter noise (see --list-rules)");
  sub.add("--ignore", &options.ignore, "Leave out functions that match this glob (repeatable)");
  sub.add("--list-rules", &options.list_rules, "List the rules of --denoise");
  sub.add("--keep-names", &options.keep_names, "Keep names and paths as the profile has them");
  sub.add("--full-names", &options.full_names, "Show C++ names with their arguments");
  choose("--memory", ProfileView::memory, "Show where the case allocates, and how much (RECORD#CASE)");
  choose("--lines", ProfileView::lines,
         "Show its source lines, of C++ and of commands; inlined library code belongs to the line that calls it")
      .excludes("--memory");
  choose("--python", ProfileView::python,
         "Show its Python functions, including the native code that they call (RECORD#CASE)")
      .excludes("--memory")
      .excludes("--lines");
  sub.add("--natives", &options.natives, "With --python: show native functions separately, by Python caller");
  sub.add("--json", &options.json, "Print the profile as JSON");
  sub.add("--export", &options.export_as, "Write the profile in this format, for another tool")
      .one_of({"callgrind", "speedscope", "pprof", "collapsed"});
  sub.add("-o,--output", &options.output, "File for --export (default: standard output)");
  add_table_style(sub, options.style);
}

int run_profile(const Context& context, const ProfileCommandOptions& options, std::ostream& out, std::ostream& err) {
  const RenderOptions render = rendering(context, options.style);
  if (options.list_rules) {
    out << rules_text();
    return 0;
  }
  if (options.file.empty())
    return refuse("profile", {ErrorKind::input, "no profile given", "", "name a callgrind.out file or RECORD#CASE"},
                  err);
  if (options.inclusive && options.by != "function") {
    return refuse("profile",
                  {ErrorKind::input, "inclusive counts of a file or an object would count calls within it twice", "",
                   "use --by function"},
                  err);
  }
  if (options.view == ProfileView::lines) return show_lines(options, render, out, err);
  if (options.view == ProfileView::memory) return show_memory(options, render, out, err);
  return show_functions(options, render, out, err);
}

}  // namespace tally::cli
