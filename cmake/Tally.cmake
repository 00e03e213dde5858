# What most files include, parsed once for all layers, and once more, with GoogleTest, for all tests. Each file includes
# what it uses all the same: clang-tidy reads them without (tools/lint.sh). Hosts and the supervisor have no part in it.
option(TALLY_PRECOMPILE "Parse the common headers once" ON)
set(TALLY_COMMON_HEADERS <algorithm> <array> <chrono> <cmath> <cstdint> <cstring> <expected> <filesystem> <fstream> <functional>
  <map> <memory> <optional> <set> <span> <sstream> <string> <string_view> <utility> <variant> <vector> <fmt/format.h>
  <fmt/ranges.h>)

# A layer's files are compiled eight at a time, and so are a program's tests: what they all include is parsed, and what they
# all instantiate compiled, once for eight. The names of anonymous namespaces are therefore a layer's, not a file's. Not in
# the dev preset, where one touched file should be one compilation; clang-tidy reads each file alone (tools/lint.sh).
option(TALLY_UNITY "Compile a layer's files eight at a time" ON)
function(tally_parse_once target owner)
  if(NOT TALLY_PRECOMPILE)
    return()
  endif()
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    # Without dates in it, so that a compiler cache may keep it.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# What a release's own -O3 is too much for: layers that wait for people, files and other processes are a quarter smaller,
# and compiled in three quarters of the time, where less is copied into its callers. A wheel has a limit (docs/decisions).
function(tally_compile_small target)
  set(small -O2 $<$<CXX_COMPILER_ID:Clang>:SHELL:-mllvm -inline-threshold=40>)
  target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:${small}>")
endfunction()

# One static library per layer of src/, its unit tests beside the sources, and its fuzz targets.
#
#   tally_layer(NAME base SOURCES a.cc DEPENDS error LINK fmt::fmt TESTS a_test.cc FUZZ a_fuzz.cc)
#
# makes the library tally_NAME, the test program NAME_test (each TEST() is one CTest case), and, in the fuzz preset, one
# libFuzzer program per FUZZ source. DEPENDS names other layers; tools/check_layers.py holds the includes to the design.
# IN_HOSTS: what runs the statements links it too, and is compiled as it stands. All else has the assertions of the standard
# library on: tests run the objects that users run. FAST: its time is what a user waits for.
function(tally_layer)
  cmake_parse_arguments(ARG "IN_HOSTS;FAST" "NAME" "SOURCES;DEPENDS;LINK;TESTS;FUZZ" ${ARGN})
  set(target tally_${ARG_NAME})
  add_library(${target} STATIC ${ARG_SOURCES})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM ARG_DEPENDS PREPEND tally_)
  target_link_libraries(${target} PUBLIC ${ARG_DEPENDS} ${ARG_LINK} PRIVATE tally_warnings)
  if(ARG_IN_HOSTS)
    set(in_hosts IN_HOSTS)
  else()
    target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
    tally_parse_once(${target} tally_base ${TALLY_COMMON_HEADERS})
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${TALLY_UNITY} UNITY_BUILD_BATCH_SIZE 8)
    if(NOT ARG_FAST)
      tally_compile_small(${target})
    endif()
  endif()
  if(BUILD_TESTING AND ARG_TESTS)
    tally_test(NAME ${ARG_NAME}_test SOURCES ${ARG_TESTS} LINK ${target} ${in_hosts})
  endif()
  if(TALLY_FUZZ)
    foreach(source IN LISTS ARG_FUZZ)
      tally_fuzzer(${source} ${target})
    endforeach()
  endif()
endfunction()

# A libFuzzer program of one source, named after it; the rest of the arguments is linked.
function(tally_fuzzer source)
  if(NOT TARGET fuzzers)
    add_custom_target(fuzzers)  # them alone: half of what there is to build
  endif()
  cmake_path(GET source STEM stem)
  add_executable(${stem} ${source})
  target_link_libraries(${stem} PRIVATE ${ARGN} tally_warnings)
  target_link_options(${stem} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${stem} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  add_dependencies(fuzzers ${stem})
endfunction()

# A GoogleTest program, run from the repository root; tests needing the built tools read TALLY_BUILD_DIR. A file whose names
# are another's too has SKIP_UNITY_BUILD_INCLUSION.
function(tally_test)
  cmake_parse_arguments(ARG "IN_HOSTS" "NAME;TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_link_libraries(${ARG_NAME} PRIVATE ${ARG_LINK} tally_warnings GTest::gmock_main)
  target_compile_definitions(${ARG_NAME} PRIVATE TALLY_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TALLY_BUILD_DIR="${CMAKE_BINARY_DIR}")
  if(NOT ARG_IN_HOSTS)
    target_compile_definitions(${ARG_NAME} PRIVATE _GLIBCXX_ASSERTIONS)
    # -O1 takes 1.8 times as long to compile, and a test's own code takes no time to speak of.
    target_compile_options(${ARG_NAME} PRIVATE $<$<CONFIG:Release>:-O0>)
    tally_parse_once(${ARG_NAME} base_test ${TALLY_COMMON_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)
    set_target_properties(${ARG_NAME} PROPERTIES UNITY_BUILD ${TALLY_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  endif()
  set_target_properties(${ARG_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  set(properties TIMEOUT ${ARG_TIMEOUT})
  if(ARG_LABELS)  # an empty one would take the next word for its value
    list(APPEND properties LABELS "${ARG_LABELS}")
  endif()
  gtest_discover_tests(${ARG_NAME} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} DISCOVERY_MODE PRE_TEST
    PROPERTIES ${properties})
endfunction()
