#!/bin/bash
# Builds and measures one side: the head where it is checked out, or the base in a work tree of its own.
#
# In: FOLDER, SIDE (head or base), INPUT_BUILD, INPUT_RUN; for the base COMMIT, INPUT_CARRY.
# Out: record (its path), exit-code (of tally run: 0, or 1 where a case failed, which the record says).
set -euo pipefail
here=$(dirname "$0")
. "$here/common.sh"

# What is built and measured is not given the files that set outputs and variables of later steps. That prevents
# accidents, and is no barrier: code that looks for these files finds them.
outputs=$GITHUB_OUTPUT
unset GITHUB_ENV GITHUB_OUTPUT GITHUB_PATH GITHUB_STATE GITHUB_STEP_SUMMARY

split_words "$INPUT_RUN"
tally=$FOLDER/bin/tally
record=$FOLDER/record.json
what="the head"
broken=1
if [ "$SIDE" = base ]; then
  record=$FOLDER/base.json
  what="the base ${COMMIT:0:10}"
  broken=2 # as tally check says of a baseline that is not there
  tree=$FOLDER/tree
  # --force: an earlier job on the same machine may have left the name.
  git worktree add --quiet --force --detach "$tree" "$COMMIT" || fail 2 "cannot check out $what"
  # Today's suite measures both sides, as with tally bisect. The base need not have had one.
  find_suites
  carried=("${suites[@]}")
  if [ -n "$INPUT_CARRY" ]; then
    split_lines "$INPUT_CARRY"
    carried=("${lines[@]}")
  fi
  for path in "${carried[@]}"; do
    if [[ $path = /* || /$path/ = */../* ]]; then fail 2 "carry: $path does not lie in the repository"; fi
    if [ ! -e "$path" ]; then fail 2 "carry: there is no $path"; fi
    rm -rf "${tree:?}/$path"
    cp -a --parents -- "$path" "$tree/"
  done
  # A variable that names the head's folder, such as PYTHONPATH, would have the head measured in the place of the base.
  head=$(printf '%s' "$PWD" | sed 's/[^A-Za-z0-9/_-]/\\&/g')
  while IFS= read -r -d '' variable; do export "${variable?}"; done < <(
    env -0 | grep -z -E '^[A-Za-z_][A-Za-z0-9_]*=' | sed -z -E "s#$head(\$|[^A-Za-z0-9._-])#$tree\\1#g"
  )
  split_words "$INPUT_RUN"
  cd "$tree"
fi

if [ -n "$INPUT_BUILD" ]; then
  echo "::group::Build $what"
  code=0
  bash --noprofile --norc -eo pipefail -c "$INPUT_BUILD" || code=$?
  echo "::endgroup::"
  if [ $code -ne 0 ]; then fail $broken "the build of $what failed with exit code $code"; fi
fi

code=0
# --json comes first, for the arguments may end with those of a program, after --.
"$tally" run --json "$record" "${words[@]}" || code=$?
if [ $code -gt 1 ] || [ ! -s "$record" ]; then
  if [ "$SIDE" = head ] && [ $code -ne 0 ]; then broken=$code; fi
  fail $broken "$what was not measured: tally run ended with exit code $code"
fi
GITHUB_OUTPUT=$outputs
output record "$record"
output exit-code $code
