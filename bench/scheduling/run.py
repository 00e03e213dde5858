#!/usr/bin/env python3
"""Scheduling overhead: what a case costs beyond measuring, in milliseconds and in memory, for many
empty cases on one core.

  bench/scheduling/run.py [--tally build/release/tally] [--cases 5000] [--core 0] [--json FILE]

tally and all that it starts are bound to one core. Cases are empty statements, timed natively for
the shortest allowed time (1 ms), which two children sample. By design such a case
takes two forks: the case's process, which times the empty loop and is the last of the children, and
the other one. The overhead of a case is

  (wall time of the run - time inside samples, as the record has them) / cases

of the large run less a run of a tenth as many cases, which takes off what does not grow (start,
compiling). So both forks count as overhead, and also what is executed but not sampled: setup,
warm-up, finding the length of a block, and what each child executes before it samples. Memory is tally's own
resident set: what it grows by, for each case, from the moment when a tenth of the cases is done to
the last one, and its peak.
"""

import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time


def suite(language, count):
    empty = {"cpp": "cpp = ';'", "python": "py = 'pass'"}[language]
    cases = "".join(f'[[benchmark]]\nlabel = ["case {i}"]\n{empty}\n' for i in range(count))
    return f'schema = 1\ntoolchain = "{language}"\n{cases}'


def sampled_seconds(cases):
    """Time inside samples: each is the mean of a block's executions, with the empty loop's time taken off."""
    return sum(
        c["wall"]["number_per_run"]
        * sum(s + c["wall"]["overhead_s"] for s in c["wall"]["replicates_s"])
        for c in cases
    )


def run(tally, core, language, count, folder):
    (folder / "suite.toml").write_text(suite(language, count))
    record = folder / "record.json"
    journal = folder / "record.json.journal"
    record.unlink(missing_ok=True)
    command = [
        tally,
        "run",
        "suite.toml",
        "--wall-only",
        "--json",
        "record.json",
        "--quiet",
        "--min-run-time",
        "0.001",
        "--max-run-time",
        "0.001",
        "--precision",
        "100",
    ]
    start = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.DEVNULL,
        preexec_fn=lambda: os.sched_setaffinity(0, {core}),
    )
    # Of tally itself, not of what it waited for, as getrusage would have it.
    peak_kib = ticks = 0
    seen = []  # bytes of the journal, resident KiB
    while process.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            peak_kib = max(peak_kib, int(re.search(r"VmHWM:\s+(\d+)", status).group(1)))
            fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            ticks = int(fields[11]) + int(fields[12])
            seen.append(
                (journal.stat().st_size, int(re.search(r"VmRSS:\s+(\d+)", status).group(1)))
            )
        except (AttributeError, OSError):
            pass  # it has just begun or ended
        time.sleep(0.01)
    seconds = time.monotonic() - start
    if process.returncode != 0:
        sys.exit(f"tally failed: {command}")
    cases = json.loads(record.read_text())["cases"]
    assert len(cases) == count and all(case["status"] == "ok" for case in cases)
    # A run of a few cases may be over before it was looked at.
    full = max((size for size, _ in seen), default=0)
    early = next((kib for size, kib in seen if size >= full / 10), math.nan)
    late = max((kib for size, kib in seen if size >= full * 0.9), default=math.nan)
    return {
        "cases": count,
        "seconds": seconds,
        "sampled_s": sampled_seconds(cases),
        "tally_cpu_s": ticks / os.sysconf("SC_CLK_TCK"),
        "peak_rss_mib": peak_kib / 1024,
        "growth_kib": late - early,
    }


def per_case(few, many, key):
    return (many[key] - few[key]) / (many["cases"] - few["cases"])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tally", default="build/release/tally")
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--core", type=int, default=min(os.sched_getaffinity(0)))
    parser.add_argument(
        "--language", choices=["cpp", "python"], action="append", help="both when absent"
    )
    parser.add_argument("--json", help="write the figures here")
    arguments = parser.parse_args()
    tally = str(pathlib.Path(arguments.tally).resolve())
    figures = {}
    for language in arguments.language or ("cpp", "python"):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            run(tally, arguments.core, language, 10, folder)  # compiles
            few = run(tally, arguments.core, language, max(arguments.cases // 10, 10), folder)
            many = run(tally, arguments.core, language, arguments.cases, folder)
        figures[language] = {
            "few": few,
            "many": many,
            "overhead_ms": 1000
            * (per_case(few, many, "seconds") - per_case(few, many, "sampled_s")),
            "wall_ms": 1000 * per_case(few, many, "seconds"),
            "sampled_ms": 1000 * per_case(few, many, "sampled_s"),
            "tally_cpu_ms": 1000 * per_case(few, many, "tally_cpu_s"),
            "growth_kib_per_case": many["growth_kib"] / (0.9 * many["cases"]),
        }
        f = figures[language]
        print(
            f"{language}: {f['overhead_ms']:.2f} ms of overhead a case ({f['wall_ms']:.2f} ms less "
            f"{f['sampled_ms']:.2f} ms sampled; {f['tally_cpu_ms']:.2f} ms of it tally's own CPU); "
            f"{many['cases']} cases in {many['seconds']:.1f} s; memory grows by "
            f"{f['growth_kib_per_case']:.2f} KiB a case to a peak of {many['peak_rss_mib']:.1f} MiB",
            flush=True,
        )
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
