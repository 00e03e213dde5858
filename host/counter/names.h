/// Which function each stretch is of, and which object.
///
/// Valgrind looks through all objects for one address, 200 of them with PyTorch, so a name is looked up once for each
/// stretch. What a host knows, the processes that are forked from it need not look up again. Owns the names.
#pragma once

#include "stretches.h"
#include "valgrind.h"

namespace tally::counter {

void reserve_names();

/// The path of a code address's object, for addresses in order.
class Objects {
 public:
  explicit Objects(DiEpoch now) : now_(now) {}

  const HChar* name_of(Addr code);
  /// The address in its file.
  Addr in_file(Addr code);

 private:
  void find(Addr code);

  DiEpoch now_;
  const DebugInfo* debug_ = nullptr;  ///< Of the last address.
  Addr begin_ = 0;
  Addr end_ = 0;
};

/// The same text, for as long as the process lives: one for equal ones.
const HChar* kept_name(const HChar* name);

/// Not demangled; where there is no symbol, the address in the object's file, as Callgrind has it. Two stretches of one
/// function have one pointer.
const HChar* function_of(UInt stretch, Objects& objects, DiEpoch now);

/// Before each system call of the guest's. What was executed of a library that it unmaps keeps its names: another one
/// may lie there later.
void keep_names_of_unmapped(UInt number, const UWord* arguments);
/// By Stretch::unmapped.
const HChar* object_of_unmapped(UShort library);
Addr in_file_of_unmapped(UShort library, Addr code);
/// Whether a library lay there that was unmapped, whatever lies there now.
bool was_unmapped(Addr code);

}  // namespace tally::counter
