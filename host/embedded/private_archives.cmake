# Included by folders whose archives users link: they replace nothing of the program's standard library (archive.sh).
find_program(TALLY_GNU_LD NAMES ld.bfd ld)
find_program(TALLY_GNU_NM NAMES nm)
find_program(TALLY_GNU_OBJCOPY NAMES objcopy)
mark_as_advanced(TALLY_GNU_LD TALLY_GNU_NM TALLY_GNU_OBJCOPY)
# What sanitizers register of an object has to stay in its group.
if(TALLY_GNU_LD AND TALLY_GNU_NM AND TALLY_GNU_OBJCOPY AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize|-flto")
  set(CMAKE_CXX_ARCHIVE_CREATE "${CMAKE_COMMAND} -E env LD=${TALLY_GNU_LD} NM=${TALLY_GNU_NM} OBJCOPY=${TALLY_GNU_OBJCOPY} \
${CMAKE_CURRENT_LIST_DIR}/archive.sh <CMAKE_AR> <TARGET> <OBJECTS>")
  set(CMAKE_CXX_ARCHIVE_APPEND ${CMAKE_CXX_ARCHIVE_CREATE})
endif()
