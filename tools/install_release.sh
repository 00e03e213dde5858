#!/bin/sh
# Installs a build into a folder as packages have it: without the symbols that only debuggers read.
#
#   tools/install_release.sh BUILD FOLDER [OPTION…]      OPTION: what else `cmake --install` takes, such as --component
#
# The wheel and the Debian package are made of this, so both have the same programs, to the byte, and count the same.
set -eu
build=$1
folder=$2
shift 2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --install "$build" --prefix "$folder" "$@" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
# The counter stays as it is: images of hosts are of one counter, to the byte. Profiles read the names of one library.
find "$folder/bin" "$folder/libexec" -type f ! -name 'tally-counter-*' ! -name 'vgpreload*' \
  ! -name '_tally_functions.*' -perm -u+x -exec \
  sh -c 'if head -c 4 "$1" | grep -q ELF; then strip --strip-unneeded "$1"; fi' sh {} \;
find "$folder" -name '_tally_functions.*' -exec strip --strip-debug {} +
find "$folder" -type f -name '*.a' -exec strip --strip-unneeded {} +
