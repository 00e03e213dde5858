#include "history/environment_name.h"

#include "base/digest.h"

namespace tally {
namespace {

constexpr std::size_t kDigits = 12;

}  // namespace

std::string environment_name_of(const Record& record) {
  const std::string& fingerprint = record.fingerprint.environment;
  // Of our own making it is hexadecimal; a record may come from anywhere.
  const bool ours =
      fingerprint.size() >= kDigits && fingerprint.find_first_not_of("0123456789abcdef") == std::string::npos;
  return (ours ? fingerprint : digest(fingerprint)).substr(0, kDigits);
}

std::string processor_name_of(const Record& record) {
  Digest all;
  bool is_known = false;
  for (const auto& [name, environment] : record.environments) {
    if (!environment.machine) continue;
    is_known = true;
    for (const auto& [fact, value] : *environment.machine) all.add(name).add(fact).add(value);
  }
  return is_known ? all.hex().substr(0, kDigits) : std::string();
}

}  // namespace tally
