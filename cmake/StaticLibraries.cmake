# Libraries that not every distribution has are linked statically where there is an archive of them (Debian has them): a
# wheel holds the very program that was built here. Sets TALLY_XXHASH, TALLY_SQLITE, TALLY_DW (elfutils, with what reads
# compressed sections) and how find_package(ZLIB) looks.
find_library(TALLY_XXHASH NAMES libxxhash.a xxhash REQUIRED)
find_library(TALLY_SQLITE NAMES libsqlite3.a sqlite3 REQUIRED)
find_library(TALLY_STATIC_ZLIB NAMES libz.a)
if(TALLY_STATIC_ZLIB)
  set(ZLIB_USE_STATIC_LIBS ON)
endif()
find_library(TALLY_STATIC_DW NAMES libdw.a)
find_library(TALLY_STATIC_ELF NAMES libelf.a)
find_library(TALLY_STATIC_LZMA NAMES liblzma.a)
find_library(TALLY_STATIC_BZ2 NAMES libbz2.a)
if(TALLY_STATIC_DW AND TALLY_STATIC_ELF AND TALLY_STATIC_LZMA AND TALLY_STATIC_BZ2)
  set(TALLY_DW ${TALLY_STATIC_DW} ${TALLY_STATIC_ELF} ${TALLY_STATIC_LZMA} ${TALLY_STATIC_BZ2})
else()
  find_library(TALLY_SHARED_DW NAMES dw REQUIRED)
  set(TALLY_DW ${TALLY_SHARED_DW})
endif()
mark_as_advanced(TALLY_XXHASH TALLY_SQLITE TALLY_STATIC_ZLIB TALLY_STATIC_DW TALLY_STATIC_ELF TALLY_STATIC_LZMA TALLY_STATIC_BZ2
  TALLY_SHARED_DW)
