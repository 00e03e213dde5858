#include "reuse/count_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/digest.h"
#include "session/case_plan.h"

namespace tally {

namespace fs = std::filesystem;

namespace {

std::string name_of(const HostKind& kind) {
  return environment_name(kind.toolchain, to_string(kind.language), kind.runtime);
}

/// A host that counts as cases are counted by default: not under a perturbation, and not to explain something.
bool is_plain(const HostKind& kind) {
  return kind.counted && kind.hash_seed == 0 && kind.environment_padding == 0 && kind.probe == nullptr && !kind.anew;
}

/// Without Valgrind's options: Callgrind and our counter count the same (host/counter/agreement_test.cc), and a run
/// with profiles needs the one, the next without them the other. What of it changes counts is a setting.
std::vector<std::string> own_arguments(const HostSpec& spec) {
  if (!spec.counted) return spec.argv;
  std::vector<std::string> arguments = {spec.argv.front()};
  arguments.insert(arguments.end(), spec.argv.begin() + static_cast<std::ptrdiff_t>(spec.dump_argument),
                   spec.argv.end());
  return arguments;
}

/// The version of Valgrind, and that of tally with its counter, are facts of their own.
bool is_valgrinds(const std::string& file) { return file.contains("/valgrind/") || file.contains("/tally-counter"); }

std::string settings_digest(const Settings& settings, const CaseSettings& own) {
  const CasePlan plan = case_plan(settings, own);
  Digest digest;
  digest.add(fmt::format("{} {} {} {} {} {} {} {} {}", plan.iterations, plan.replicates, plan.max_replicates,
                         settings.isolation, settings.noise_floor, settings.repeat, settings.call_context,
                         plan.system_entropy, kCountingVersion));
  for (const std::string& flag : valgrind_flags(settings)) digest.add(flag);
  if (settings.time_of_day) digest.add(*settings.time_of_day);
  if (plan.exact_iterations && plan.iterations == kUsualIterations) digest.add("exactly");
  return digest.hex();
}

/// Names and contents of all files below.
std::string folder_digest(const fs::path& folder, FileDigests& digests) {
  std::error_code code;
  std::map<std::string, std::string> files;
  for (auto entry = fs::recursive_directory_iterator(folder, code); entry != fs::recursive_directory_iterator();
       entry.increment(code)) {
    if (entry->is_regular_file(code))
      files[entry->path().lexically_relative(folder).string()] = digests.of(entry->path());
  }
  Digest digest;
  for (const auto& [name, content] : files) digest.add(name).add(content);
  return digest.hex();
}

}  // namespace

CountInputsFinder::CountInputsFinder(const Plan& plan, const Settings& settings,
                                     std::map<std::string, Environment> environments,
                                     const std::map<std::string, ResolvedToolchain>& toolchains, const Tool& tool,
                                     std::map<std::size_t, std::string> imports, FileDigests& digests)
    : plan_(plan),
      settings_(settings),
      described_(std::move(environments)),
      toolchains_(toolchains),
      tool_(tool),
      imports_(std::move(imports)),
      digests_(digests) {}

void CountInputsFinder::on_host(const HostKind& kind, const HostSpec& spec, std::span<const std::string> mapped) {
  if (!is_plain(kind)) return;
  const std::string name = name_of(kind);
  Digest digest;
  digest.add(tool_.version).add(tool_.commit);
  const Environment& described = described_[name];
  for (const auto* facts : {&described.facts, &described.subject}) {
    for (const auto& [fact, value] : *facts) digest.add(fact).add(value);
  }
  digest.add(spec.working_folder).add(spec.late_environment.value_or(""));
  for (const std::string& argument : own_arguments(spec)) digest.add(argument);
  for (const auto& [variable, value] : spec.late_variables.value_or(EnvironmentVariables{}))
    digest.add(variable).add(value);
  for (const auto& [variable, value] : spec.environment) digest.add(variable).add(value);
  for (const HostSpec::File& file : spec.files) digest.add(digests_.of(file.path));
  const ResolvedToolchain& toolchain = toolchains_.at(kind.toolchain);
  FileDigests& digests = digests_of(toolchain, digests_);
  const auto add_files = [&](std::span<const std::string> files) {
    for (const std::string& file : files) {
      if (!is_valgrinds(file)) digest.add(file).add(digests.of(file));
    }
  };
  add_files(mapped);
  if (kind.language == Language::python) {
    add_files(toolchain.loaded_files);
    if (toolchain.interpreter && *toolchain.interpreter) add_files((*toolchain.interpreter)->started);
  }
  // Two hosts of one kind are alike; where they are not (a library was replaced meanwhile), neither is known.
  const auto [at, first] = environments_.emplace(name, digest.hex());
  if (!first && at->second != digest.hex()) at->second.clear();
}

std::optional<CountInputs> CountInputsFinder::of(std::size_t index, const MadeFiles& made,
                                                 std::span<const std::string> loaded) {
  const Case& one = plan_.cases[index];
  const auto environment =
      environments_.find(environment_name(one.toolchain, to_string(one.language), one.host_runtime));
  const auto imports = imports_.find(index);
  if (environment == environments_.end() || environment->second.empty() || imports == imports_.end()) return {};
  CountInputs inputs = {{"environment", environment->second}, {"settings", settings_digest(settings_, one.settings)}};
  if (!imports->second.empty()) inputs["imports"] = imports->second;
  if (!made.library.empty()) inputs["library"] = digests_.of(made.library);
  if (!made.artifact.empty()) inputs["artifact"] = folder_digest(made.artifact, digests_);
  for (const std::string& file : loaded) {
    if (file != made.library) inputs[file] = digests_.of(file);
  }
  return inputs;
}

std::optional<CountInputs> CountInputsFinder::of(std::size_t index, const MadeFiles& made, const CountInputs& earlier) {
  std::vector<std::string> files;
  for (const auto& [name, digest] : earlier) {
    if (name.starts_with('/')) files.push_back(name);
  }
  return of(index, made, files);
}

}  // namespace tally
