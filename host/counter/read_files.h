/// The files that the guest has looked at since its start: an image is of a process that found them so.
///
/// Kept while an image may be written, and only then. Of a file it is what it was when it was looked at first; one that
/// was looked for in vain must not be there later. Of folders only those of installed packages are kept, in which an
/// import may look for plugins: others change by the day (records are written into them), and an interpreter looks
/// through them anew. What the kernel makes up is left out.
#pragma once

#include "valgrind.h"

namespace tally::host::system {
struct Stat;
}

namespace tally::counter {

struct ReadFile {
  const HChar* name = nullptr;
  ULong inode = 0;  ///< 0: it was not there.
  ULong size = 0;
  Long changed = 0;
  Long changed_ns = 0;

  [[nodiscard]] bool is(const host::system::Stat& about) const;
};

void begin_keeping_read_files();
void end_keeping_read_files();

/// After each system call of the guest's.
void keep_read_files(UInt number, const UWord* arguments, SysRes result);

UInt read_files();
const ReadFile& read_file(UInt number);

}  // namespace tally::counter
