/// A history as a site: a page that opens from file://, the files of data that it loads, a badge and a feed. Pure.
///
/// Owns what the page's data says; src/web/history shows it. Everything from a record or a commit is data to
/// the page's script, which writes it as text and never as markup.
///
/// The points of a case are in a file of its own, named by its content, which the page loads when the case is looked
/// at: a site of 185 cases and 2,000 commits is some 4 MB, of which a browser reads 0.4 MB at first. A page keeps
/// working beside the files of a newer site as long as its own are there.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comparison/comparison.h"
#include "report/history/view.h"

namespace tally {

/// The profile of a case at a run, each by its place in the history; nothing where none was kept.
using PointProfiles = std::function<std::optional<StoredProfile>(std::size_t of, std::size_t run, ProfileOf what)>;

struct HistorySite {
  const HistoryView* view = nullptr;  ///< Has a run.
  std::string title;                  ///< Empty: the suite's name.
  std::string url;                    ///< Where the site will be, for the feed's links: "https://…/"; may be empty.
  std::string commit_url;             ///< Where a commit is seen: "https://…/{commit}"; may be empty.
  PointProfiles profiles;             ///< May be empty.
};

struct SiteFile {
  std::string name;  ///< Within the site's folder: "index.html", "data/0123456789abcdef.js".
  std::string text;
};

/// The page comes last, so that whoever writes them in order never has a page without its data.
std::vector<SiteFile> render_history_site(const HistorySite& site);

}  // namespace tally
