/// Where the functions of Google Benchmark are, in a program that is already built: in its shared library, whose
/// functions are then taken over by their names; or in the program itself, where the library was linked statically.
/// Then this library's functions of the same names are jumped to from the first bytes of the program's own, and those
/// bytes are put back while the program's own are called.
///
/// Works on programs for x86-64 that have kept their symbol table.
#pragma once

#include <cstddef>

namespace tally::preload {

/// Before anything of the program runs; `program` is how it was started (argv[0]). Ends the process, and says why,
/// where the program has such functions that cannot be taken over.
void take_over(const char* program);

/// The library's own function of this (mangled) name; null where there is none.
void* find(const char* name);

/// For as long as it lives, a function is the program's own. Does nothing to one of a shared library.
class Untaken {
 public:
  explicit Untaken(void* function);
  ~Untaken();
  Untaken(const Untaken&) = delete;
  Untaken& operator=(const Untaken&) = delete;

 private:
  std::size_t place_;  ///< Among those taken over.
};

/// Gives all functions back whose names begin so, until they are taken again. Those of a shared library stay taken.
void give_back(const char* prefix);
void take_again(const char* prefix);

}  // namespace tally::preload
