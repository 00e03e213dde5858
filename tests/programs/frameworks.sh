# Where the sources of other benchmark libraries are: none of them is committed. Sourced; goes to the folder $work.
. "$source/tests/programs/expect.sh"
export XDG_RUNTIME_DIR="$work/none" # no server of the developer's
mkdir -p "$work"
cd "$work"

# Prints the file that a URL is of, if it is what it should be; nothing otherwise.
fetched() { # URL DIGEST FILE
  if ! echo "$2  $3" | sha256sum --check --status 2>/dev/null; then
    python3 -c "import sys, urllib.request as u; u.urlretrieve(*sys.argv[1:])" "$1" "$3" 2>/dev/null || return 0
    echo "$2  $3" | sha256sum --check --status || return 0
  fi
  echo "$3"
}

# The option that finds headers in a folder, where compilers do not look by themselves: named again, the system's own
# folder would come too early.
found_in() { # FOLDER
  case "$1" in
  /usr/include | /usr/local/include) ;;
  *) echo "-isystem$1" ;;
  esac
}

# The folder of catch2/catch.hpp: Debian's package catch2.
catch2_of_debian() {
  for folder in "${TALLY_CATCH2:-/usr/include}" /usr/include; do
    if [ -e "$folder/catch2/catch.hpp" ]; then echo "$folder" && return; fi
  done
}

# Its main(), as an object file of its own.
catch2_v2_main() { # FOLDER
  if [ ! -e "$work/catch2_v2_main.o" ]; then
    printf '#define CATCH_CONFIG_MAIN\n#define CATCH_CONFIG_ENABLE_BENCHMARKING\n#include <catch2/catch.hpp>\n' |
      # shellcheck disable=SC2046 # none, or one
      g++ -std=c++17 -O0 $(found_in "$1") -x c++ -c - -o "$work/catch2_v2_main.o"
  fi
  echo "$work/catch2_v2_main.o"
}

# The folder of catch_amalgamated.hpp, with libCatch2.a beside it, which has Catch2's main().
catch2_v3() {
  archive=$(fetched http://deb.debian.org/debian/pool/main/c/catch2/catch2_3.7.1.orig.tar.gz \
    c991b247a1a0d7bb9c39aa35faf0fe9e19764213f28ffba3109388e62ee0269c "$work/catch2_3.7.1.orig.tar.gz")
  if [ -z "$archive" ]; then return; fi
  extras=$work/Catch2-3.7.1/extras
  if [ ! -e "$extras/libCatch2.a" ]; then
    tar -xf "$archive" -C "$work"
    g++ -std=c++17 -O0 -c "$extras/catch_amalgamated.cpp" -o "$extras/catch.o"
    ar rcs "$extras/libCatch2.a" "$extras/catch.o"
  fi
  echo "$extras"
}

# The folder of nanobench.h, which no package of Debian's has: where TALLY_NANOBENCH says, or installed.
nanobench() {
  for folder in "${TALLY_NANOBENCH:-/usr/include}" /usr/local/include; do
    if [ -e "$folder/nanobench.h" ]; then echo "$folder" && return; fi
  done
}
