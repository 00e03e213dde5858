#!/bin/sh
# notebook.sh [OUT]: makes the pictures of docs/guides/python.md from a notebook that is really executed. Look at each before you keep it.
#
# Needs a built tally (TALLY: build/release/tally), a Python with ipykernel, nbclient, nbconvert and cloudpickle (PYTHON: that of
# the package's tests, build/python/bin/python), Debian's chromium and npm. OUT: docs/images.
set -eu
cd "$(dirname "$0")/../.."
TALLY=$(realpath "${TALLY:-build/release/tally}")
export TALLY PYTHONPATH="$PWD/python"
python=${PYTHON:-build/python/bin/python}
out=${1:-docs/images}
browser=${CHROMIUM:-$(command -v chromium)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" tests/browser/execute_notebook.py "$work/notebook.html"
cp tests/browser/package.json tests/browser/package-lock.json tests/browser/browser.mjs tests/browser/notebook.mjs "$work/"
(cd "$work" && npm ci --silent --no-audit --no-fund && CHROMIUM=$browser node notebook.mjs)
mkdir -p "$out"
for picture in "$work"/*.png; do
  if command -v pngquant >/dev/null; then pngquant --force --ext .png 96 "$picture"; fi
  cp "$picture" "$out/"
  ls -l "$out/$(basename "$picture")"
done
