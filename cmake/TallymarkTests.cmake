# What stands behind tally_discover_benchmarks, in three places: ctest includes it to learn its tests; `cmake -P` runs one
# step of it: measure (all benchmarks of a program), check (one case of what was measured), baseline (measure it anew),
# choose (say that ctest was given none of several configurations).
#
# tally_facts: the file with the program's facts. tally_step, tally_case: with -P. tally_target, tally_configurations: of a
# program with several configurations.
cmake_policy(VERSION 3.20)
set(program "")
if(EXISTS "${tally_facts}")
  include("${tally_facts}")
endif()

# Ends the step with one clear sentence, which CMake leaves on one line where it begins with a blank.
function(tally_refuse)
  list(JOIN ARGV "" text)
  message(FATAL_ERROR " ${text}")
endfunction()

# The arguments of `tally run` and `tally list` that name the program and its cases.
function(tally_source result)
  set(words --program "${program}")
  foreach(filter IN LISTS filters)
    list(APPEND words --filter "${filter}")
  endforeach()
  set(${result} "${words}" PARENT_SCOPE)
endfunction()

function(tally_measure into result)
  if(NOT EXISTS "${tally}")
    tally_refuse("${target}: the command tally is not found: install it, or configure with -DTALLY_EXECUTABLE=/path/to/tally")
  endif()
  if(NOT EXISTS "${program}")
    tally_refuse("${target}: ${program} is not built: cmake --build ${build} --target ${target}")
  endif()
  tally_source(source)
  file(REMOVE "${into}")
  execute_process(COMMAND "${tally}" run ${source} --counts-only --json "${into}"
    WORKING_DIRECTORY "${folder}" RESULT_VARIABLE code)
  set(${result} "${code}" PARENT_SCOPE)
endfunction()

# The ids of a text with one on each line, as a list that any id may stand in.
function(tally_lines text result)
  string(REPLACE ";" "\\;" text "${text}")
  string(ASCII 1 open)
  string(ASCII 2 close)
  string(REPLACE "[" "${open}" text "${text}")
  string(REPLACE "]" "${close}" text "${text}")
  string(REGEX REPLACE "\n+$" "" text "${text}")
  string(REPLACE "\n" ";" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

function(tally_add_case id)
  string(ASCII 1 open)
  string(ASCII 2 close)
  string(REPLACE "${open}" "[" id "${id}")
  string(REPLACE "${close}" "]" id "${id}")
  add_test("${id}" "${cmake}" "-Dtally_facts=${facts}" -Dtally_step=check "-Dtally_case=${id}" -P "${script}")
  set_tests_properties("${id}" PROPERTIES FIXTURES_REQUIRED "tally:${build}:${target}" ${properties})
endfunction()

# The test that counts all; it says the reason where there are no others.
function(tally_add_measure)
  add_test("${target}" "${cmake}" "-Dtally_facts=${facts}" -Dtally_step=measure -P "${script}")
  set_tests_properties("${target}" PROPERTIES RESOURCE_LOCK tally_cpus ${properties} FIXTURES_SETUP "tally:${build}:${target}")
endfunction()

function(tally_add_tests)
  tally_add_measure()
  if(NOT EXISTS "${tally}" OR NOT EXISTS "${program}")
    return()
  endif()
  tally_source(source)
  execute_process(COMMAND "${tally}" list ${source} WORKING_DIRECTORY "${folder}"
    OUTPUT_VARIABLE listed ERROR_QUIET RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    return()  # the measuring test meets the same reason, and shows it
  endif()
  tally_lines("${listed}" ids)
  foreach(id IN LISTS ids)
    tally_add_case("${id}")
  endforeach()
  # A case that only the baseline has is gone, which is no pass.
  if(EXISTS "${baseline}")
    file(READ "${baseline}" text)
    string(REGEX MATCHALL "\n *{\"id\":\"([^\"\\]|\\\\.)*\"" found "${text}")
    string(REGEX REPLACE "\n *{\"id\":\"(([^\"\\]|\\\\.)*)\"" "\\1\n" text "${found}")
    string(REPLACE "\n;" "\n" text "${text}")
    string(REGEX REPLACE "\\\\([\"\\])" "\\1" text "${text}")
    tally_lines("${text}" known)
    if(known)
      list(REMOVE_ITEM known ${ids})
    endif()
    foreach(id IN LISTS known)
      tally_add_case("${id}")
    endforeach()
  endif()
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE OR NOT tally_step)
  if(program)
    tally_add_tests()
  elseif(tally_configurations)
    # Without a test ctest would end with 0.
    add_test("${tally_target}" "${tally_cmake}" "-Dtally_target=${tally_target}" "-Dtally_configurations=${tally_configurations}"
      -Dtally_step=choose -P "${tally_script}")
  endif()
elseif(tally_step STREQUAL "choose")
  tally_refuse("${tally_target}: no benchmark is measured, for ctest does not know which configuration is meant: give ctest -C "
    "CONFIG, one of ${tally_configurations}")
elseif(tally_step STREQUAL "measure")
  tally_measure("${record}" code)
  # 1: some case failed. Its own test says so; the others are judged.
  if(NOT code MATCHES "^[01]$" OR NOT EXISTS "${record}")
    tally_refuse("${target}: tally did not measure it (exit code ${code}), for the reason above")
  endif()
elseif(tally_step STREQUAL "check")
  if(NOT EXISTS "${baseline}")
    tally_refuse("${target}: there is no baseline ${baseline} yet. Measure one: cmake --build ${build} --target ${target}_baseline")
  endif()
  execute_process(COMMAND "${tally}" check "${baseline}" "${record}" --case "${tally_case}" --limit "instructions=${limit}"
    --max-age "${max_age}" RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    tally_refuse("${tally_case}: no pass (exit code ${code} of tally check). Where the new count is meant: "
      "cmake --build ${build} --target ${target}_baseline")
  endif()
elseif(tally_step STREQUAL "baseline")
  # Beside it first: what fails, or is interrupted, leaves the old one as it was.
  tally_measure("${record}.new" code)
  if(NOT code EQUAL 0)
    tally_refuse("${target}: not every benchmark was measured (exit code ${code}), so ${baseline} stays as it was")
  endif()
  get_filename_component(parent "${baseline}" DIRECTORY)
  file(MAKE_DIRECTORY "${parent}")
  configure_file("${record}.new" "${baseline}" COPYONLY)
  file(REMOVE "${record}.new")
  message(STATUS "the baseline is ${baseline}")
endif()
