#!/usr/bin/env python3
"""How long a large history takes: COMMITS commits of a generated repository, each with a record of 185 cases.

    bench/history/run.py [--commits 10000] [--tally build/release/tally] [--store folder|git] [--keep FOLDER]

The records are copies of one real record (--record; measured here when absent: examples' C++ statements) with counts
that change now and then and times that are noisy. Prints seconds by the clock and of processor, and sizes. The figures
stand in docs/reference/performance.md.
"""

import argparse
import json
import os
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time

CASES = 185


def run(command, **more):
    """Seconds by the clock, seconds of processor, largest memory in MB, and standard output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, **more)
    seconds = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, cpu, done.stdout


def report(what, measured):
    seconds, cpu, _ = measured
    print(f"{what:44} {seconds:8.3f} s  {cpu:8.3f} s of processor", flush=True)


def megabytes(folder, pattern="**/*"):
    return (
        sum(one.stat().st_size for one in pathlib.Path(folder).glob(pattern) if one.is_file()) / 1e6
    )


def make_repository(folder, commits):
    """Its ids, oldest first."""
    subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
    stream = []
    for i in range(commits):
        title = f"Change {i}\n"
        stream.append(
            f"commit refs/heads/main\ncommitter Ada <ada@example.org> {1700000000 + 60 * i} +0000\n"
        )
        stream.append(
            f"data {len(title)}\n{title}\nM 100644 inline file\ndata {len(str(i))}\n{i}\n"
        )
    subprocess.run(
        ["git", "-C", folder, "fast-import", "--quiet"],
        input="".join(stream),
        text=True,
        check=True,
    )
    line = subprocess.run(
        ["git", "-C", folder, "rev-list", "--first-parent", "--reverse", "main"],
        capture_output=True,
        text=True,
        check=True,
    )
    return line.stdout.split()


def measured_record(tally, folder):
    suite = pathlib.Path(folder) / "suite.toml"
    lines = ["schema = 1\n"]
    for i in range(CASES):
        lines.append(
            f'[[benchmark]]\nlabel = ["Vector", "sum {i}"]\ncpp = "s += std::accumulate(v.begin(), v.end(), 0L);"\n'
            f'setup = {{ cpp = "std::vector<long> v({10 + i}, 1); long s = 0;" }}\n'
        )
    suite.write_text("\n".join(lines))
    out = pathlib.Path(folder) / "measured.json"
    subprocess.run(
        [tally, "run", suite, "--quiet", "--max-run-time", "0.1", "--json", out],
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return out


def write_records(template, commits, folder):
    """One a commit; a case's count changes at one commit in a hundred or so, its times vary by 1 %."""
    rng = random.Random(1)
    record = json.loads(pathlib.Path(template).read_text())
    cases = record["cases"]
    while len(cases) < CASES:
        again = json.loads(json.dumps(cases[len(cases) % max(1, len(record["cases"]))]))
        again["id"] += f" {len(cases)}"
        cases.append(again)
    del cases[CASES:]
    for one in cases:
        one.pop("profile", None)
        if "wall" in one:
            wall = one["wall"]
            children = len(wall["samples_per_child"])
            wall["samples_per_child"] = [1] * children
            wall["replicates_s"] = [wall["median_s"]] * children
    record["suite"] = "bench/suite.toml"
    record.pop("server", None)
    for i, commit in enumerate(commits):
        record["source"] = {
            "repository": "generated",
            "commit": commit,
            "parents": [],
            "dirty": False,
        }
        record["started"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1700000000 + 60 * i))
        for one in cases:
            counts = one.get("counts")
            if counts and rng.random() < 0.01:
                counts["per_iteration"] *= rng.choice([0.9, 1.02, 1.1])
            if "wall" in one:
                wall = one["wall"]
                factor = rng.gauss(1, 0.01)
                for key in ("median_s", "mean_s"):
                    wall[key] *= factor
                wall["interval_s"] = [wall["median_s"] * 0.99, wall["median_s"] * 1.01]
                wall["replicates_s"] = [
                    wall["median_s"] * rng.gauss(1, 0.01) for _ in wall["replicates_s"]
                ]
                for key in ("median_s", "mean_s"):
                    wall[key] /= factor
        (folder / f"{i:06}.json").write_text(json.dumps(record))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--commits", type=int, default=10000)
    parser.add_argument("--tally", default="build/release/tally")
    parser.add_argument("--record", help="of which the others are copies")
    parser.add_argument("--store", choices=["folder", "git"], default="folder")
    parser.add_argument(
        "--keep", help="work in this folder, and leave it; records that lie there are used again"
    )
    arguments = parser.parse_args()
    tally = os.path.abspath(arguments.tally)
    place = pathlib.Path(arguments.keep or tempfile.mkdtemp()).absolute()
    place.mkdir(parents=True, exist_ok=True)
    repository = place / "repository"
    records = place / "records"
    if not records.exists():
        commits = make_repository(repository, arguments.commits)
        template = arguments.record or measured_record(tally, place)
        records.mkdir()
        write_records(template, commits, records)
    print(f"{len(list(records.iterdir()))} records of {CASES} cases, {megabytes(records):.0f} MB")

    store = place / "store"
    shutil.rmtree(store, ignore_errors=True)
    where = [
        "--store",
        "git:tally-history" if arguments.store == "git" else store,
        "--repository",
        repository,
    ]
    history = [tally, "history"]
    os.chdir(place)
    report("import", run([*history, "import", records, *where]))
    report("rebuild the index", run([*history, "rebuild", *where]))
    name = json.loads((records / "000000.json").read_text())["cases"][7]["id"]
    for attempt in ("first", "again"):
        report(f"log --csv, {attempt}", run([*history, "log", "--csv", *where]))
        report(f"show of one case --csv, {attempt}", run([*history, "show", name, "--csv", *where]))
    report("log, as text", run([*history, "log", *where]))
    report("site", run([*history, "site", "-o", place / "site", *where]))
    report(
        "git log of the line alone (a yardstick)",
        run(["git", "-C", repository, "log", "--first-parent", "--format=%H%x1f%an%x1f%s", "main"]),
    )
    if arguments.store == "folder":
        print(
            f"the store: {megabytes(store / 'runs'):.0f} MB, its index {megabytes(store, 'index.sqlite'):.0f} MB"
        )
        subprocess.run(["git", "init", "-q", store], check=True)
        subprocess.run(["git", "-C", store, "add", "runs"], check=True)
        subprocess.run(
            [
                "git",
                "-C",
                store,
                "-c",
                "user.name=Ada",
                "-c",
                "user.email=a@b",
                "commit",
                "-qm",
                "all",
            ],
            check=True,
        )
        subprocess.run(["git", "-C", store, "gc", "-q"], check=True)
        print(f"as a git pack: {megabytes(store / '.git/objects'):.1f} MB")
    else:
        subprocess.run(["git", "-C", repository, "gc", "-q"], check=True)
        print(f"the repository with it: {megabytes(repository / '.git/objects'):.1f} MB")
    if not arguments.keep:
        shutil.rmtree(place)
    return 0


if __name__ == "__main__":
    sys.exit(main())
