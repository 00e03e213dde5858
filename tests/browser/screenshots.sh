#!/bin/sh
# screenshots.sh TRACE [OUT]: makes the pictures of the README from real runs: suites/cpp_standard.toml, the same with two
# statements made slower on purpose, examples/growth.toml, and a GPU trace of yours. Takes two minutes on a machine that does nothing else; look at every picture before you keep it.
#
# Needs a built tally (TALLY: build/release/tally), Debian's chromium and npm. OUT: docs/images.
set -eu
cd "$(dirname "$0")/../.."
tally=$(realpath "${TALLY:-build/release/tally}")
trace=$(realpath "$1")
out=${2:-docs/images}
browser=${CHROMIUM:-$(command -v chromium)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What careless changes look like: room that is no longer reserved, and everything sorted where one element was wanted.
sed -e 's/ c.reserve(numbers.size());//' -e 's/std::nth_element(copy.begin(), copy.begin() + 500, /std::sort(copy.begin(), /' \
  suites/cpp_standard.toml >"$work/changed.toml"
"$tally" run suites/cpp_standard.toml --json "$work/base.json" --profiles >"$work/base.txt"
(cd "$work" && "$tally" run changed.toml --json changed.json --profiles >changed.txt)
"$tally" report "$work/changed.json" "$work/base.json" --title "cpp_standard, with two slower statements" -o "$work/report.html"
"$tally" run examples/growth.toml --json "$work/growth.json" >"$work/growth.txt"
"$tally" report "$work/growth.json" -o "$work/growth.html"
(cd "$(dirname "$trace")" && "$tally" trace "$(basename "$trace")" --html "$work/trace.html" >/dev/null)

cp tests/browser/package.json tests/browser/package-lock.json tests/browser/browser.mjs tests/browser/screenshots.mjs "$work/"
(cd "$work" && npm ci --silent --no-audit --no-fund && CHROMIUM=$browser node screenshots.mjs)
mkdir -p "$out"
for picture in "$work"/*.png; do
  # A palette is enough for a page of text and a few colours, and a third of the size.
  if command -v pngquant >/dev/null; then pngquant --force --ext .png 96 "$picture"; fi
  cp "$picture" "$out/"
done
ls -l "$out"
