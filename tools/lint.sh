#!/bin/sh
# Formatting, layers, headers, shell syntax, links of the documentation, words that we avoid, clang-tidy, JavaScript and
# Python (ruff, mypy). Needs a configured build folder for headers.
#
#   tools/lint.sh [--quick|--slow] [BUILD]   BUILD: build/release; --quick: only what takes seconds and needs no build;
#                                            --slow: only the rest
#
# clang-tidy takes 4 to 5 s of CPU time for each file, most of an hour for all: a run takes what the working tree and the last
# 20 commits touched, the newest first: 24 files, or up to 40 where the last commit alone touched more. TIDY=all takes every
# file, TIDY=none skips it. A file that has passed is not read again as it is (tools/tidy.py). Of 530 headers, each of which
# compiles alone in 0.7 s, a run takes what the same commits reach, and TIDY=all every one.
#
# What lints JavaScript and Python is no package of Debian 12's: tools/lint pins the versions, build/lint gets them once.
# Where they cannot be fetched (no network), the step says so and is passed over.
set -u
cd "$(dirname "$0")/.."
steps=all
case ${1:-} in
  --quick | --slow)
    steps=${1#--}
    shift
    ;;
esac
build=${1:-build/release}
jobs=${JOBS:-$(nproc)}
failed=0
unavailable=77 # a step's status when its tools cannot be had
step() {
  name=$1
  shift
  "$@"
  case $? in
    0) echo "lint: $name: in order" ;;
    $unavailable) echo "lint: $name: SKIPPED: its tools cannot be fetched" >&2 ;;
    *)
      echo "lint: $name: FAILED" >&2
      failed=1
      ;;
  esac
}

sources() { git ls-files '*.h' '*.cc'; }
format() { sources | xargs clang-format-19 --dry-run -Werror; }
shell() { git ls-files '*.sh' .ci/run debian/tests ':!debian/tests/control' | xargs -n 1 bash -n; }
# How each file is compiled by itself, without precompiled headers: it has to include what it uses.
alone=build/lint/alone
configure_alone() {
  mkdir -p "$alone"
  cmake --preset release -B "$alone" -DBUILD_TESTING=ON -DTALLY_UNITY=OFF -DTALLY_PRECOMPILE=OFF >"$alone/configure.log" 2>&1 && return 0
  cat "$alone/configure.log" >&2
  return 1
}
# What the working tree and so many commits touched, the newest first. A merge is one commit, with all that it brings.
changed() {
  { git diff --name-only HEAD && git log -n "$1" --first-parent -m --name-only --format=; } | awk 'NF && !seen[$0]++'
}
# Of these, given one a line, what clang-tidy reads: only what this build compiles.
compiled() {
  grep -E '^(src|host)/.*\.cc$' | grep -v _fuzz | while read -r file; do
    if [ -e "$file" ] && grep -qF "/$file\"" "$alone/compile_commands.json"; then echo "$file"; fi
  done
}
to_tidy() {
  if [ "${TIDY:-changed}" = all ]; then
    sources | compiled
    return
  fi
  of_last=$(changed 1 | compiled | wc -l)
  if [ "$of_last" -lt 24 ]; then of_last=24; fi
  if [ "$of_last" -gt 40 ]; then of_last=40; fi
  changed 20 | compiled | head -n "$of_last"
}
# Of headers, those that what was touched reaches: no other can have ceased to compile.
layers_and_headers() {
  set -- --headers clang++-19 --build "$build" --jobs "$jobs"
  if [ "${TIDY:-changed}" != all ]; then
    mkdir -p "$alone" && changed 20 >"$alone/changed" || return 1
    set -- "$@" --touched "$alone/changed"
  fi
  python3 tools/check_layers.py "$@"
}
tidy() {
  configure_alone || return 1
  files=$(to_tidy)
  if [ -z "$files" ]; then return 0; fi
  echo "lint: clang-tidy on $(echo "$files" | wc -l) files"
  echo "$files" | python3 tools/tidy.py "$alone" --jobs "$jobs"
}

# Fetches what tools/lint pins, when it pins something else than what is there.
tools=build/lint
fetch() {
  stamp=$tools/$1
  shift
  if cmp -s "$1" "$stamp"; then return 0; fi
  mkdir -p "$tools" && "$2" >"$tools/fetch.log" 2>&1 && cp "$1" "$stamp" && return 0
  cat "$tools/fetch.log" >&2
  return $unavailable
}
fetch_node_modules() {
  cp tools/lint/package.json tools/lint/package-lock.json "$tools/" && (cd "$tools" && npm ci --no-audit --no-fund)
}
fetch_python() {
  python3 -m venv "$tools/python" && "$tools/python/bin/pip" install --disable-pip-version-check -r tools/lint/requirements.txt
}
page_files() {
  fetch npm.stamp tools/lint/package-lock.json fetch_node_modules || return
  # eslint looks for what its configuration imports beside it.
  cp tools/lint/eslint.config.mjs "$tools/"
  git ls-files '*.js' '*.mjs' '*.css' | xargs "$tools/node_modules/.bin/prettier" --check --log-level warn &&
    git ls-files '*.js' '*.mjs' | xargs "$tools/node_modules/.bin/eslint" -c "$tools/eslint.config.mjs"
}
python_files() {
  fetch python.stamp tools/lint/requirements.txt fetch_python || return
  git ls-files '*.py' | xargs "$tools/python/bin/ruff" format --diff --quiet &&
    git ls-files '*.py' | xargs "$tools/python/bin/ruff" check --quiet
}
python_types() {
  fetch python.stamp tools/lint/requirements.txt fetch_python || return
  (cd python && "../$tools/python/bin/mypy" --strict --no-error-summary --cache-dir "../$tools/mypy" tallymark tests)
}

if [ $steps != slow ]; then
  step "formatting" format
  step "shell" shell
  step "documentation" python3 tools/check_docs.py
  step "words" python3 tools/check_words.py
fi
if [ $steps = quick ]; then
  step "layers" python3 tools/check_layers.py
  exit $failed
fi

# Each of these keeps one core busy, and some wait for the network: they run beside the compilers, and are shown after.
scripts() {
  failed=0
  step "JavaScript" page_files
  step "Python" python_files
  step "Python types" python_types
  return $failed
}
mkdir -p "$tools"
scripts >"$tools/scripts.log" 2>&1 &
beside=$!
trap 'kill $beside 2>/dev/null' EXIT
step "layers and headers" layers_and_headers
if [ "${TIDY:-changed}" != none ]; then step "clang-tidy" tidy; fi
wait $beside || failed=1
trap - EXIT
cat "$tools/scripts.log"
exit $failed
