#!/bin/sh
# Makes the source archive: what is committed, with the commit's name in it, which `tally --version` then says.
#
#   tools/make_source.sh [FOLDER]      FOLDER: build/source, which it alone is in afterwards
set -eu
cd "$(dirname "$0")/.."
folder=${1:-build/source}
version=$(sed -n 's/^project(tallymark VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[ -z "$(git status --porcelain)" ] || echo "make_source: changes that are not committed are left out" >&2
rm -rf "$folder"
mkdir -p "$folder"
# The same commit gives the same archive, to the byte.
git archive --prefix="tallymark-$version/" HEAD | gzip -n -9 >"$folder/tallymark-$version.tar.gz"
ls "$folder/tallymark-$version.tar.gz"
