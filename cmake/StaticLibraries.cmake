# Libraries that not every distribution has are linked statically where there is an archive of them (Debian has them): a
# wheel holds the very program that was built here. Sets TALLY_XXHASH, TALLY_ZSTD, TALLY_IBERTY, TALLY_SQLITE, TALLY_DW (elfutils, with what reads
# compressed sections) and how find_package(ZLIB) looks.
find_library(TALLY_XXHASH NAMES libxxhash.a xxhash REQUIRED)
find_library(TALLY_ZSTD NAMES libzstd.a zstd REQUIRED)
find_library(TALLY_IBERTY NAMES libiberty.a iberty REQUIRED)
find_library(TALLY_SQLITE NAMES libsqlite3.a sqlite3 REQUIRED)
find_library(TALLY_STATIC_ZLIB NAMES libz.a)
if(TALLY_STATIC_ZLIB)
  set(ZLIB_USE_STATIC_LIBS ON)
endif()
find_library(TALLY_STATIC_DW NAMES libdw.a)
find_library(TALLY_STATIC_ELF NAMES libelf.a)
find_library(TALLY_STATIC_LZMA NAMES liblzma.a)
find_library(TALLY_STATIC_BZ2 NAMES libbz2.a)
# All of them, or none: Debian 13's archives of elfutils lack a part of themselves (eu_search_tree_init and others).
if(TALLY_STATIC_DW AND TALLY_STATIC_ELF AND TALLY_STATIC_LZMA AND TALLY_STATIC_BZ2 AND TALLY_STATIC_ZLIB)
  include(CheckCXXSourceCompiles)
  set(static_dw ${TALLY_STATIC_DW} ${TALLY_STATIC_ELF} ${TALLY_STATIC_LZMA} ${TALLY_STATIC_BZ2})
  set(CMAKE_REQUIRED_LIBRARIES ${static_dw} ${TALLY_STATIC_ZLIB})
  check_cxx_source_compiles("#include <elfutils/libdw.h>
    int main() { return dwarf_begin(0, DWARF_C_READ) != nullptr; }" TALLY_STATIC_DW_LINKS)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
if(TALLY_STATIC_DW_LINKS)
  set(TALLY_DW ${static_dw})
else()
  find_library(TALLY_SHARED_DW NAMES dw REQUIRED)
  set(TALLY_DW ${TALLY_SHARED_DW})
endif()
mark_as_advanced(TALLY_XXHASH TALLY_ZSTD TALLY_IBERTY TALLY_SQLITE TALLY_STATIC_ZLIB TALLY_STATIC_DW TALLY_STATIC_ELF TALLY_STATIC_LZMA TALLY_STATIC_BZ2
  TALLY_SHARED_DW)
