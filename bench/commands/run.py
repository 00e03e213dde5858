#!/usr/bin/env python3
"""Whole commands: how far counts repeat, what counting costs, and whether times are hyperfine's.

    run.py spread [--runs 5] [--busy N]     each command's counts in so many runs of tally, N busy processes beside it
    run.py cost                             processor seconds: native, tally, cachegrind and callgrind, in turn
    run.py times [--rounds 3]               medians of tally and of hyperfine, in turn

--only TEXT (as often as wanted) takes the commands whose names contain it.

Needs the programs that it names (Debian: sqlite3 gzip jq git gcc perl python3 xz-utils nodejs golang-go hyperfine) and
TALLY, the built command; what is not there is left out, and said. Prints Markdown.
"""

import argparse
import json
import os
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TALLY = os.environ.get("TALLY", str(ROOT / "build/release/tally"))

SQL = """create table t(a integer, b text);
with recursive c(x) as (select 1 union all select x+1 from c where x<20000) insert into t select x, 'v'||x from c;
select count(*), sum(a) from t where b like '%9%';
"""
GO = """package main
import ("fmt"; "sort")
func main() { x := make([]int, 300000); for i := range x { x[i] = i * 7919 % 300007 }; sort.Ints(x); fmt.Println(x[5]) }
"""
RUST = """use std::collections::HashMap;
fn main() { let mut m = HashMap::new(); for i in 0..100000u64 { m.insert(i.wrapping_mul(2654435761), i); }
  let mut k: Vec<_> = m.keys().collect(); k.sort(); println!("{}", k[5]); }
"""
C = """int f%d(int *x, int n) {
  int s = 0;
  for (int i = 0; i < n; ++i) s += x[i] * %d;
  return s;
}
"""

# name, the program it needs, text for a shell; each runs in a folder with the files that prepare() makes
COMMANDS = [
    ("sqlite3, a script", "sqlite3", "sqlite3 :memory: < script.sql"),
    ("gzip", "gzip", "gzip -c numbers"),
    ("jq", "jq", "jq . data.json"),
    ("git log", "git", f"git -C {shlex.quote(str(ROOT))} log -n 40"),
    ("gcc -O2 -c, 3,000 lines", "gcc", "gcc -O2 -c long.c -o /dev/null"),
    ("python3 -c 'import json'", "/usr/bin/python3", "/usr/bin/python3 -c 'import json'"),
    (
        "perl, hash and sort",
        "perl",
        "perl -e '$h{$_ * 7919 % 30011} = $_ for 1..30000; print join(q(,), sort keys %h)'",
    ),
    ("bash, a pipeline", "bash", "bash -c 'sort numbers | uniq -c | sort -n | tail -3'"),
    ("Rust, hash and sort", "./rust", "./rust"),
    ("Go, sort", "./go", "./go"),
    ("node -e", "node", "node -e 'console.log(1)'"),
    ("xz -T2", "xz", "xz -T2 -k -c numbers"),
    ("true", "true", "/bin/true"),
]


def prepare(folder):
    (folder / "script.sql").write_text(SQL)
    (folder / "numbers").write_text("".join(f"{n}\n" for n in range(100_000)))
    (folder / "data.json").write_text(
        json.dumps([{"n": n, "text": "x" * (n % 50)} for n in range(2000)])
    )
    (folder / "long.c").write_text("".join(C % (n, n) for n in range(600)))
    for name, text, build in (
        ("rust.rs", RUST, ["rustc", "-O", "rust.rs", "-o", "rust"]),
        ("main.go", GO, ["go", "build", "-o", "go", "main.go"]),
    ):
        (folder / name).write_text(text)
        if shutil.which(build[0]):
            subprocess.run(build, cwd=folder, check=False, capture_output=True)


def there(folder, only):
    for name, program, text in COMMANDS:
        if only and not any(part in name for part in only):
            continue
        if shutil.which(program, path=os.environ["PATH"]) or (folder / program).exists():
            yield name, text
        else:
            print(f"left out, for it is not there: {name}", file=sys.stderr)


def tally(folder, text, *options):
    file = folder / "record.json"
    subprocess.run(
        [TALLY, "command", *options, "--expect-status", "any", "--shell", "--json", file, text],
        cwd=folder,
        check=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    return json.loads(file.read_text())["cases"][0]


def spread(folder, options):
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.busy)
    ]
    try:
        print(
            "| command | instructions | processes | spread of all runs | which process |\n|---|---|---|---|---|"
        )
        for name, text in there(folder, options.only):
            cases = [tally(folder, text, "--counts-only") for _ in range(options.runs)]
            counts = [count for case in cases for count in case["counts"]["replicates"]]
            least, most = min(counts), max(counts)
            said = {w.partition(": ")[2] for case in cases for w in case["warnings"]}
            share = (
                "0" if least == most else f"{most - least:,} ({100 * (most - least) / least:.3g} %)"
            )
            print(
                f"| {name} | {least:,} | {len(cases[0]['processes'])} | {share} | {min(said, default='')} |"
            )
    finally:
        for one in busy:
            one.kill()


def processor_seconds(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command,
        cwd=folder,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cost(folder, options):
    ways = {
        "native": [],
        "tally": [
            TALLY,
            "command",
            "--counts-only",
            "--replicates",
            "1",
            "--expect-status",
            "any",
            "--shell",
        ],
        "cachegrind": [
            "valgrind",
            "--tool=cachegrind",
            "--cache-sim=no",
            "--trace-children=yes",
            "--cachegrind-out-file=/dev/null",
            "-q",
        ],
        "callgrind": [
            "valgrind",
            "--tool=callgrind",
            "--trace-children=yes",
            "--callgrind-out-file=/dev/null",
            "-q",
        ],
    }
    print(
        "| command | native | tally | cachegrind | callgrind | cachegrind / tally |\n|---|---|---|---|---|---|"
    )
    for name, text in there(folder, options.only):
        best = {}
        for _ in range(options.rounds):
            for way, before in ways.items():
                command = [*before, text] if way == "tally" else [*before, "/bin/sh", "-c", text]
                took = processor_seconds(command, folder)
                best[way] = min(took, best.get(way, took))
        print(
            f"| {name} | "
            + " | ".join(f"{best[way]:.2f}" for way in ways)
            + f" | {best['cachegrind'] / best['tally']:.1f} |"
        )


def times(folder, options):
    # What a command finds in its environment may take most of its time: both get the same.
    variables = {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
    }
    print("| command | hyperfine, ms | tally, ms | ratio |\n|---|---|---|---|")
    for name, text in there(folder, options.only):
        file = folder / "hyperfine.json"
        ours, theirs = [], []
        for _ in range(options.rounds):
            # The same shell in both: hyperfine takes off what starting it takes, so it is given as an argument.
            subprocess.run(
                [
                    "hyperfine",
                    "-N",
                    "-i",
                    "--export-json",
                    file,
                    shlex.join(["/bin/sh", "-c", text]),
                ],
                cwd=folder,
                check=True,
                capture_output=True,
                env=variables,
            )
            theirs.append(json.loads(file.read_text())["results"][0]["median"])
            ours.append(tally(folder, text, "--wall-only")["wall"]["median_s"])
        a, b = statistics.median(theirs), statistics.median(ours)
        print(
            f"| {name} | {a * 1e3:.2f} ({min(theirs) * 1e3:.2f} to {max(theirs) * 1e3:.2f}) | "
            f"{b * 1e3:.2f} ({min(ours) * 1e3:.2f} to {max(ours) * 1e3:.2f}) | {b / a:.2f} |"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["spread", "cost", "times"])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        {"spread": spread, "cost": cost, "times": times}[options.what](folder, options)


main()
