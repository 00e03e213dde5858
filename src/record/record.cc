#include "record/record.h"

#include <algorithm>

#include "base/digest.h"

namespace tally {

std::string_view to_string(CaseStatus status) {
  switch (status) {
    case CaseStatus::ok:
      return "ok";
    case CaseStatus::failed:
      return "failed";
    case CaseStatus::timeout:
      return "timeout";
    case CaseStatus::crashed:
      return "crashed";
    case CaseStatus::skipped:
      return "skipped";
  }
  return "failed";
}

std::string environment_name(std::string_view toolchain, std::string_view language, std::string_view runtime) {
  std::string name = std::string(toolchain).append(" [").append(language);
  if (!runtime.empty()) name.append(" ").append(runtime);
  return name.append("]");
}

const Environment* environment_of(const Record& record, const CaseRecord& one) {
  if (one.environment) {
    const auto found = record.environments.find(*one.environment);
    return found == record.environments.end() ? nullptr : &found->second;
  }
  for (const std::string& name : {environment_name(one.toolchain, one.language, one.runtime),
                                  environment_name(one.toolchain, one.language), one.toolchain}) {
    if (const auto found = record.environments.find(name); found != record.environments.end()) return &found->second;
  }
  return nullptr;
}

void add_host_start(std::string& known, std::string_view start) {
  if (known != kOrdinaryStart && !start.empty()) known = start;
}

void add_host_starts(RecordedSettings& settings, const RecordedSettings& other) {
  if (!other.host_start) return;
  if (!settings.host_start) settings.host_start.emplace();
  for (const auto& [environment, start] : *other.host_start) add_host_start((*settings.host_start)[environment], start);
}

void set_fingerprints(Record& record) {
  const auto fingerprint = [](const std::map<std::string, std::string>& map) {
    Digest digest;
    for (const auto& [key, value] : map) digest.add(key).add(value);
    return digest.hex();
  };
  Digest environment;
  Digest subject;
  for (auto& [name, one] : record.environments) {
    one.fingerprint = {fingerprint(one.facts), fingerprint(one.subject)};
    environment.add(name).add(one.fingerprint.environment);
    subject.add(name).add(one.fingerprint.subject);
  }
  record.fingerprint = {environment.hex(), subject.hex()};
}

bool was_tried(const CaseAttempts& one) {
  if (one.status != CaseStatus::skipped) return true;
  return std::ranges::any_of(one.attempts, [](const Attempt& tried) { return tried.outcome != CaseStatus::skipped; });
}

LastTimes last_times(const Record& record) {
  LastTimes seconds;
  for (const CaseRecord& one : record.cases) {
    double all = 0;
    for (const Attempt& tried : one.attempts) all += tried.seconds;
    if (was_tried(one)) seconds[one.id] = all;
  }
  return seconds;
}

const CaseRecord* find_case(const Record& record, std::string_view id) {
  const auto it = std::ranges::find(record.cases, id, &CaseRecord::id);
  return it == record.cases.end() ? nullptr : &*it;
}

Machine first_machine(const Record& record) { return record.machines.empty() ? Machine{} : record.machines.front(); }

}  // namespace tally
