/// The lists that the guest reads of folders, in the order of the names' bytes.
///
/// The kernel lists a folder in an order of its file system's, so a copy of the same files was listed in another one.
/// What reads a list keeps each name in the order in which it comes, and all that was allocated later lay elsewhere: 24
/// of 41 Python cases moved by up to 0.7 %. A list is read to its end when its first piece is requested, and is given
/// in pieces of the size that the guest asks for; places in it (telldir, seekdir) hold.
#pragma once

#include "valgrind.h"

namespace tally::counter {

/// protocol/first_modules.h. False: it is no option of ours.
Bool take_folder_lists_option(const HChar* argument);

/// From here on every folder is listed as it is.
void list_whole_folders();

/// After each system call of the guest's: until list_whole_folders(), a start does not find two files of the C
/// library's that not every machine has, and that it reads through its heap: the list of other names of locales, and
/// the rules of the time zone UTC, which it knows without them.
void hide_library_files(ThreadId thread, UInt number, const UWord* arguments, SysRes result);

/// After each system call of the guest's.
void sort_folder_lists(ThreadId thread, UInt number, const UWord* arguments, SysRes result);

}  // namespace tally::counter
