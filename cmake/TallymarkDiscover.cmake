# The benchmarks of a program as CTest tests, each held to a limit against a baseline.
#
#   tally_discover_benchmarks(TARGET
#     [BASELINE FILE]            a record of tally; TARGET.baseline.json in the source folder unless it is given
#     [LIMIT +1%]                of instructions, as `tally check --limit instructions=…` takes it
#     [MAX_AGE DAYS]             of the baseline, as `tally check --max-age`: 90 unless it is given; 0: any
#     [FILTER PATTERN…]          as `tally run --filter`
#     [WORKING_DIRECTORY FOLDER] the build folder unless it is given
#     [PROPERTIES NAME VALUE…])  of every test
#
# The program lists its benchmarks each time that ctest starts. One test, TARGET, counts all of them in one run; it is the
# fixture of the others, one for each case id, which judge that run and take milliseconds. Runs of several programs take
# turns (RESOURCE_LOCK), however many tests ctest starts at once. The target TARGET_baseline measures the baseline anew.
#
# TALLY_EXECUTABLE is the command. Where it was installed with this file, it is found.
find_program(TALLY_EXECUTABLE tally HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin DOC "The command tally, which measures benchmark programs")

function(tally_discover_benchmarks target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "BASELINE;LIMIT;MAX_AGE;WORKING_DIRECTORY" "FILTER;PROPERTIES")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "tally_discover_benchmarks: there is no target '${target}': add_executable(${target} …) comes first")
  endif()
  if(ARG_UNPARSED_ARGUMENTS OR ARG_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "tally_discover_benchmarks(${target}): '${ARG_UNPARSED_ARGUMENTS}${ARG_KEYWORDS_MISSING_VALUES}' is no "
      "option, or has no value; the options are BASELINE, LIMIT, MAX_AGE, FILTER, WORKING_DIRECTORY and PROPERTIES")
  endif()
  if(NOT ARG_LIMIT)
    set(ARG_LIMIT "+1%")
  endif()
  if(NOT ARG_LIMIT MATCHES "^\\+?[0-9.]+%?$")
    message(FATAL_ERROR "tally_discover_benchmarks(${target}): LIMIT '${ARG_LIMIT}' is none; write \"+1%\", or a number of instructions")
  endif()
  if(NOT DEFINED ARG_MAX_AGE)
    set(ARG_MAX_AGE 90)
  endif()
  if(NOT ARG_WORKING_DIRECTORY)
    set(ARG_WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  if(NOT ARG_BASELINE)
    set(ARG_BASELINE ${target}.baseline.json)
  endif()
  get_filename_component(ARG_BASELINE ${ARG_BASELINE} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})

  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/TallymarkTests.cmake)
  # What both the tests and the baseline's target read: one file for each configuration.
  set(facts ${CMAKE_CURRENT_BINARY_DIR}/${target}-tally)
  string(CONCAT text
    "set(tally [==[${TALLY_EXECUTABLE}]==])\nset(target [==[${target}]==])\nset(program [==[$<TARGET_FILE:${target}>]==])\n"
    "set(baseline [==[${ARG_BASELINE}]==])\nset(limit [==[${ARG_LIMIT}]==])\nset(max_age [==[${ARG_MAX_AGE}]==])\n"
    "set(filters [==[${ARG_FILTER}]==])\nset(folder [==[${ARG_WORKING_DIRECTORY}]==])\nset(properties [==[${ARG_PROPERTIES}]==])\n"
    "set(record [==[${facts}-$<CONFIG>.json]==])\nset(build [==[${CMAKE_BINARY_DIR}]==])\n"
    "set(script [==[${script}]==])\nset(cmake [==[${CMAKE_COMMAND}]==])\nset(facts [==[${facts}-$<CONFIG>.cmake]==])\n")
  file(GENERATE OUTPUT ${facts}-$<CONFIG>.cmake CONTENT "${text}")
  get_property(several GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  set(one "${CMAKE_BUILD_TYPE}")
  set(which "")
  if(several)
    set(one "\${CTEST_CONFIGURATION_TYPE}")
    # For a ctest that names none of them.
    list(JOIN CMAKE_CONFIGURATION_TYPES ", " names)
    string(CONCAT which "set(tally_target [==[${target}]==])\nset(tally_configurations [==[${names}]==])\n"
      "set(tally_cmake [==[${CMAKE_COMMAND}]==])\nset(tally_script [==[${script}]==])\n")
  endif()
  file(WRITE ${facts}.cmake "set(tally_facts \"${facts}-${one}.cmake\")\n${which}include([==[${script}]==])\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${facts}.cmake)

  add_custom_target(${target}_baseline
    COMMAND ${CMAKE_COMMAND} -Dtally_facts=${facts}-$<CONFIG>.cmake -Dtally_step=baseline -P ${script}
    DEPENDS ${target} COMMENT "Counting the baseline of ${target}" USES_TERMINAL VERBATIM)
endfunction()
