#!/bin/bash
# take: the hosts' images that an earlier run has kept. keep: those of this run for the next one, in one file of the
# cache, and nothing else of them. An image that does not fit costs the time of a start, and changes no count.
#
# In: FOLDER.
set -euo pipefail
tally=$FOLDER/bin/tally
kept=${XDG_CACHE_HOME:-$HOME/.cache}/tallymark/images.tally
# What has failed before tally was installed is no failure of this step's.
if [ ! -x "$tally" ]; then exit 0; fi
case $1 in
  take)
    if [ -e "$kept" ]; then "$tally" cache import "$kept" || rm "$kept"; fi
    ;;
  keep)
    "$tally" cache export "$kept" || rm -f "$kept"
    "$tally" cache clear --images
    ;;
esac
