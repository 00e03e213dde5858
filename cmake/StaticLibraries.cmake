# Libraries that not every distribution has are linked statically where there is an archive of them (Debian has them): a
# wheel holds the very program that was built here. Sets TALLY_XXHASH and how find_package(ZLIB) looks.
find_library(TALLY_XXHASH NAMES libxxhash.a xxhash REQUIRED)
find_library(TALLY_STATIC_ZLIB NAMES libz.a)
if(TALLY_STATIC_ZLIB)
  set(ZLIB_USE_STATIC_LIBS ON)
endif()
mark_as_advanced(TALLY_XXHASH TALLY_STATIC_ZLIB)
