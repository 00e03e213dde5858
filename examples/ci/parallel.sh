#!/bin/sh
# A suite in parts on machines that one reaches by ssh, with GNU parallel; ":" is this machine.
#
#   parallel.sh SUITE PARTS HOST[,HOST…] [OPTIONS OF tally run…]
#
# Each host has tally in its PATH, and takes one part at a time. The record is all.json. A part that fails for want of its
# host is tried elsewhere; that a case failed is in its record, and no reason to measure the part again. The suite and the
# parts stay on the hosts: with --cleanup, hosts that share a file system with this machine would take them from here.
set -eu
suite=$1 parts=$2 hosts=$3
shift 3
# shellcheck disable=SC2016
seq "$parts" | parallel --quote --sshlogin "$hosts" --jobs 1 --retries 3 --workdir . \
  --transferfile "$suite" --return "part{}.json" \
  sh -c 'part=$1 parts=$2; shift 2
         tally run "$@" --quiet --shard "$part/$parts" --json "part$part.json" >/dev/null || [ $? -eq 1 ]' \
  part "{}" "$parts" "$suite" "$@"
# shellcheck disable=SC2046
tally merge $(seq -f 'part%g.json' "$parts") -o all.json
