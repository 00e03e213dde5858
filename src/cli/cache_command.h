/// `tally cache [show|clear]`: what lies in the cache, and how to be rid of it.
#pragma once

#include <iosfwd>
#include <string>

#include "cli/context.h"
#include "cli/option_set.h"

namespace tally::cli {

struct CacheOptions {
  std::string action = "show";  ///< "show" or "clear"
  bool images = false;          ///< Only the hosts' images.
  bool json = false;
};

void add_cache_options(OptionSet& command, CacheOptions& options);
int run_cache(const Context& context, const CacheOptions& options, std::ostream& out, std::ostream& err);

}  // namespace tally::cli
