#!/bin/sh
# bench/history_site/run.sh [CASES RUNS]: a generated history of 185 cases and 2,000 runs as a site: how long rendering and
# writing take, how large it is, and how long Debian's chromium takes to open it from file://.
#
# Needs a build with tests (build/release/tests/history_site_fixture, or FIXTURE), chromium and npm.
set -eu
cd "$(dirname "$0")/../.."
fixture=$(realpath "${FIXTURE:-build/release/tests/history_site_fixture}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$fixture" "$work/site" "${1:-185}" "${2:-2000}"
du -sh --apparent-size "$work/site" | cut -f 1
cp tests/browser/package.json tests/browser/package-lock.json tests/browser/browser.mjs bench/history_site/open.mjs "$work/"
cd "$work"
npm ci --silent --no-audit --no-fund
CHROMIUM=${CHROMIUM:-$(command -v chromium)} node open.mjs site/index.html
