#!/usr/bin/env python3
"""What `tally table` takes of a large record: seconds of one core, and memory.

  bench/table/run.py [--tally build/release/tally] [--cases 8000 75000]

Writes records of so many C++ cases, four sizes of each label, and shows each as a table of labels and sizes. The time
of reading a record is taken apart, by `tally report --benchmark-json`, which reads it and writes a line for each case.
On two cores of an AMD EPYC with others at work, in seconds of processor: 8,000 cases 0.4, 75,000 cases 4.5, and reading
alone 4.2. When each case looked through the rows that were there, these 75,000 took 18.2.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

SIZES = (4, 16, 64, 256)


def case(index):
    size = SIZES[index % len(SIZES)]
    name = f"case {index // len(SIZES)}"
    each = 10 * size
    counts = {
        "per_iteration": float(each),
        "replicates": [100 * each + 269, 100 * each + 269],
        "baseline": 269.0,
        "baseline_replicates": [269],
        "iterations": 100,
        "spread": 0.0,
        "events": {"Ir": float(each)},
    }
    return {
        "id": f"group/{name} [cpp n={size}]",
        "label": ["group", name],
        "language": "cpp",
        "runtime": "eager",
        "autograd": "forward",
        "threads": 1,
        "params": {"n": str(size)},
        "tags": [],
        "toolchain": "cpp",
        "machine": 0,
        "definition": {"stmt": "", "setup": "", "global_setup": "", "digest": name},
        "attempts": [],
        "status": "ok",
        "flags": [],
        "warnings": [],
        "counts": counts,
        "wall": None,
        "profile": None,
        "failure": None,
    }


def record(model, cases):
    """A record of the machine's own, of one real case, with `cases` others in its place."""
    return {**model, "cases": [case(index) for index in range(cases)]}


def processor_seconds(argv):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(argv, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(argv)}: exit {done.returncode}: {done.stderr[-300:]!r}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tally", default="build/release/tally")
    parser.add_argument("--cases", type=int, nargs="+", default=[8000, 75000])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        made = [options.tally, "time", "x += 1;", "--setup", "volatile int x = 0;"]
        processor_seconds([*made, "--counts-only", "--json", str(folder / "model.json")])
        model = json.loads((folder / "model.json").read_text())
        for cases in options.cases:
            path = str(folder / f"{cases}.json")
            pathlib.Path(path).write_text(json.dumps(record(model, cases)))
            reading = [options.tally, "report", path, "--benchmark-json", str(folder / "out.json")]
            read_s = processor_seconds(reading)
            table_s = processor_seconds([options.tally, "table", path])
            print(f"{cases} cases: table {table_s:.2f} s, reading alone {read_s:.2f} s")


if __name__ == "__main__":
    main()
