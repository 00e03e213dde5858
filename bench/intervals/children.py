#!/usr/bin/env python3
"""How long one child should sample: from how much of what times differ by lies within children, and
how much between them (src/measurement/autorange.h).

  bench/intervals/children.py [--tally build/release/tally] [--suite suites/torch_standard.toml]
                              [--overhead-ms 5] [--record FILE]

Children of 50 ms are cut into windows of 10 ms. Medians of windows of one child differ by noise that
comes and goes (neighbours on the machine); those of different children differ by their layout, too.
A child of L windows gives the median with a variance of layout + noise / L, and takes L windows and
its overhead (its fork, its end, what is not sampled): the length at which variance times duration is
the least is sqrt(overhead * noise / layout).
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

WINDOW_S = 0.01
CHILD_S = 0.05
LEAST_WINDOWS = 3
LEAST_CHILDREN = 5


def windows_of(samples, seconds_each):
    """Medians of consecutive windows."""
    medians, window, lasted = [], [], 0.0
    for sample in samples:
        window.append(sample)
        lasted += sample * seconds_each
        if lasted >= WINDOW_S:
            medians.append(statistics.median(window))
            window, lasted = [], 0.0
    return medians


def deviations(case):
    """Of windows within a child and between children, relative to the median; None of too few."""
    wall = case.get("wall") or {}
    children, at = [], 0
    for size in wall.get("samples_per_child", []):
        windows = windows_of(wall["replicates_s"][at : at + size], wall["number_per_run"])
        at += size
        if len(windows) >= LEAST_WINDOWS:
            children.append(windows)
    if len(children) < LEAST_CHILDREN:
        return None
    median = statistics.median(window for child in children for window in child)
    within = math.sqrt(statistics.mean(statistics.variance(child) for child in children)) / median
    between = statistics.stdev(child[len(child) // 2] for child in children) / median
    return within, between


def measure(tally, suite):
    with tempfile.TemporaryDirectory() as folder:
        record = pathlib.Path(folder) / "record.json"
        seconds = str(LEAST_CHILDREN * CHILD_S)
        command = [tally, "run", suite, "--wall-only", "--quiet", "--min-run-time", seconds]
        done = subprocess.run(
            [*command, "--max-run-time", "1", "--json", record], stdout=subprocess.DEVNULL
        )
        if done.returncode != 0:
            sys.exit(f"tally failed: {command}")
        return json.loads(record.read_text())


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tally", default="build/release/tally")
    parser.add_argument("--suite", default="suites/torch_standard.toml")
    parser.add_argument("--overhead-ms", type=float, default=5)
    parser.add_argument("--record", help="of children that sample 50 ms, instead of measuring")
    arguments = parser.parse_args()
    if arguments.record:
        record = json.loads(pathlib.Path(arguments.record).read_text())
    else:
        record = measure(str(pathlib.Path(arguments.tally).resolve()), arguments.suite)
    found = [pair for pair in map(deviations, record["cases"]) if pair is not None]
    if not found:
        sys.exit(f"no case has {LEAST_CHILDREN} children of {1000 * CHILD_S:.0f} ms")
    within = statistics.median(pair[0] for pair in found)
    between = statistics.median(pair[1] for pair in found)
    print(
        f"{len(found)} cases, medians: windows of {1000 * WINDOW_S:.0f} ms differ by {within:.2%} "
        f"within a child, and by {between:.2%} between children"
    )
    layout = between**2 - within**2
    if layout <= 0:
        print("nothing of it is layout: the longer the better")
        return
    best_s = math.sqrt(arguments.overhead_ms / 1000 * WINDOW_S * within**2 / layout)
    print(
        f"layout alone: {math.sqrt(layout):.2%}; at {arguments.overhead_ms:g} ms of overhead the best "
        f"length of a child is {1000 * best_s:.0f} ms"
    )


if __name__ == "__main__":
    main()
