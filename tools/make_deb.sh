#!/bin/sh
# Makes the Debian packages of a build, by the files of debian/ (debian/rules says why of a build and not of the sources).
#
#   tools/make_deb.sh [BUILD [FOLDER]]      BUILD: build/release; FOLDER: build/deb, which they alone are in afterwards
#
# Needs what packages-deb.txt names: exit code 77 without.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/release}
folder=${2:-build/deb}
for tool in dh dh_python3 dpkg-buildpackage; do
  command -v "$tool" >/dev/null || { echo "make_deb: $tool is missing: tools/setup.sh packages-deb.txt installs it" >&2; exit 77; }
done

# debhelper writes into debian/, and the packages appear beside the folder that it works in: it gets a copy.
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$stage/tallymark/tools"
cp -r debian python CHANGELOG.md "$stage/tallymark/"
cp tools/install_release.sh "$stage/tallymark/tools/"
build=$(realpath "$build")
log=$stage/log
# Without a look at Build-Depends: nothing is compiled.
(cd "$stage/tallymark" && TALLY_BUILD=$build dpkg-buildpackage -b -us -uc -d) >"$log" 2>&1 || { tail -n 30 "$log" >&2; exit 1; }
rm -rf "$folder"
mkdir -p "$folder"
cp "$stage"/*.deb "$folder/"
ls "$folder"/*.deb
