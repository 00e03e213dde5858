#!/bin/bash
# Finds the commit that a run is compared with.
#
# In: INPUT_BASE, PULL_REQUEST_BASE (the base of the event, or nothing).
# Out: commit, which is empty where there is nothing to compare with.
set -euo pipefail
here=$(dirname "$0")
. "$here/common.sh"

commit_of() { git rev-parse --verify --quiet --end-of-options "$1^{commit}"; }

commit=
if [ -n "$INPUT_BASE" ]; then
  commit=$(commit_of "$INPUT_BASE" || commit_of "origin/$INPUT_BASE") ||
    fail 2 "this clone has no commit $INPUT_BASE: check out with fetch-depth: 0"
elif [ "$GITHUB_EVENT_NAME" = pull_request ]; then
  # What is checked out is the merge that GitHub has made, and its first parent is the base. A workflow may have checked
  # out the head instead.
  if [ "$(commit_of HEAD)" = "$GITHUB_SHA" ]; then
    commit_of 'HEAD^2' >/dev/null || fail 2 "this clone lacks the base of the pull request: check out with fetch-depth: 2"
    commit=$(commit_of 'HEAD^1')
  else
    commit=$(git merge-base HEAD "$PULL_REQUEST_BASE") ||
      fail 2 "this clone lacks the base of the pull request: check out with fetch-depth: 0"
  fi
fi
if [ -n "$commit" ]; then echo "base: $commit"; else echo "nothing to compare with"; fi
output commit "$commit"
