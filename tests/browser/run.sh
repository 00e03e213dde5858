#!/bin/sh
# run.sh PAGES SITE FOLDER: PAGES and SITE are the fixtures' programs. Writes the pages, fetches playwright-core once, drives the browser.
set -eu
pages=$1
site=$2
folder=$3
here=$(cd "$(dirname "$0")" && pwd)
browser=${CHROMIUM:-$(command -v chromium || true)}
if [ -z "$browser" ]; then
  echo "skipped: no chromium; apt-get install chromium" >&2
  exit 77
fi
if ! command -v npm >/dev/null && [ ! -d "$folder/node_modules/playwright-core" ]; then
  echo "skipped: no npm; apt-get install nodejs npm" >&2
  exit 77
fi
mkdir -p "$folder/pages"
cp "$here/package.json" "$here/package-lock.json" "$here/browser.mjs" "$here/check.mjs" "$here/report.test.mjs" \
  "$here/trace.test.mjs" "$here/history.test.mjs" "$folder/"
if ! [ "$folder/node_modules/.package-lock.json" -nt "$here/package-lock.json" ]; then
  if ! (cd "$folder" && npm ci --silent --no-audit --no-fund); then
    echo "skipped: npm could not fetch playwright-core" >&2
    exit 77
  fi
  touch "$folder/node_modules/.package-lock.json"
fi
"$pages" "$folder/pages"
rm -rf "$folder/pages/history"
"$site" "$folder/pages/history"
rm -rf "$folder/pages/first"
"$site" "$folder/pages/first" 3 1
cd "$folder"
export CHROMIUM="$browser"
node report.test.mjs pages
node trace.test.mjs pages
exec node history.test.mjs pages
