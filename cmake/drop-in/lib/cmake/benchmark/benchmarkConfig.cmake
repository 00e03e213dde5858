# find_package(benchmark), answered by Tallymark: benchmark::benchmark and benchmark::benchmark_main.
#
# This folder is in none of the places where CMake looks for a package of this name under a prefix, so nobody gets it
# who did not ask for it (docs/guides/cmake.md).
file(REAL_PATH ${CMAKE_CURRENT_LIST_DIR} benchmark_folder)
include(${benchmark_folder}/../../../../../cmake/tallymark/tallymarkTargets.cmake)
foreach(benchmark_name benchmark benchmark_main)
  if(NOT TARGET benchmark::${benchmark_name})
    add_library(benchmark::${benchmark_name} INTERFACE IMPORTED)
    set_property(TARGET benchmark::${benchmark_name} PROPERTY INTERFACE_LINK_LIBRARIES tallymark::${benchmark_name})
  endif()
endforeach()
unset(benchmark_name)
unset(benchmark_folder)
if(NOT benchmark_FIND_QUIETLY)
  message(STATUS "benchmark: Tallymark's, with the interface of Google Benchmark ${benchmark_VERSION}")
endif()
