#!/bin/bash
# Writes the one comment of a pull request: creates it when something has changed, and renews it from then on.
#
# In: GH_TOKEN, FOLDER, MARKDOWN, CHANGED, NUMBER, HEAD_REPOSITORY. It never fails: the verdict is that of the gate, and
# what keeps it from commenting is a notice.
set -euo pipefail
here=$(dirname "$0")
. "$here/common.sh"

skip() {
  annotate notice "no comment: $1"
  exit 0
}

if [ -z "$NUMBER" ] || [ -z "$MARKDOWN" ]; then exit 0; fi # Not a pull request.
# The token of such a run only reads.
if [ "$HEAD_REPOSITORY" != "$GITHUB_REPOSITORY" ]; then
  skip "the pull request is from a fork, whose runs cannot write; docs/guides/ci.md has a second job that can"
fi
if ! command -v gh >/dev/null; then skip "gh is not installed"; fi

# The folder is no repository, so nothing of one decides what gh does.
cd "$FOLDER"
# ask FILE ARGUMENT…: the answer goes into the file
ask() {
  local file=$1
  shift
  gh api "$@" >"$file" 2>gh.err || skip "gh api failed; does the job have pull-requests: write? $(head -n 3 gh.err)"
}

ask known --paginate "repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments" --jq \
  '.[] | select(.user.login == "github-actions[bot]" and (.body | startswith("<!-- tally -->"))) | .id'
known=$(head -n 1 known)
if [ "$CHANGED" = false ] && [ -z "$known" ]; then exit 0; fi
# A comment has 65,536 characters.
{ echo '<!-- tally -->'; shortened 60000 "$MARKDOWN"; } >body.md
if [ -n "$known" ]; then
  ask answer.json -X PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$known" -F body=@body.md
else
  ask answer.json -X POST "repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments" -F body=@body.md
fi
