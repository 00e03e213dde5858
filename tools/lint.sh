#!/bin/sh
# Formatting, layers, headers, shell syntax and clang-tidy. Needs a configured build folder for clang-tidy and headers.
#
#   tools/lint.sh [BUILD]      BUILD: build/dev
#
# clang-tidy takes 4 to 5 s of CPU time for each file, 12 minutes for all: a run takes what the last 20 commits and the
# working tree touched, the newest first and 40 files at most. TIDY=all takes every file, TIDY=none skips it.
set -u
cd "$(dirname "$0")/.."
build=${1:-build/dev}
jobs=${JOBS:-$(nproc)}
failed=0
step() {
  name=$1
  shift
  if "$@"; then echo "lint: $name: in order"; else
    echo "lint: $name: FAILED" >&2
    failed=1
  fi
}

sources() { git ls-files '*.h' '*.cc'; }
format() { sources | xargs clang-format-19 --dry-run -Werror; }
shell() { git ls-files '*.sh' .ci/run | xargs -n 1 sh -n; }
touched() {
  if [ "${TIDY:-changed}" = all ]; then sources; else
    git diff --name-only HEAD
    git log -n 20 --name-only --format=
  fi | awk '!seen[$0]++' | grep -E '^(src|host)/.*\.cc$' | grep -v _fuzz | while read -r file; do
    # Only what this build compiles.
    if [ -e "$file" ] && grep -qF "/$file\"" "$build/compile_commands.json"; then echo "$file"; fi
  done | if [ "${TIDY:-changed}" = all ]; then cat; else head -n 40; fi
}
tidy() {
  if [ ! -e "$build/compile_commands.json" ]; then
    echo "lint: $build is not configured: run \`make dev\` first" >&2
    return 1
  fi
  files=$(touched)
  if [ -z "$files" ]; then return 0; fi
  echo "lint: clang-tidy on $(echo "$files" | wc -l) files"
  # Files pass by in a log of their own: only findings are shown, last, where a truncated log still has them.
  echo "$files" | xargs -n 2 -P "$jobs" clang-tidy-19 -p "$build" --quiet >"$build/tidy.log" 2>&1 && return 0
  grep -Ev 'warnings? generated|^\[[0-9]+/[0-9]+\] Processing|warnings treated as errors' "$build/tidy.log" >&2
  return 1
}

step "formatting" format
step "shell" shell
step "layers and headers" python3 tools/check_layers.py --headers clang++-19 --build "$build" --jobs "$jobs"
if [ "${TIDY:-changed}" != none ]; then step "clang-tidy" tidy; fi
exit $failed
