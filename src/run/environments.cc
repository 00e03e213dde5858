#include "run/environments.h"

#include <fmt/format.h>

#include <filesystem>

#include "discovery/mapped.h"
#include "json/text.h"

namespace tally {

namespace {

constexpr std::string_view kBegin = R"({"environment":)";

std::string payload_of(const std::string& name, const Environment& environment, const std::string& start) {
  json::Object payload{{"environment", name}, {"facts", environment.facts}, {"subject", environment.subject}};
  if (!start.empty()) payload["host_start"] = start;
  return json::to_text(std::move(payload));
}

std::map<std::string, std::string> map_of(const json::Value& value) {
  std::map<std::string, std::string> texts;
  if (value.object() == nullptr) return texts;
  for (const auto& [key, text] : *value.object()) texts[key] = text.text_or("");
  return texts;
}

/// Files that are on both sides must be the same.
Status check_same(const std::string& name, const std::map<std::string, std::string>& earlier,
                  const std::map<std::string, std::string>& now) {
  for (const auto& [file, digest] : now) {
    const auto before = earlier.find(file);
    if (before == earlier.end() || before->second == digest) continue;
    return fail(ErrorKind::input,
                fmt::format("{} is another file than the one that the earlier cases were measured with ({}, now {})",
                            file, before->second, digest),
                name, "restore it, or start anew without --resume");
  }
  return {};
}

}  // namespace

EnvironmentRecorder::EnvironmentRecorder(std::map<std::string, Environment>& environments,
                                         const std::map<std::string, ResolvedToolchain>& toolchains,
                                         FileDigests& digests, const std::vector<std::string>& own_folders,
                                         const EnvironmentVariables& variables)
    : environments_(environments), toolchains_(toolchains), digests_(digests), variables_(variables) {
  // What hosts have mapped comes without links: with a linked home, a warm-up's snippet passed for a file of the
  // user's.
  std::error_code code;
  for (const std::string& folder : own_folders)
    own_folders_.push_back(std::filesystem::weakly_canonical(folder, code).string());
}

Status EnvironmentRecorder::on_host(const HostKind& kind, const ReadyHost& host) {
  const std::string name = environment_name(kind.toolchain, to_string(kind.language), kind.runtime);
  Environment& environment = environments_[name];
  const Environment before = environment;
  const bool counts = kind.counted && kind.probe == nullptr;
  std::string start = counts ? host_starts_[name] : std::string();
  if (counts) add_host_start(start, host.of_image ? kStartOfImage : kOrdinaryStart);
  const ResolvedToolchain& toolchain = toolchains_.at(kind.toolchain);
  add_mapped(environment, host.mapped, toolchain, own_folders_, digests_of(toolchain, digests_));
  if (const auto earlier = earlier_.find(name); earlier != earlier_.end()) {
    for (const auto& [then, now] : {std::pair{&earlier->second.facts, &environment.facts},
                                    std::pair{&earlier->second.subject, &environment.subject}}) {
      if (auto same = check_same(name, *then, *now); !same) return same;
    }
  }
  const bool is_known = environment == before && (!counts || host_starts_[name] == start);
  if (counts) host_starts_[name] = start;
  if (journal_ == nullptr || is_known) return {};
  if (auto kept = journal_->append(payload_of(name, environment, start)); !kept) return std::unexpected(kept.error());
  return {};
}

void EnvironmentRecorder::add_digests(std::vector<ProcessCount>& processes, const CommandLine& command) {
  const std::string started = started_file(command, variables_);
  for (ProcessCount& one : processes) {
    const std::string& file = &one == &processes.front() ? started : one.program;
    std::error_code code;
    if (file.starts_with('/') && std::filesystem::is_regular_file(file, code)) one.digest = digests_.of(file);
  }
}

Result<bool> EnvironmentRecorder::take_over(std::string_view payload, const std::string& where) {
  if (!payload.starts_with(kBegin)) return false;
  const auto read = json::parse(payload);
  if (!read) return fail(ErrorKind::input, read.error().message, where);
  const std::string name = (*read)["environment"].text_or("");
  earlier_[name] = {.facts = map_of((*read)["facts"]), .subject = map_of((*read)["subject"]), .fingerprint = {}};
  if (const std::string start = (*read)["host_start"].text_or(""); !start.empty())
    add_host_start(host_starts_[name], start);
  if (const auto known = environments_.find(name); known != environments_.end()) {
    known->second.facts = earlier_[name].facts;
    known->second.subject = earlier_[name].subject;
  }
  return true;
}

}  // namespace tally
