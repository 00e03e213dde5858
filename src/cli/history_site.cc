#include "cli/history_site.h"

#include <filesystem>

#include "cli/site_folder.h"

namespace tally::cli {
namespace {

/// An address that a page may link: of a script, for one, it may not be.
bool is_web_address(std::string_view text) { return text.starts_with("https://") || text.starts_with("http://"); }

}  // namespace

void add_site_options(OptionSet& command, SiteOptions& options) {
  command.add("-o,--output", &options.folder, "The folder: a new one, or one that a site was written into before")
      .value_name("DIR")
      .required();
  command.add("--title", &options.title, "Title of the site (default: the suite's name)").value_name("TEXT");
  command.add("--url", &options.url, "Address of the site, for the links of its feed").value_name("URL");
  command
      .add("--commit-url", &options.commit_url,
           "Address of a commit's page, such as https://example.org/mill/commit/{commit}")
      .value_name("URL");
}

Status check_site_options(const SiteOptions& options) {
  if (!options.url.empty() && !is_web_address(options.url))
    return fail(ErrorKind::input, "is not a web address", "--url " + options.url, "such as https://example.org/perf/");
  if (options.commit_url.empty()) return {};
  if (!is_web_address(options.commit_url) || !options.commit_url.contains("{commit}"))
    return fail(ErrorKind::input, "is not a web address with {commit} in it", "--commit-url " + options.commit_url,
                "such as https://example.org/mill/commit/{commit}");
  return {};
}

Result<std::string> write_history_site(const HistoryView& view, const PointProfiles& profiles,
                                       const SiteOptions& options, const std::string& working_folder) {
  std::string url = options.url;
  if (!url.empty() && !url.ends_with('/')) url += '/';
  const auto files = render_history_site(
      {.view = &view, .title = options.title, .url = url, .commit_url = options.commit_url, .profiles = profiles});
  // Relative to where the command was called; of a path that is not, only itself is left.
  const std::filesystem::path folder = std::filesystem::path(working_folder) / options.folder;
  if (const Status written = write_site_folder(folder, files); !written) return std::unexpected(written.error());
  return (std::filesystem::path(options.folder) / "index.html").string();
}

}  // namespace tally::cli
