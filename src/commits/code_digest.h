/// What a shared object executes, as a digest: its code, its data, where they lie, and whom they call by which name.
/// Not its symbol tables, notes and debug information.
///
/// A snippet's object has its cache key in the name of its function, and the key another value whenever a header was
/// written anew: the bytes of the file differ between two builds of one text, the code does not. Pure.
#pragma once

#include <string>
#include <string_view>

namespace tally {

/// Of a 64-bit ELF file's bytes; of anything else the digest of all bytes.
std::string code_digest(std::string_view elf);

}  // namespace tally
