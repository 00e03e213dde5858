#!/bin/sh
# A project that is built with Google Benchmark gets Tallymark in its place with no line of it changed: by find_package,
# FetchContent, a vendored folder, pkg-config, Meson. Each program is counted. And nobody gets it who did not ask for it.
#
#   drop_in_test.sh SOURCE BUILD WORK_FOLDER
set -eu
source=$1 build=$2 work=$3
. "$source/tests/programs/expect.sh"
export XDG_RUNTIME_DIR="$work/none" # no server of the developer's
rm -rf "$work"
mkdir -p "$work/project"
passes cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$work/prefix" # relocatable
drop_in=$work/prefix/lib/tallymark/drop-in
project=$work/project
cp "$source/examples/program/bench/words_google.cc" "$source/examples/program/src/words.cc" \
  "$source/examples/program/include/words.h" "$project"
cat >"$project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(consumer CXX)
set(CMAKE_CXX_STANDARD 17)
if(WAY STREQUAL "package")
  find_package(benchmark 1.6 REQUIRED)
elseif(WAY STREQUAL "fetch")
  include(FetchContent)
  set(BENCHMARK_ENABLE_TESTING OFF CACHE BOOL "")
  FetchContent_Declare(googlebenchmark URL https://nowhere.invalid/benchmark.zip)
  FetchContent_MakeAvailable(googlebenchmark)
  target_compile_options(benchmark PRIVATE -Wno-error)
  set_target_properties(benchmark benchmark_main PROPERTIES FOLDER third_party)
elseif(WAY STREQUAL "vendored")
  add_subdirectory(third_party/benchmark)
elseif(WAY STREQUAL "pkg-config")
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(BENCHMARK REQUIRED IMPORTED_TARGET benchmark_main)
  add_library(benchmark::benchmark_main ALIAS PkgConfig::BENCHMARK)
endif()
message(STATUS "version ${benchmark_VERSION} in ${benchmark_DIR}")
add_executable(words_google words_google.cc words.cc)
target_include_directories(words_google PRIVATE .)
target_link_libraries(words_google PRIVATE benchmark::benchmark_main)
CMAKE

# Configures the project and leaves what CMake said.
configures() { # WAY [CMAKE OPTION…]
  way=$1
  shift
  passes cmake -S "$project" -B "$work/$way" -DCMAKE_BUILD_TYPE=Release -DWAY="$way" "$@"
}
# The program is Tallymark's, and serves tally by itself.
counts() { # PROGRAM
  nm -C "$1" | grep -q compiled_with_tallymark_not_with_google_benchmark
  passes "$work/prefix/bin/tally" run --program "$1" --counts-only --json "$work/record.json"
  grep -q '"words_google/count \[cpp arg0=1000\]"' "$work/record.json"
}
builds_and_counts() { # FOLDER
  passes cmake --build "$work/$1"
  counts "$work/$1/words_google"
}

# --- find_package: by its folder, by a prefix of its own, and not by the installation's prefix
configures package -Dbenchmark_DIR="$drop_in/lib/cmake/benchmark"
says "benchmark: Tallymark's, with the interface of Google Benchmark"
builds_and_counts package
rm -rf "$work/package"
configures package -DCMAKE_PREFIX_PATH="$drop_in"
says "in $drop_in/lib/cmake/benchmark"
for wanted in 1.5.0 1.9.1 1.9.5; do
  sed -i "s/find_package(benchmark [0-9.]*/find_package(benchmark $wanted/" "$project/CMakeLists.txt"
  configures package
done
sed -i "s/find_package(benchmark [0-9.]*/find_package(benchmark 2.0/" "$project/CMakeLists.txt"
fails cmake -S "$project" -B "$work/package" -DWAY=package -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF
says 'version: 1.9.5'
sed -i "s/find_package(benchmark [0-9.]* REQUIRED/find_package(benchmark 1.6/" "$project/CMakeLists.txt"
rm -rf "$work/package"
cmake -S "$project" -B "$work/package" -DWAY=package -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/last.txt" 2>&1 || true
if grep -q Tallymark "$work/last.txt"; then
  echo "found in a prefix that was not requested" >&2
  exit 1
fi

# --- FetchContent, and a folder of the project: installed, and from the sources
configures fetch -DFETCHCONTENT_SOURCE_DIR_GOOGLEBENCHMARK="$drop_in"
builds_and_counts fetch
# (subproject_test.sh builds the sources.)
rm -rf "$work/fetch"
configures fetch -DFETCHCONTENT_SOURCE_DIR_GOOGLEBENCHMARK="$source/cmake/drop-in"
says "benchmark: Tallymark's"
mkdir "$project/third_party"
ln -s "$drop_in" "$project/third_party/benchmark"
configures vendored
builds_and_counts vendored

# --- pkg-config: under the name that projects ask for, and under ours
if command -v pkg-config >/dev/null; then
  PKG_CONFIG_PATH=$drop_in/lib/pkgconfig
  export PKG_CONFIG_PATH
  configures pkg-config
  builds_and_counts pkg-config
  compiles_by() { # PACKAGE FILE…
    # shellcheck disable=SC2046 # words, one by one
    c++ -std=c++17 -O2 -I"$project" "$project/words_google.cc" "$project/words.cc" $(pkg-config --cflags --libs "$1") \
      -o "$work/words_google"
    counts "$work/words_google"
  }
  compiles_by "benchmark_main >= 1.8"
  PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig
  if pkg-config --variable=prefix benchmark 2>/dev/null | grep -F "$work"; then exit 1; fi
  printf '\nBENCHMARK_MAIN();\n' >>"$project/words_google.cc"
  compiles_by tallymark-benchmark
fi

# --- a makefile with two folders: compiler and linker alone
c++ -std=c++17 -O2 -I"$project" -I"$drop_in/include" "$project/words_google.cc" "$project/words.cc" -L"$drop_in/lib" -lbenchmark \
  -lpthread -o "$work/words_google"
counts "$work/words_google"

# --- Meson, where there is one: by pkg-config, and as a subproject
if command -v meson >/dev/null; then
  cat >"$project/meson.build" <<'MESON'
project('consumer', 'cpp', default_options : ['cpp_std=c++17', 'buildtype=release'])
executable('words_google', 'words_google.cc', 'words.cc', dependencies : dependency('benchmark', version : '>=1.8'))
MESON
  PKG_CONFIG_PATH=$drop_in/lib/pkgconfig passes meson setup "$work/meson" "$project"
  passes ninja -C "$work/meson"
  counts "$work/meson/words_google"
  mkdir "$project/subprojects"
  cp "$drop_in/google-benchmark.wrap" "$project/subprojects"
  ln -s "$drop_in" "$project/subprojects/google-benchmark"
  passes meson setup --wrap-mode=forcefallback "$work/meson_wrap" "$project"
  passes ninja -C "$work/meson_wrap"
  counts "$work/meson_wrap/words_google"
fi
