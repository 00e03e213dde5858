# Installs what makes other projects' builds take Tallymark for Google Benchmark, with no line of them changed
# (docs/guides/cmake.md): a folder that has what an installation of Google Benchmark has. Headers and archives are links to
# those of this installation, so the prefix may be moved.
#
# It lies where neither find_package(benchmark) nor pkg-config looks by itself.
include(CMakePackageConfigHelpers)
set(sources ${PROJECT_SOURCE_DIR}/cmake/drop-in)
set(folder ${CMAKE_CURRENT_BINARY_DIR}/drop-in)
file(STRINGS ${sources}/CMakeLists.txt project_line REGEX "^project\\(benchmark")
string(REGEX REPLACE ".*VERSION ([0-9.]+).*" "\\1" GOOGLE_INTERFACE "${project_line}")

file(REMOVE_RECURSE ${folder})
file(COPY ${sources}/ DESTINATION ${folder} PATTERN *.in EXCLUDE)
foreach(name lib/pkgconfig/benchmark.pc lib/pkgconfig/benchmark_main.pc meson.build MODULE.bazel)
  configure_file(${sources}/${name}.in ${folder}/${name} @ONLY)
endforeach()
foreach(name benchmark benchmark_main)
  file(CREATE_LINK ../../../libtallymark_${name}.a ${folder}/lib/lib${name}.a SYMBOLIC)
endforeach()
write_basic_package_version_file(${folder}/lib/cmake/benchmark/benchmarkConfigVersion.cmake
  VERSION ${GOOGLE_INTERFACE} COMPATIBILITY SameMajorVersion)
file(MAKE_DIRECTORY ${folder}/include)
file(CREATE_LINK ../../../../include/tallymark/google/benchmark ${folder}/include/benchmark SYMBOLIC)
file(CREATE_LINK ../../../../include/tallymark ${folder}/include/tallymark SYMBOLIC)
file(CREATE_LINK ../../../../include/tally ${folder}/include/tally SYMBOLIC)
install(DIRECTORY ${folder} DESTINATION lib/tallymark COMPONENT development)

configure_file(${PROJECT_SOURCE_DIR}/cmake/tallymark-benchmark.pc.in tallymark-benchmark.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tallymark-benchmark.pc DESTINATION lib/pkgconfig COMPONENT development)
