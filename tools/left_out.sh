#!/bin/sh
# Prints the option by which ctest leaves out the long tests of other groups (tests/groups.txt), and says so.
#
#   tools/left_out.sh BUILD GROUP
#
# GROUP is 1 to 8, all, or commit: that of the last digits of the commit's id.
set -eu
cd "$(dirname "$0")/.."
build=$1 group=$2
listed=tests/groups.txt
if [ "$group" = commit ]; then group=$((0x$(git rev-parse HEAD | tail -c 3) % 8 + 1)); fi
case $group in [1-8]) ;; all) exit 0 ;; *)
  echo "left_out: there is no group '$group': 1 to 8, commit, or all" >&2
  exit 2
  ;;
esac
known=$(mktemp)
trap 'rm -f "$known"' EXIT
ctest --test-dir "$build" -N | sed -n 's/^ *Test *#[0-9]*: //p' >"$known"
lost=$(sed -n 's/^[1-8] //p' "$listed" | grep -vxFf "$known" || :)
if [ -n "$lost" ]; then
  echo "$listed: no such test: $(echo $lost)" >&2
  exit 2
fi
echo "left_out: of the long tests those of group $group are run, and of the others none; make test runs all" >&2
printf -- '-E ^(%s)$\n' "$(sed -n "/^[1-8] /{/^$group /d;s/^[1-8] //;s/\./\\\\./g;p}" "$listed" | paste -sd '|' -)"
