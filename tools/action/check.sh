#!/bin/bash
# Judges the head by the limits, and writes the summary. It passes whatever it finds: the gate is the last step.
#
# In: FOLDER, RECORD, RUN_CODE, BASE_RECORD (or nothing), INPUT_LIMITS, INPUT_CHECK.
# Out: verdict, exit-code, markdown (a path, or nothing), changed (true, unless all cases are the same).
set -euo pipefail
here=$(dirname "$0")
. "$here/common.sh"

if [ -z "$BASE_RECORD" ]; then
  verdict=measured
  if [ "$RUN_CODE" -ne 0 ]; then verdict=failed; fi
  printf '### Tallymark: %s\n\nThere is no base to compare with.\n' "$verdict" >>"$GITHUB_STEP_SUMMARY"
  output verdict "$verdict"
  output exit-code "$RUN_CODE"
  exit 0
fi

options=()
split_lines "$INPUT_LIMITS"
for limit in "${lines[@]}"; do options+=(--limit "$limit"); done
split_words "$INPUT_CHECK"
options+=("${words[@]}")
# A pull request may bring its own agreement (tally history accept), for reviewers to see.
if [ -e tally-accept.toml ] && [[ $INPUT_CHECK != *--accept* ]]; then options+=(--accept tally-accept.toml); fi

markdown=$FOLDER/check.md
code=0
"$FOLDER/bin/tally" check "$BASE_RECORD" "$RECORD" --github --markdown "$markdown" "${options[@]}" || code=$?
case $code in
  0) verdict=pass ;;
  1) verdict=failed ;;
  3) verdict=regression ;;
  *) verdict="not judged" ;;
esac
if [ ! -s "$markdown" ]; then
  printf '### Tallymark: %s\n\ntally check ended with exit code %s and wrote no table.\n' "$verdict" "$code" >"$markdown"
fi
changed=true
if [ $code -eq 0 ]; then
  # The record may have failed cases of both sides, which compare answers with 1.
  "$FOLDER/bin/tally" compare "$BASE_RECORD" "$RECORD" --json >"$FOLDER/compare.json" || [ $? -eq 1 ]
  changed=$("$FOLDER/venv/bin/python" -I -c '
import json, sys
print("true" if set(json.load(sys.stdin)["verdicts"]) - {"same"} else "false")' <"$FOLDER/compare.json")
fi
# A summary has 1 MiB.
shortened 1000000 "$markdown" >>"$GITHUB_STEP_SUMMARY"
output verdict "$verdict"
output exit-code $code
output markdown "$markdown"
output changed "$changed"
