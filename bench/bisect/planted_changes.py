#!/usr/bin/env python3
"""Holds `tally history` and `tally bisect` to a repository of 60 commits with planted changes, in C++ or in Python.

    bench/bisect/planted_changes.py build/release/tally [--language cpp|python] [--bisect-only | --times-only]

The repository has functions that execute as much as a commit says: one that becomes slower, one
faster, one that changes twice, two that change in one commit, one that a merged branch changes, one
that is changed and reverted, one that grows below the threshold four times, and one that never
changes. One commit cannot be built. Two more only wait: one for longer from a commit on, one for as
long as chance has it, anew with each build, and at some commits for twice as long: a flaky time.
Prints what was attributed to which commit, and how many builds each bisect took; exits with 1 where
a planted change is not attributed to its commit, or something else is.
"""

import argparse
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

COMMITS = 60
BROKEN = 26
START = 100_000
# Commit → function → from then on. `meanwhile` is what a merge brings: its commit is on the branch.
PLANTED = {
    7: {"up": 120_000},
    15: {"several": 130_000, "another": 70_000},
    19: {"down": 80_000},
    33: {"twice": 110_000},
    38: {"reverted": 150_000},
    45: {"reverted": START},
    52: {"twice": 125_000},
}
MERGE = 41
MERGED = {"merged": 90_000}
DRIFT = {10: 100_080, 22: 100_160, 35: 100_240, 48: 100_320}
FUNCTIONS = [
    "up",
    "down",
    "several",
    "another",
    "twice",
    "merged",
    "reverted",
    "drifting",
    "still",
]
# These wait, in microseconds: one changes for good, the other is another one with each build. So long that what a
# busy machine adds to a wait stays below the 1 % that a change of time must have.
LATER = 30
WAITS = {"slept": (4000, 5200), "flaky": (4000, 4000)}
DRIFT_FACTOR = {"cpp": 1, "python": 12}


class Repository:
    def __init__(self, top, language):
        self.top = top
        self.language = language
        self.counts = dict.fromkeys(FUNCTIONS, START)
        self.waits = {name: before for name, (before, _) in WAITS.items()}
        self.git("init", "--quiet", "--initial-branch=main")
        (top / ".gitignore").write_text("/built/\n__pycache__/\n")
        (top / "suite.toml").write_text(self.suite())

    def git(self, *arguments):
        command = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *arguments]
        done = subprocess.run(command, cwd=self.top, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def suite(self):
        if self.language == "cpp":
            head = 'extends = "cpp"\ninclude = ["built"]\nprelude = ["work.h"]'
            call = "{}()"
        else:
            head = 'extends = "cpp"\nrequires = ["work"]\nsubject = ["work.py"]'
            call = "work.{}()"
        text = f'schema = 1\n[toolchain.own]\n{head}\n[defaults]\ntoolchain = "own"\n'
        for name in [*FUNCTIONS, *WAITS]:
            text += f'[[timer]]\nlabel = ["{name}"]\nlanguage = "{self.language}"\nstmt = "{call.format(name)}"\n'
        return text

    def source(self):
        if self.language == "python":
            # A turn of the loop is a few dozen instructions; only ratios matter here.
            return "".join(
                f"def {name}():\n    for _ in range({count // 100}):\n        pass\n"
                for name, count in self.counts.items()
            ) + "".join(
                f"import time\ndef {name}():\n    time.sleep({wait}e-6 * {self.chance(name)})\n"
                for name, wait in self.waits.items()
            )
        return (
            "#pragma once\n#include <time.h>\n"
            + "".join(
                f'inline void {name}() {{ asm volatile(".rept {count}\\n nop\\n .endr"); }}\n'
                for name, count in self.counts.items()
            )
            + "".join(
                f"inline void {name}() {{ timespec t{{0, long(1e3 * {wait} * {self.chance(name)})}}; "
                "nanosleep(&t, nullptr); }\n"
                for name, wait in self.waits.items()
            )
        )

    @staticmethod
    def chance(name):
        """What the build puts in: nothing that a commit says."""
        return "FLAKY" if name == "flaky" else "1"

    def commit(self, title, counts=None, broken=False):
        self.counts.update(counts or {})
        (self.top / "work.in").write_text(self.source())
        (self.top / "notes").write_text(title)
        broken_file = self.top / "broken"
        if broken:
            broken_file.write_text("")
        else:
            broken_file.unlink(missing_ok=True)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", title)
        return self.git("rev-parse", "HEAD")


def make(top, language):
    """The repository, the commit of each planted change as (commit, function), and the merge."""
    repository = Repository(top, language)
    planted = set()
    for number in range(1, COMMITS + 1):
        counts = dict(PLANTED.get(number, {}))
        if number in DRIFT:
            counts["drifting"] = START + (DRIFT[number] - START) * DRIFT_FACTOR[language]
        if number == MERGE:
            repository.git("checkout", "--quiet", "-b", "aside", "HEAD~2")
            # The files of the branch's beginning: nothing between it and here was planted but what it says itself.
            repository.commit("On the branch")
            inner = repository.commit("Be merged", MERGED)
            repository.git("checkout", "--quiet", "main")
            repository.git(
                "merge",
                "--quiet",
                "--no-ff",
                "--strategy-option=theirs",
                "--message",
                f"Merge {number}",
                "aside",
            )
            planted.add((inner, "merged"))
            merge = repository.git("rev-parse", "HEAD")
            continue
        if number == LATER:
            repository.waits["slept"] = WAITS["slept"][1]
        commit = repository.commit(f"Commit {number}", counts, broken=number == BROKEN)
        if number == LATER:
            later = commit
        planted.update((commit, name) for name in counts if name != "drifting" and number > 1)
    return repository, planted, merge, later


def build_command(language, flaky=False):
    name = "work.h" if language == "cpp" else "work.py"
    if flaky:
        # Another one with each build, so that no commit's code is another's, whose times are not taken over.
        write = (
            "n=$(git rev-parse HEAD | cksum | cut -d' ' -f1); "
            "f=$((n % 10 == 0 ? 2000000 + n % 1000 : 970000 + n % 60000)); "
            'sed "s/FLAKY/$f\\/1e6/" work.in >built/work.tmp; '
        )
    else:
        write = "sed s/FLAKY/1/ work.in >built/work.tmp; "
    return (
        f"[ ! -e broken ] || {{ echo 'work.in: is broken'; exit 1; }}; mkdir -p built; {write}"
        f"cmp -s built/work.tmp built/{name} || cp built/work.tmp built/{name}"
    )


def run(tally, top, arguments, **more):
    environment = dict(os.environ, PYTHONPATH=str(top / "built"), **more)
    done = subprocess.run(
        [tally, *arguments], cwd=top, env=environment, capture_output=True, text=True
    )
    if done.returncode not in (0, 1):
        sys.exit(f"tally {' '.join(arguments)}: exit code {done.returncode}\n{done.stderr}")
    return done


def check_times(tally, top, language, later, store):
    """Whether the time that changes for good is nominated at its commit, and the flaky one nowhere."""
    how = [
        "--build",
        build_command(language, flaky=True),
        "--suite",
        "suite.toml",
        "--store",
        store,
    ]
    times = ["--times", "--max-run-time", "0.2", *(f"--case={name} *" for name in WAITS)]
    run(tally, top, ["history", "backfill", "--last", "100", *how, *times])
    log = json.loads(run(tally, top, ["history", "log", "--json", "--store", store]).stdout)
    found = {
        (entry["commit"], name_of(one["id"]))
        for entry in log["commits"]
        for one in entry["time_steps"]
    }
    shown = run(
        tally, top, ["history", "show", f"flaky [{language}]", "--csv", "--store", store]
    ).stdout
    rows = list(csv.DictReader(shown.splitlines()))
    medians = sorted(float(row["time_s"]) for row in rows if row["time_s"])
    print(
        f"times: {len(found & {(later, 'slept')})} of 1 planted change is nominated at its commit, "
        f"{len(found - {(later, 'slept')})} others; the flaky time goes from {medians[0] * 1e6:.0f} "
        f"to {medians[-1] * 1e6:.0f} µs over {len(medians)} commits"
    )
    for entry in log["commits"]:
        for one in entry["time_steps"]:
            print(
                f"    {entry['title']}: {one['id']} {one['before_s'] * 1e6:.0f} → {one['after_s'] * 1e6:.0f} µs, "
                f"p {one['p_value']:.2g}{', provisional' if one['provisional'] else ''}"
            )
    return found == {(later, "slept")}


def name_of(case):
    return case.split(" ")[0]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tally", type=os.path.abspath)
    parser.add_argument("--language", choices=["cpp", "python"], default="cpp")
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--bisect-only", action="store_true", help="not the whole history first")
    only.add_argument("--times-only", action="store_true", help="neither counts nor bisects")
    options = parser.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        top = pathlib.Path(folder).resolve() / "repository"
        top.mkdir()
        repository, planted, merge, later = make(top, options.language)
        if not options.bisect_only and not check_times(
            options.tally, top, options.language, later, f"{folder}/times"
        ):
            wrong.append("times")
        how = ["--build", build_command(options.language), "--suite", "suite.toml"]
        if not options.bisect_only and not options.times_only:
            store = f"{folder}/whole"
            filled = run(
                options.tally, top, ["history", "backfill", "--last", "100", *how, "--store", store]
            )
            print(filled.stdout.splitlines()[-1])
            log = json.loads(
                run(
                    options.tally,
                    top,
                    ["history", "log", "--json", "--store", store, "--drift", "0.1"],
                ).stdout
            )
            found = {
                (entry["commit"], name_of(one["id"]))
                for entry in log["commits"]
                for one in entry["changes"]
            }
            wanted = {(merge if name == "merged" else commit, name) for commit, name in planted}
            print(
                f"history: {len(found & wanted)} of {len(wanted)} planted changes are of their commit, "
                f"{len(found - wanted)} others; drifts: {[name_of(one['id']) for one in log['drifts']]}"
            )
            if found != wanted or [name_of(one["id"]) for one in log["drifts"]] != ["drifting"]:
                wrong.append("history")
        root = repository.git("rev-list", "--max-parents=0", "HEAD")
        for name in FUNCTIONS:
            if name == "still" or options.times_only:
                continue
            store = f"{folder}/store-{name}"
            done = run(
                options.tally,
                top,
                ["bisect", root, "HEAD", *how, "--case", name + " *", "--json", "--store", store],
            )
            result = json.loads(done.stdout)
            changes = result["changes"]
            found = {
                (one["candidates"][-1]["commit"], name_of(one["id"]))
                for one in changes
                if len(one["candidates"]) == 1
            }
            wanted = {one for one in planted if one[1] == name}
            if name == "reverted":
                wanted = set()  # Both ends are the same: unseen, and said so.
            drift = [one for one in changes if one["drift"]]
            right = found == wanted and bool(drift) == (name == "drifting")
            most = max(1, len(wanted)) * math.ceil(math.log2(COMMITS - 1)) + 2
            if name not in ("drifting", "merged"):
                right = right and result["builds"] <= most
            more = ", a drift" if drift else ""
            print(
                f"bisect {name}: {result['builds']} builds ({result['measured']} measured, "
                f"{result['same_built']} carried forward), {len(found)} of {len(wanted)} changes{more}: "
                f"{'right' if right else 'WRONG'}"
            )
            if not right:
                wrong.append(name)
    if wrong:
        sys.exit(f"wrong: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
