# One static library per layer of src/, its unit tests beside the sources, and its fuzz targets.
#
#   tally_layer(NAME base SOURCES a.cc DEPENDS error LINK fmt::fmt TESTS a_test.cc FUZZ a_fuzz.cc)
#
# makes the library tally_NAME, the test program NAME_test (each TEST() is one CTest case), and, in the fuzz preset, one
# libFuzzer program per FUZZ source. DEPENDS names other layers; tools/check_layers.py holds the includes to the design.
function(tally_layer)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;DEPENDS;LINK;TESTS;FUZZ" ${ARGN})
  set(target tally_${ARG_NAME})
  add_library(${target} STATIC ${ARG_SOURCES})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM ARG_DEPENDS PREPEND tally_)
  target_link_libraries(${target} PUBLIC ${ARG_DEPENDS} ${ARG_LINK} PRIVATE tally_warnings)
  if(BUILD_TESTING AND ARG_TESTS)
    tally_test(NAME ${ARG_NAME}_test SOURCES ${ARG_TESTS} LINK ${target})
  endif()
  if(TALLY_FUZZ)
    foreach(source IN LISTS ARG_FUZZ)
      cmake_path(GET source STEM stem)
      add_executable(${stem} ${source})
      target_link_libraries(${stem} PRIVATE ${target} tally_warnings)
      target_link_options(${stem} PRIVATE -fsanitize=fuzzer)
      set_target_properties(${stem} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
    endforeach()
  endif()
endfunction()

# A GoogleTest program, run from the repository root; tests needing the built tools read TALLY_BUILD_DIR. Programs with
# the same LOCK never run at the same time.
function(tally_test)
  cmake_parse_arguments(ARG "" "NAME;TIMEOUT;LOCK" "SOURCES;LINK;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  target_link_libraries(${ARG_NAME} PRIVATE ${ARG_LINK} tally_warnings GTest::gmock_main)
  target_compile_definitions(${ARG_NAME} PRIVATE TALLY_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TALLY_BUILD_DIR="${CMAKE_BINARY_DIR}")
  set_target_properties(${ARG_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  gtest_discover_tests(${ARG_NAME} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} DISCOVERY_MODE PRE_TEST
    PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}" RESOURCE_LOCK "${ARG_LOCK}")
endfunction()
