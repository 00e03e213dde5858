#include "symbols/object_names.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <set>

#include "base/unique_fd.h"
#include "profile/nameless.h"

namespace tally {

namespace {

/// Mapped rather than read: libtorch_cpu has 500 MB, and its symbols are a few of them.
std::vector<ElfFunction> symbols_at(const std::string& path, std::span<const std::uint64_t> addresses) {
  std::vector<ElfFunction> none(addresses.size());
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about{};
  if (!file || ::fstat(file.get(), &about) != 0 || about.st_size == 0) return none;
  const auto size = static_cast<std::size_t>(about.st_size);
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (at == MAP_FAILED) return none;
  std::vector<ElfFunction> found = functions_at({static_cast<const char*>(at), size}, addresses);
  ::munmap(at, size);
  return found;
}

}  // namespace

std::vector<ElfFunction> ObjectNames::at(const std::string& object, std::span<const std::uint64_t> addresses) {
  Object& kept = objects_[object];
  std::vector<std::uint64_t> wanted;
  for (const std::uint64_t address : addresses) {
    if (!kept.known.contains(address)) wanted.push_back(address);
  }
  const std::vector<ElfFunction> found = wanted.empty() ? std::vector<ElfFunction>() : symbols_at(object, wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ElfFunction& known = kept.known[wanted[i]] = found[i];
    if (!known.name.empty()) continue;
    if (!kept.debug) kept.debug.emplace(object);
    known = kept.debug->function_at(wanted[i]);
  }
  std::vector<ElfFunction> names;
  for (const std::uint64_t address : addresses) names.push_back(kept.known[address]);
  return names;
}

Profile with_object_names(const Profile& profile, ObjectNames& names) {
  std::map<std::string, std::set<std::uint64_t>> nameless;
  for (const Profile::Function& function : profile.functions) {
    if (const auto address = nameless_address(profile.name_of(function)))
      nameless[profile.object_of(function)].insert(*address);
  }
  if (nameless.empty()) return profile;
  std::map<std::pair<std::string, std::uint64_t>, ElfFunction> found;
  for (const auto& [object, addresses] : nameless) {
    const std::vector<std::uint64_t> wanted(addresses.begin(), addresses.end());
    const std::vector<ElfFunction> of_object = names.at(object, wanted);
    for (std::size_t i = 0; i < wanted.size(); ++i) found[{object, wanted[i]}] = of_object[i];
  }
  return with_names(profile, [&found](const std::string& object, std::uint64_t address) {
    const ElfFunction& function = found[{object, address}];
    return CodeName{.name = function.name, .is_entry = function.begins == address};
  });
}

}  // namespace tally
