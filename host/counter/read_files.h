/// The files that the guest has looked at since its start: an image is of a process that found them so.
///
/// Kept while an image may be written, and only then. Of a file it is what it was when it was looked at first; one that
/// was looked for in vain must not be there later. Of folders only those of installed packages are kept, in which an
/// import may look for plugins: others change by the day (records are written into them), and an interpreter looks
/// through them anew. What the kernel makes up is left out, and what lies below the folder of dumps.
///
/// Of a user's program more is kept: files that it opens to read and to write, those that it names by a folder that it
/// has open, and the names in each folder that it lists; but nothing that it has made itself, and no record that it has
/// not opened. What a process reads that it has started, nobody knows.
#pragma once

#include "valgrind.h"

namespace tally::host::system {
struct Stat;
}

namespace tally::counter {

struct ReadFile {
  const HChar* name = nullptr;
  ULong inode = 0;  ///< 0: it was not there. image::kListedFolder: `size` and `changed` are those of FolderNames.
  ULong size = 0;
  Long changed = 0;
  Long changed_ns = 0;
  Bool is_own = False;  ///< The process has made it.

  [[nodiscard]] bool is(const host::system::Stat& about) const;
};

/// False: it is no option of ours.
Bool take_read_files_option(const HChar* argument);
/// What lies beside such a file is the process's own.
void leave_out_dumps(const HChar* name);
void begin_keeping_read_files();
void end_keeping_read_files();
/// In the child of a fork.
void read_files_in_child();

/// Before and after each system call of the guest's.
void look_for_new_file(UInt number, const UWord* arguments);
void keep_read_files(UInt number, const UWord* arguments, SysRes result);

/// Null, or why there is to be no image: more was read than is known.
const HChar* why_reading_is_unknown();
UInt read_files();
const ReadFile& read_file(UInt number);

}  // namespace tally::counter
