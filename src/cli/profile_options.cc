#include "cli/profile_options.h"

#include <filesystem>

#include "records/record_files.h"

namespace tally::cli {

namespace fs = std::filesystem;

namespace {

/// An option asks for its probe where profiles do not have it anyway, else it leaves it out.
ProbeSet probes_of(const ProfileOptions& options) {
  ProbeSet wanted = ProbeSet::of_profiles();
  for (std::size_t i = 0; i < probes::kTable.size(); ++i) {
    const KeptProbe& probe = *probes::kTable[i];
    if (options.probes[i]) wanted.set(probe, probe.asked != KeptProbe::Asked::with_profiles);
  }
  return wanted;
}

const KeptProbe* asked_without_profiles(const ProfileOptions& options) {
  for (std::size_t i = 0; !options.wanted && i < probes::kTable.size(); ++i) {
    if (options.probes[i] && probes::kTable[i]->asked != KeptProbe::Asked::with_profiles) return probes::kTable[i];
  }
  return nullptr;
}

}  // namespace

void add_profiles_option(OptionSet& command, ProfileOptions& options) {
  command.add("--profiles", &options.wanted,
              "Keep a profile of each case beside the record, for explain, profile and report");
}

void add_profile_contents_options(OptionSet& command, ProfileOptions& options) {
  for (std::size_t i = 0; i < probes::kTable.size(); ++i) {
    const KeptProbe& probe = *probes::kTable[i];
    if (!probe.option.empty()) command.add(std::string(probe.option), &options.probes[i], std::string(probe.help));
  }
  command.add("--no-sources", &options.no_sources, "For --profiles: do not keep the text of source files");
}

Status check(const ProfileOptions& options, const std::string& json) {
  if (options.wanted && !is_beside_file(json)) {
    return fail(ErrorKind::input, "profiles are kept beside the record, and there is none", "--profiles",
                "add --json FILE");
  }
  if (const KeptProbe* probe = asked_without_profiles(options)) {
    return fail(ErrorKind::input, "what it finds is kept with profiles, and there are none", std::string(probe->option),
                "add --profiles");
  }
  return {};
}

ProfileRequest profiles_beside(const std::string& record) {
  return {.folder = record + ".profiles",
          .name = fs::path(record).filename().string() + ".profiles",
          .probes = ProbeSet::of_profiles(),
          .sources = true};
}

std::optional<ProfileRequest> request_of(const ProfileOptions& options, const std::string& record) {
  if (!options.wanted) return std::nullopt;
  ProfileRequest request = profiles_beside(record);
  request.probes = probes_of(options);
  request.sources = !options.no_sources;
  return request;
}

}  // namespace tally::cli
