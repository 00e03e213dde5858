#include "record/record.h"

#include <algorithm>

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
  for (const std::string& name : {environment_name(one.toolchain, one.language, one.runtime),
                                  environment_name(one.toolchain, one.language), one.toolchain}) {
    if (const auto found = record.environments.find(name); found != record.environments.end()) return &found->second;
  }
  return nullptr;
}

const CaseRecord* find_case(const Record& record, std::string_view id) {
  const auto it = std::ranges::find(record.cases, id, &CaseRecord::id);
  return it == record.cases.end() ? nullptr : &*it;
}

Machine first_machine(const Record& record) { return record.machines.empty() ? Machine{} : record.machines.front(); }

}  // namespace tally
