#include "cli/cache_command.h"

#include <fmt/chrono.h>
#include <fmt/ostream.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>

#include "base/byte_count.h"
#include "build/cache.h"
#include "build/resolve.h"
#include "cli/refuse.h"
#include "hosts/carried_images.h"
#include "hosts/exported_images.h"
#include "hosts/host_images.h"
#include "json/text.h"
#include "process/interrupts.h"

namespace tally::cli {

namespace fs = std::filesystem;

namespace {

/// On the disk; a file that several have linked counts once for each.
std::uint64_t bytes_below(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code code;
  for (auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, code);
       !code && at != fs::recursive_directory_iterator(); at.increment(code)) {
    struct stat info{};
    constexpr std::uint64_t kBlock = 512;
    if (::lstat(at->path().c_str(), &info) == 0) bytes += static_cast<std::uint64_t>(info.st_blocks) * kBlock;
  }
  return bytes;
}

/// Everything in the cache but its images, by folder.
std::vector<std::pair<std::string, std::uint64_t>> builds_in(const fs::path& root) {
  std::vector<std::pair<std::string, std::uint64_t>> builds;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(root, code)) {
    if (entry.path() != host_images_folder(root))
      builds.emplace_back(entry.path().filename().string(), bytes_below(entry.path()));
  }
  std::ranges::sort(builds);
  return builds;
}

std::string time_text(fs::file_time_type when) {
  using std::chrono::system_clock;
  const auto time = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::file_clock::to_sys(when));
  return fmt::format("{:%FT%TZ}", fmt::gmtime(system_clock::to_time_t(time)));
}

void show(const fs::path& root, const HostImages& images, const CacheOptions& options, std::ostream& out) {
  const auto builds = options.images ? std::vector<std::pair<std::string, std::uint64_t>>() : builds_in(root);
  const std::vector<HostImages::Image> list = images.list();
  std::uint64_t of_builds = 0;
  std::uint64_t of_images = 0;
  json::Object by_folder;
  json::Array hosts;
  for (const auto& [name, bytes] : builds) {
    of_builds += bytes;
    by_folder[name] = static_cast<std::int64_t>(bytes);
  }
  for (const HostImages::Image& one : list) {
    of_images += one.bytes;
    hosts.push_back(json::Object{{"key", one.key},
                                 {"host", one.host},
                                 {"bytes", static_cast<std::int64_t>(one.bytes)},
                                 {"used", time_text(one.used)},
                                 {"carried", one.is_carried},
                                 {"self_contained", !one.libraries.empty()}});
  }
  const std::uint64_t of_libraries = images.library_bytes();
  if (options.json) {
    out << json::to_text(json::Object{{"folder", root.string()},
                                      {"builds", std::move(by_folder)},
                                      {"images", std::move(hosts)},
                                      {"libraries", of_libraries},
                                      {"quota", static_cast<std::int64_t>(images.quota())}},
                         2)
        << '\n';
    return;
  }
  fmt::print(out, "{}\n", root.string());
  if (!options.images) fmt::print(out, "{:24} {:>12}\n", "builds", bytes_text(of_builds));
  for (const auto& [name, bytes] : builds) fmt::print(out, "  {:22} {:>12}\n", name, bytes_text(bytes));
  fmt::print(out, "{:24} {:>12}  of {} at the most\n", "images of hosts", bytes_text(of_images + of_libraries),
             bytes_text(images.quota()));
  for (const HostImages::Image& one : list) {
    fmt::print(out, "  {:22} {:>12}  used {}  {}{}{}\n", one.key.substr(0, 12), bytes_text(one.bytes),
               time_text(one.used), one.host, one.is_carried ? ", carried here" : "",
               one.libraries.empty() ? "" : ", with its libraries");
  }
  if (of_libraries > 0) fmt::print(out, "  {:22} {:>12}  of other machines\n", "libraries", bytes_text(of_libraries));
}

int carry_out(const HostImages& images, const std::string& libexec, const CacheOptions& options, std::ostream& err) {
  const bool is_export = options.action == "export";
  const std::string file = options.file != "-" ? options.file : is_export ? "/dev/stdout" : "/dev/stdin";
  // Once files are open: a pipe that nobody writes into is waited for, and Ctrl-C ends that as usual.
  std::optional<Result<Interrupts>> interrupts;
  const IsStopped is_stopped = [&] {
    if (!interrupts) interrupts.emplace(Interrupts::install());
    return interrupts->has_value() && (*interrupts)->count() > 0;
  };
  const auto report = is_export ? export_images(images, options.filter, file, is_stopped,
                                                options.self_contained ? Brings::libraries : Brings::nothing)
                                : import_images(images, file, is_stopped, libexec);
  if (!report && report.error().kind == ErrorKind::interrupted)
    return refuse("cache", report.error(), err, kInterrupted);
  if (!report) return refuse_output("cache", report.error(), err);
  std::uint64_t bytes = 0;
  std::size_t count = 0;
  for (const CarriedImage& one : *report) {
    if (one.why_not.empty()) {
      fmt::print(err, "{} {}  {}\n", is_export ? "written" : "taken", bytes_text(one.bytes), one.host);
      bytes += one.bytes;
      ++count;
    } else {
      fmt::print(err, "left out: {}: {}\n", one.host, one.why_not);
    }
  }
  if (count == 0 && is_export) {
    const std::string why = report->empty() ? fmt::format("no image is of a host named '{}'", options.filter)
                                            : std::string("none of the images can be used elsewhere");
    return refuse("cache", {ErrorKind::input, why, images.folder().string(), "see which there are: tally cache"}, err);
  }
  fmt::print(err, "{} {}, {}\n", count, count == 1 ? "image" : "images", bytes_text(bytes));
  return kFine;
}

}  // namespace

void add_cache_options(OptionSet& command, CacheOptions& options) {
  command
      .add("action", &options.action,
           "show: what is in the cache; clear: remove it; export: write images of hosts to FILE; import: take them "
           "from it")
      .value_name("ACTION")
      .shows_default()
      .one_of({"show", "clear", "export", "import"});
  command.add("file", &options.file, "Of export and import (-: standard output or input)").value_name("FILE");
  command.add("--filter", &options.filter, "Export images of hosts whose names match this glob, such as '*torch*'")
      .value_name("GLOB");
  command.add("--self-contained", &options.self_contained,
              "Export images of Python's hosts with the libraries that they have mapped, for machines where these are "
              "not installed");
  command.add("--images", &options.images, "Only the images of hosts, not what was compiled");
  command.add("--json", &options.json, "Print JSON").excludes("--images");
}

int run_cache(const Context& context, const CacheOptions& options, std::ostream& out, std::ostream& err) {
  const auto root =
      default_cache_root(value_of(context.environment, "XDG_CACHE_HOME"), value_of(context.environment, "HOME"));
  if (!root) return report_error(root.error(), err);
  const auto quota = HostImages::quota_of(value_of(context.environment, HostImages::kVariable));
  if (!quota) return report_error(quota.error(), err);
  const bool is_carried = options.action == "export" || options.action == "import";
  if (is_carried == options.file.empty()) {
    const std::string why = is_carried ? "which file?" : fmt::format("{} takes no file", options.action);
    return refuse("cache", {ErrorKind::input, why, options.file, "write: tally cache export FILE, or import FILE"},
                  err);
  }
  if (options.self_contained && options.action != "export")
    return refuse("cache",
                  {ErrorKind::input, "--self-contained is of export alone", options.action,
                   "write: tally cache export --self-contained FILE"},
                  err);
  const HostImages images(host_images_folder(*root), *quota);
  if (is_carried) return carry_out(images, context.libexec, options, err);
  if (options.action == "show") {
    show(*root, images, options, out);
    return kFine;
  }
  const std::uint64_t before = bytes_below(*root);
  images.clear();
  if (!options.images) {
    std::error_code code;
    for (const fs::directory_entry& entry : fs::directory_iterator(*root, code)) {
      std::error_code kept;
      fs::remove_all(entry.path(), kept);
      if (kept)
        return report_error({ErrorKind::io, "cannot remove: " + kept.message(), entry.path().string(),
                             "remove it yourself; nothing in the cache is needed but to be fast"},
                            err);
    }
  }
  fmt::print(out, "{} removed\n", bytes_text(before - std::min(before, bytes_below(*root))));
  return kFine;
}

}  // namespace tally::cli
