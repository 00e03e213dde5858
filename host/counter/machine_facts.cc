#include "machine_facts.h"

#include "command.h"
#include "image/system.h"

namespace tally::counter {

namespace {

namespace system = host::system;

/// The kernel's struct new_utsname: six texts of one size.
constexpr SizeT kNameSize = 65;

struct List {
  const HChar* name;
  const HChar* text;
};
constexpr HChar kProcessors[] = "/sys/devices/system/cpu/";
constexpr List kLists[] = {
    {"possible", "0-1\n"}, {"present", "0-1\n"}, {"online", "0-1\n"}, {"offline", "\n"}, {"kernel_max", "255\n"}};

const HChar* text_of(const HChar* path) {
  constexpr SizeT kLength = sizeof kProcessors - 1;
  if (VG_(strncmp)(path, kProcessors, kLength) != 0) return nullptr;
  for (const List& list : kLists) {
    if (VG_(strcmp)(path + kLength, list.name) == 0) return list.text;
  }
  return nullptr;
}

/// Under this number the guest reads the text, where it had opened the kernel's file.
void replace(long descriptor, const HChar* text) {
  const long file = system::call(system::kMemfdCreate, system::address("processors"), 1);
  if (file < 0) return;
  system::call(system::kWrite, file, system::address(text), static_cast<long>(VG_(strlen)(text)));
  system::call(system::kLseek, file, 0, 0);
  const long flags = system::call(system::kFcntl, descriptor, system::kGetFlags);
  system::call(system::kDup3, file, descriptor, flags > 0 ? system::kOpenOnly : 0);
  system::call(system::kClose, file);
}

/// CPython keeps integers of up to 256, and makes an object of any other: numbers of disks and files are all others.
/// How large a folder is, and in how many blocks a file lies, each file system says in its own way.
void describe_alike(UWord place) {
  constexpr std::uint64_t kFew = 1U << 16U;
  constexpr std::uint64_t kBlock = 4096;
  constexpr std::uint64_t kSectors = kBlock / 512;
  // A command may go by them: `tar -S` and `cp` leave out the holes of a file.
  if (counts_command()) return;
  auto& about = *reinterpret_cast<system::Stat*>(place);  // NOLINT(performance-no-int-to-ptr): the guest's
  if (about.device < kFew) about.device += kFew;
  if (about.inode < kFew) about.inode += kFew << 32U;
  if (about.is_folder()) about.size = kBlock;
  if (!about.is_folder() && !about.is_regular()) return;
  about.block = kBlock;
  about.blocks = (about.size + kBlock - 1) / kBlock * kSectors;
}

}  // namespace

void answer_for_machine(UInt number, const UWord* arguments, SysRes result) {
  if (sr_isError(result)) return;
  if (number == system::kStat || number == system::kFstat || number == system::kLstat) {
    describe_alike(arguments[1]);
  } else if (number == system::kNewfstatat) {
    describe_alike(arguments[2]);
  } else if (number == system::kUname) {
    auto* const name = reinterpret_cast<HChar*>(arguments[0]) + kNameSize;  // NOLINT(performance-no-int-to-ptr)
    VG_(memset)(name, 0, kNameSize);
    VG_(strcpy)(name, "localhost");
  } else if (number == system::kOpen || number == system::kOpenat) {
    const UWord path = arguments[number == system::kOpen ? 0 : 1];
    const HChar* const text = text_of(reinterpret_cast<const HChar*>(path));  // NOLINT(performance-no-int-to-ptr)
    if (text != nullptr) replace(static_cast<long>(sr_Res(result)), text);
  }
}

}  // namespace tally::counter
