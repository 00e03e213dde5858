#include "measurement/settings.h"

#include <algorithm>

namespace tally {

Settings normalized(Settings settings) {
  settings.max_replicates = std::max(settings.replicates, settings.max_replicates);
  settings.max_run_time_s = std::max(settings.min_run_time_s, settings.max_run_time_s);
  settings.noise_floor = settings.noise_floor && settings.counts;
  if (!settings.entropy) settings.entropy = "fixed";
  return settings;
}

}  // namespace tally
