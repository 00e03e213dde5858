#!/usr/bin/env python3
"""How long the standard PyTorch suite takes, beside what says how fast the machine is at that
moment.

  bench/standard_suite/run.py [--tally build/release/tally] [--against OTHER_TALLY] [--runs 3]
                              [--only counts|times] [--cold] [--server] [--memory]

Each run is preceded by the yardstick, importing torch under Valgrind, which is most of what a
counted host does before it serves: its processor time distinguishes a slow hour from a slow version. Runs
share one cache, which the first run fills and which is not listed (with --cold each run gets an
empty one); with --against both versions take turns. With --server a `tally serve` of each version
measures, whose hosts the first run has warmed.

Where the seconds went, in the columns: until the first case was begun; in sessions that count, and
in sessions that time (each on a core, so the machine's cores add up), and how much of these was
samples; processor seconds of all processes, and how much of them the kernel's. --memory adds the
largest sum of the proportional set sizes of all processes, looked at once a second, and slows a run
a little.
"""

import argparse
import contextlib
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
    """In all, and of the kernel."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime, usage.ru_stime


def yardstick(python, folder):
    before, _ = processor_seconds()
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
    return processor_seconds()[0] - before


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


class Server:
    """A `tally serve` that ends with the `with`."""

    def __init__(self, tally, folder):
        self.socket = folder / "serve.sock"
        self.tally, self.cache = tally, folder / "cache"

    def __enter__(self):
        self.process = subprocess.Popen(
            [self.tally, "serve", "--socket", self.socket, "--idle", "2h"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "XDG_CACHE_HOME": str(self.cache)},
        )
        while not self.socket.exists():
            time.sleep(0.05)
        return ["--server", str(self.socket)]

    def __exit__(self, *unused):
        self.process.terminate()
        self.process.wait()


def samples_of(wall):
    """Seconds inside samples, with the empty loop's time that was taken off."""
    each = sum(wall["replicates_s"]) + wall["overhead_s"] * len(wall["replicates_s"])
    return each * wall["number_per_run"]


def where_it_went(record, started_s):
    """A case is counted first, and timed in its last attempt."""
    seen = {"first": float("inf"), "counting": 0.0, "timing": 0.0, "samples": 0.0}
    for case in record["cases"]:
        attempts = case["attempts"]
        for place, attempt in enumerate(attempts):
            seen["first"] = min(seen["first"], attempt["started_s"] - started_s)
            times = record["settings"]["wall"] and place == len(attempts) - 1
            seen["timing" if times else "counting"] += attempt["seconds"]
        if case["wall"]:
            seen["samples"] += samples_of(case["wall"])
    return seen


def run_suite(tally, cache, folder, options, more):
    record = folder / "record.json"
    record.unlink(missing_ok=True)
    processor, kernel = processor_seconds()
    start = time.monotonic()
    started_s = time.clock_gettime(time.CLOCK_BOOTTIME)
    process = subprocess.Popen(
        [tally, "run", SUITE, "--json", record, "--quiet", *more],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
    )
    watch = MemoryWatch(process.pid)
    if options.memory:
        watch.start()
    code = process.wait()
    seconds = time.monotonic() - start
    watch.over.set()
    if code != 0:
        raise SystemExit(f"{tally} run {SUITE} ended with {code}")
    content = json.loads(record.read_text())
    cases = content["cases"]
    return {
        "seconds": seconds,
        "processor": processor_seconds()[0] - processor,
        "kernel": processor_seconds()[1] - kernel,
        "cases": len(cases),
        "ok": sum(case["status"] == "ok" for case in cases),
        "imprecise": sum("imprecise" in case["flags"] for case in cases),
        "peak_kib": watch.peak_kib,
        **where_it_went(content, started_s),
    }


def line_of(name, measure, seen, options):
    """A server's processes are not ours: their processor time is not known."""
    processor = ["", ""]
    if not options.server:
        processor = [f"{seen['processor']:.0f}", f"{seen['kernel'] / seen['processor']:.0%}"]
    share = f"{seen['samples'] / seen['timing']:.0%}" if seen["timing"] else ""
    cells = [
        name,
        f"{measure:.1f}",
        f"{seen['seconds']:.1f}",
        f"{seen['seconds'] / measure:.1f}",
        *processor,
        f"{seen['first']:.1f}",
        f"{seen['counting']:.0f}",
        f"{seen['timing']:.0f}",
        share,
        f"{seen['ok']} of {seen['cases']}",
        f"{seen['imprecise']}",
    ]
    if options.memory:
        cells.append(f"{seen['peak_kib'] / 1024:.0f}")
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tally", default=str(ROOT / "build/release/tally"))
    parser.add_argument("--against", help="another version, to take turns with")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", choices=["counts", "times"], help="the other is left out")
    parser.add_argument("--server", action="store_true", help="warm hosts of a tally serve")
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
    only = {None: [], "counts": ["--counts-only"], "times": ["--wall-only"]}[options.only]
    columns = [
        "version",
        "import torch under Valgrind, CPU s",
        "suite, s",
        "suite / import",
        "CPU s",
        "kernel",
    ]
    columns += [
        "first case after, s",
        "counting, s",
        "timing, s",
        "sampled",
        "cases ok",
        "missed 1 %",
    ]
    columns += ["peak MiB"] if options.memory else []
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as servers:
        folder = pathlib.Path(name)
        arguments = {}
        for number, version in enumerate(versions):
            own = folder / str(number)
            own.mkdir()
            served = (
                servers.enter_context(Server(version, own))
                if options.server
                else ["--server", "off"]
            )
            arguments[version] = [*served, *only]
            if not options.cold:
                run_suite(version, own / "cache", own, options, arguments[version])
        print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
        for number in range(options.runs):
            for place, version in enumerate(versions):
                own = folder / str(place)
                measure = yardstick(options.python, own)
                cache = own / (f"cold-{number}" if options.cold else "cache")
                seen = run_suite(version, cache, own, options, arguments[version])
                seen["ratio"] = seen["seconds"] / measure
                rows[version].append(seen)
                label = "tally" if version == options.tally else "other"
                print(line_of(label, measure, seen, options), flush=True)
    for version, runs in rows.items():
        print(
            f"median of {len(runs)}: {statistics.median(run['seconds'] for run in runs):.1f} s, "
            f"{statistics.median(run['ratio'] for run in runs):.1f} imports ({version})"
        )


if __name__ == "__main__":
    main()
