/// `tally cache [show|clear|export FILE|import FILE]`: shows and clears the cache, and moves images of hosts to another
/// machine.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/context.h"
#include "cli/option_set.h"

namespace tally::cli {

struct CacheOptions {
  std::string action = "show";  ///< "show", "clear", "export" or "import"
  std::string file;             ///< Of the last two.
  std::string filter = "*";     ///< Of hosts' names.
  bool self_contained = false;  ///< Of export: with their libraries.
  bool images = false;          ///< Only the hosts' images.
  bool json = false;
};

void add_cache_options(OptionSet& command, CacheOptions& options);
int run_cache(const Context& context, const CacheOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
