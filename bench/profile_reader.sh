#!/bin/sh
# bench/profile_reader.sh [FILE]: reads one Callgrind file with tally and with Valgrind's own callgrind_annotate, and prints
# seconds, MB/s, peak memory and the ratio. Without FILE it takes a profile of importing torch (a minute under Callgrind).
set -eu
tally=${TALLY:-build/release/tally}
file=${1:-}
if [ -z "$file" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  file=$folder/import_torch.out
  echo "taking a profile of importing torch …" >&2
  valgrind -q --tool=callgrind --vgdb=no --dump-instr=yes --callgrind-out-file="$file" /usr/bin/python3 -c 'import torch'
fi
exec python3 - "$tally" "$file" <<'PYTHON'
import os, subprocess, sys, time

def measure(argv):
    """Seconds of the fastest of three, and peak memory in MB of that command alone."""
    best = None
    for _ in range(3):
        start = time.perf_counter()
        child = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        if status != 0:
            sys.exit(f"{argv[0]} failed")
        if best is None or seconds < best[0]:
            best = (seconds, usage.ru_maxrss / 1024)
    return best

tally, file = sys.argv[1:]
size = os.path.getsize(file) / 1e6
ours = measure([tally, "profile", file, "--top", "20"])
theirs = measure(["callgrind_annotate", "--threshold=100", "--auto=no", file])
print(f"{size:.1f} MB")
print(f"{'':20} {'s':>8} {'MB/s':>8} {'peak MB':>8}")
print(f"{'tally profile':20} {ours[0]:8.2f} {size / ours[0]:8.0f} {ours[1]:8.0f}")
print(f"{'callgrind_annotate':20} {theirs[0]:8.2f} {size / theirs[0]:8.0f} {theirs[1]:8.0f}")
print(f"{'ratio':20} {theirs[0] / ours[0]:8.0f}x")
PYTHON
