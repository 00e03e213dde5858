#!/usr/bin/env python3
"""What a plan, a part and a merge cost when a plan is large: seconds of one core, and memory.

  bench/merge/run.py [--tally build/release/tally] [--parts 1000] [--cases 100] [--json FILE]

Makes a plan of parts x cases empty C++ statements, and records of its parts as `tally run` writes them: one real
part is measured (counts and times), and its lines are written again under the ids and in places of the plan. So
what is merged is as large as what a cluster would give. Then it measures

  plan     `tally list --shard 1/PARTS`, which every part does before it measures anything
  merge    `tally merge` of all parts into one record, and the same from what the page cache holds

with wall time, processor time and the peak of resident memory. The target: 1,000 parts of 100 cases in 5 s and 1 GB.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time


def suite(count):
    """A hundred cases of each benchmark: a suite has at most 4 MiB."""
    values = ", ".join(str(i) for i in range(min(100, count)))
    benchmarks = "".join(
        f'[[benchmark]]\nlabel = ["group", "case {i}"]\ncpp = "tally::keep({i} + ${{n}});"\nparams.n = [{values}]\n'
        for i in range(max(1, count // 100))
    )
    return f'schema = 1\ntoolchain = "cpp"\n{benchmarks}'


def measured(argv):
    """Runs it; what it took. ru_maxrss of children is the largest so far: the first run must be the smaller."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(argv[:6])} …: exit {done.returncode}: {done.stderr[-500:]}")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall_s": wall, "cpu_s": used, "peak_mb": after.ru_maxrss / 1024}, done.stdout


def facts(case_id):
    """What an id says of its case, which a record must say, too."""
    label, _, rest = case_id.rpartition(" [")
    params = dict(word.split("=") for word in rest.rstrip("]").split(" ")[1:])
    return {"id": case_id, "label": label.split("/"), "params": params}


def write_parts(folder, record, ids, parts):
    """The records of all parts; every case is one that was really measured, under another id."""
    model = record["cases"]
    head = {key: value for key, value in record.items() if key != "cases"}
    for index in range(1, parts + 1):
        places = list(range(index - 1, len(ids), parts))
        head["part"] = {
            "index": index,
            "count": parts,
            "digest": record["part"]["digest"],
            "cases": len(ids),
            "places": places,
        }
        lines = [
            json.dumps(
                {**model[p % len(model)], **facts(ids[p]), "profile": None}, separators=(",", ":")
            )
            for p in places
        ]
        text = (
            json.dumps(head, separators=(",", ":"))[:-1]
            + ',"cases":[\n'
            + ",\n".join(lines)
            + "\n]}\n"
        )
        (folder / f"part{index}.json").write_text(text)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tally", default="build/release/tally")
    parser.add_argument("--parts", type=int, default=1000)
    parser.add_argument("--cases", type=int, default=100, help="of each part")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures here")
    options = parser.parse_args()
    total = options.parts * options.cases
    figures = {"parts": options.parts, "cases": total}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "suite.toml").write_text(suite(total))
        (folder / "few.toml").write_text(suite(20))
        few = str(folder / "few.json")
        run = [
            options.tally,
            "run",
            str(folder / "few.toml"),
            "--shard",
            "1/1",
            "--server",
            "off",
            "-q",
            "--json",
            few,
        ]
        measured([*run, "--min-run-time", "0.01", "--max-run-time", "0.01"])
        listed = [options.tally, "list", str(folder / "suite.toml")]
        figures["plan"], _ = measured([*listed, "--shard", f"1/{options.parts}"])
        ids = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.splitlines()
        write_parts(folder, json.loads(pathlib.Path(few).read_text()), ids, options.parts)
        names = [str(folder / f"part{i}.json") for i in range(1, options.parts + 1)]
        figures["read_mb"] = sum(pathlib.Path(one).stat().st_size for one in names) / 1e6
        for what in ("merge", "merge_again"):
            figures[what], _ = measured(
                [options.tally, "merge", *names, "-o", str(folder / "all.json")]
            )
        merged = json.loads((folder / "all.json").read_text())
        if [one["id"] for one in merged["cases"]] != ids:
            sys.exit("the merged record is not in the order of the plan")
    for what, one in figures.items():
        text = (
            f"{one['wall_s']:.2f} s, {one['cpu_s']:.2f} s of processor, {one['peak_mb']:.0f} MB"
            if isinstance(one, dict)
            else one
        )
        print(f"{what:12} {text}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
