#!/usr/bin/env python3
"""How long the standard PyTorch suite takes, beside what says how fast the machine is at that
moment.

  bench/standard_suite/run.py [--tally build/release/tally] [--against OTHER_TALLY] [--runs 3] [--cold] [--memory]

Each run is preceded by the yardstick, importing torch under Valgrind, which is most of what a
counted host does before it serves: its processor time tells a slow hour from a slow version. Runs
share one cache, which the first run fills and which is not listed (with --cold each run gets an
empty one); with --against both versions take turns. --memory adds the largest sum of the
proportional set sizes of all processes, looked at once a second, and slows a run a little.
"""

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUITE = ROOT / "suites" / "torch_standard.toml"


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def yardstick(python, folder):
    before = processor_seconds()
    subprocess.run(
        [
            "valgrind",
            "--tool=callgrind",
            "--instr-atstart=no",
            "--vgdb=no",
            "-q",
            f"--callgrind-out-file={folder}/callgrind.out",
            python,
            "-c",
            "import torch",
        ],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    return processor_seconds() - before


def children(pid):
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
        found = [
            int(child)
            for task in tasks
            for child in pathlib.Path(f"/proc/{pid}/task/{task}/children").read_text().split()
        ]
    except OSError:
        return []
    return found + [deeper for child in found for deeper in children(child)]


def proportional_kib(pid):
    try:
        for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


class MemoryWatch(threading.Thread):
    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid = pid
        self.peak_kib = 0
        self.over = threading.Event()

    def run(self):
        while not self.over.wait(1):
            self.peak_kib = max(
                self.peak_kib, sum(map(proportional_kib, [self.pid, *children(self.pid)]))
            )


def run_suite(tally, cache, folder, memory):
    record = folder / "record.json"
    record.unlink(missing_ok=True)
    before = processor_seconds()
    start = time.monotonic()
    process = subprocess.Popen(
        [tally, "run", SUITE, "--json", record, "--quiet"],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
    )
    watch = MemoryWatch(process.pid)
    if memory:
        watch.start()
    code = process.wait()
    seconds = time.monotonic() - start
    watch.over.set()
    if code != 0:
        raise SystemExit(f"{tally} run {SUITE} ended with {code}")
    cases = json.loads(record.read_text())["cases"]
    return {
        "seconds": seconds,
        "processor": processor_seconds() - before,
        "cases": len(cases),
        "ok": sum(case["status"] == "ok" for case in cases),
        "imprecise": sum("imprecise" in case["flags"] for case in cases),
        "peak_kib": watch.peak_kib,
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tally", default=str(ROOT / "build/release/tally"))
    parser.add_argument("--against", help="another version, to take turns with")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--cold", action="store_true", help="an empty cache for each run")
    parser.add_argument("--memory", action="store_true", help="watch the memory of all processes")
    parser.add_argument(
        "--python",
        default="/usr/bin/python3",
        help="the interpreter that has torch, for the yardstick",
    )
    options = parser.parse_args()
    versions = [options.tally] + ([options.against] if options.against else [])
    rows = {version: [] for version in versions}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if not options.cold:
            for version in versions:
                run_suite(version, folder / "cache", folder, False)
        print(
            "| version | import torch under Valgrind, CPU s | suite, s | CPU s | suite / import "
            "| cases ok | missed 1 % |" + (" peak MiB |" if options.memory else "")
        )
        print("|---|---|---|---|---|---|---|" + ("---|" if options.memory else ""))
        for number in range(options.runs):
            for version in versions:
                measure = yardstick(options.python, folder)
                cache = (
                    folder / f"cold-{number}-{versions.index(version)}"
                    if options.cold
                    else folder / "cache"
                )
                seen = run_suite(version, cache, folder, options.memory)
                seen["ratio"] = seen["seconds"] / measure
                rows[version].append(seen)
                print(
                    f"| {'tally' if version == options.tally else 'other'} | {measure:.1f} | {seen['seconds']:.1f} | "
                    f"{seen['processor']:.0f} | {seen['ratio']:.1f} | {seen['ok']} of {seen['cases']} "
                    f"| {seen['imprecise']} |"
                    + (f" {seen['peak_kib'] / 1024:.0f} |" if options.memory else ""),
                    flush=True,
                )
    for version, runs in rows.items():
        print(
            f"median of {len(runs)}: {statistics.median(run['seconds'] for run in runs):.1f} s, "
            f"{statistics.median(run['ratio'] for run in runs):.1f} imports ({version})"
        )


if __name__ == "__main__":
    main()
