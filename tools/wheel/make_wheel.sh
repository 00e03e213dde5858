#!/bin/sh
# Makes the wheel: the Python package with the programs of a build inside, without the symbols that only debuggers read.
#
#   tools/wheel/make_wheel.sh [BUILD [FOLDER]]      BUILD: build/release; FOLDER: build/wheel, which it alone is in afterwards
#
# Needs python3-venv, advancecomp, and PyPI for setuptools the first time (build/wheel-tools keeps it): exit code 77 without.
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build/release}
folder=${2:-build/wheel}
tools=build/wheel-tools
if ! cmp -s tools/wheel/requirements.txt "$tools/pinned.txt"; then
  rm -rf "$tools"
  mkdir -p build
  python3 -m venv "$tools"
  if ! "$tools/bin/pip" install --disable-pip-version-check --quiet -r tools/wheel/requirements.txt; then
    echo "make_wheel: $(tr '\n' ' ' <tools/wheel/requirements.txt)cannot be fetched: is there a network?" >&2
    exit 77
  fi
  cp tools/wheel/requirements.txt "$tools/pinned.txt"
fi

# setuptools writes beside its sources, so it gets a copy.
stage=$(mktemp -d "$tools/stage.XXXXXX")
trap 'rm -rf "$stage"' EXIT
tools/install_release.sh "$build" "$stage/prefix"
# pip puts nothing where man and shells look: tally man and tally completions print it.
(cd "$stage/prefix/share" && rm -r man bash-completion fish zsh)
platform=$(python3 tools/wheel/platform_tag.py "$stage/prefix")
cp -r python "$stage/python"
cp LICENSE README.md "$stage/python/"
find "$stage/python" -name __pycache__ -prune -exec rm -rf {} +
rm -rf "$folder"
mkdir -p "$folder"
# The same sources give the same wheel, to the byte.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 1700000000) \
  TALLY_WHEEL_PREFIX=$(realpath "$stage/prefix") TALLY_WHEEL_PLATFORM=$platform \
  "$tools/bin/pip" wheel --disable-pip-version-check --quiet --no-deps --no-build-isolation --no-cache-dir \
  --wheel-dir "$folder" "$stage/python"
# Packed again: 3 % smaller than zlib can.
advzip --quiet --recompress -2 "$folder"/*.whl
ls "$folder"/tallymark-*-py3-none-"$platform".whl
