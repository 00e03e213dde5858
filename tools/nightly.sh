#!/bin/bash
# What takes too long for every change: each part once for each commit, with a report.
#
#   tools/nightly.sh [PART…]      make nightly; parts are sanitize, coverage, fuzz, tidy, busy, deb, source and
# references
#
# A part that has passed at this commit is not run again, so an interrupted night continues where it was. Logs and results
# are in build/nightly; FUZZ_SECONDS is how long each fuzzer runs (600). With CHROOTS=FOLDER the part references keeps its
# Debians there (20 GB) for the next night, as they were installed then.
# shellcheck disable=SC2317 # parts are called by their names
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=${JOBS:-$(nproc)}
seconds=${FUZZ_SECONDS:-600}
place=build/nightly
commit=$(git rev-parse HEAD)
mkdir -p "$place"

run_sanitize() { make sanitize JOBS="$jobs"; }

run_coverage() { make coverage JOBS="$jobs"; }

# Each target for so long, from its corpus, as many beside each other as there are jobs; what it finds beyond that goes
# into a folder of its own. One that finds a fault keeps no other from its turn.
run_fuzz() {
  cmake --preset fuzz >/dev/null
  cmake --build --preset fuzz --target fuzzers -j "$jobs"
  local target name units executed=0 faulty=()
  fuzz_one() {
    local name corpus
    name=$(basename "$1")
    corpus=$(git ls-files "*/corpus/$name/*" | sed -n 1p)
    mkdir -p "$place/corpus/$name" "$place/findings/$name"
    rm -f "$place/$name.passed"
    "$1" -max_total_time="$seconds" -print_final_stats=1 -artifact_prefix="$place/findings/$name/" \
      "$place/corpus/$name" ${corpus:+"$(dirname "$corpus")"} >"$place/$name.log" 2>&1 && touch "$place/$name.passed"
    tail -n 3 "$place/$name.log"
  }
  export place seconds
  export -f fuzz_one
  printf '%s\0' build/fuzz/fuzz/*_fuzz | xargs -0 -P "$jobs" -I {} bash -c 'fuzz_one {}'
  for target in build/fuzz/fuzz/*_fuzz; do
    name=$(basename "$target")
    [ -e "$place/$name.passed" ] || faulty+=("$name")
    units=$(sed -n 's/^stat::number_of_executed_units: *//p' "$place/$name.log") # none where it ended early
    executed=$((executed + ${units:-0}))
  done
  echo "report: $executed executions of $(find build/fuzz/fuzz -name '*_fuzz' | wc -l) fuzzers${faulty[*]:+, faults: ${faulty[*]}}"
  [ ${#faulty[@]} -eq 0 ]
}

# A file that passed stays so until it changes, or a header of its: also of a night that was interrupted.
run_tidy() {
  local line
  TIDY=all JOBS=$jobs tools/lint.sh build/release | while read -r line; do
    echo "$line"
    case $line in "clang-tidy: "*) echo "report: ${line#*: }" ;; esac
  done
}

# What continuous integration runs, from a fresh clone, beside four processes that never rest. With more jobs, it has
# a larger share of the processors.
run_busy() {
  local clone=$place/fresh/tallymark began=$SECONDS rest=()
  rm -rf "$clone"
  git clone --quiet . "$clone"
  if [ -e ../shared ]; then ln -sfn "$(realpath ../shared)" "$place/fresh/shared"; fi
  for _ in 1 2 3 4; do
    (while :; do :; done) &
    rest+=($!)
  done
  # shellcheck disable=SC2064 # these, and not those of another run
  trap "kill ${rest[*]} 2>/dev/null" EXIT
  (cd "$clone" && JOBS=$((2 * jobs)) .ci/run)
  echo "report: from a fresh clone in $((SECONDS - began)) s"
  rm -rf "$clone"
}

run_deb() {
  make deb
  tools/try_deb.sh
}

run_source() {
  local release failed=0
  for release in bookworm trixie; do tools/try_source.sh "$release" || failed=1; done
  return $failed
}

# The reference counts in both Debians, as they are today, and with each PyTorch that has some. One that differs keeps no
# other from its turn.
run_references() {
  local release failed=0
  make build SETUP=no
  for release in bookworm trixie; do
    tools/try_references.sh ${CHROOTS:+--chroot "$CHROOTS/$release"} "$release" || failed=1
  done
  PYTORCH=2.11.0 tools/try_references.sh ${CHROOTS:+--chroot "$CHROOTS/bookworm"} bookworm || failed=1
  return $failed
}

parts=("$@")
if [ $# -eq 0 ]; then parts=(sanitize coverage fuzz tidy busy deb source references); fi
failed=0
for part in "${parts[@]}"; do
  if ! declare -F "run_$part" >/dev/null; then
    echo "nightly: there is no part '$part': sanitize, coverage, fuzz, tidy, busy, deb, source, references" >&2
    exit 2
  fi
done
for part in "${parts[@]}"; do
  result=$place/$part.result
  if [ -e "$result" ] && grep -q "^$commit passed" "$result"; then
    printf '%-9s %s\n' "$part" "$(cut -d ' ' -f 2- "$result") (before)"
    continue
  fi
  began=$SECONDS
  # In a shell of its own: a part that fails ends there, and the others follow.
  if bash -c "set -euo pipefail; $(declare -p jobs seconds place); $(declare -f "run_$part"); run_$part" \
    >"$place/$part.log" 2>&1; then
    word=passed
  else
    word=failed
    failed=1
  fi
  said=$(sed -n 's/^report: /, /p' "$place/$part.log" | tail -n 1)
  echo "$commit $word in $((SECONDS - began)) s$said" >"$result"
  printf '%-9s %s\n' "$part" "$(cut -d ' ' -f 2- "$result")"
  if [ $word = failed ]; then tail -n 20 "$place/$part.log"; fi
done
exit $failed
