#!/usr/bin/env python3
"""Holds `tally history` and `tally bisect` to a repository of 60 commits with planted changes, in C++ or in Python.

    bench/bisect/planted_changes.py build/release/tally [--language cpp|python] [--bisect-only]

The repository has functions that execute as much as a commit says: one that becomes slower, one
faster, one that changes twice, two that change in one commit, one that a merged branch changes, one
that is changed and reverted, one that grows below the threshold four times, and one that never
changes. One commit cannot be built. Prints what was attributed to which commit, and how many builds
each bisect took; exits with 1 where a planted change is not attributed to its commit, or something
else is.
"""

import argparse
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
DRIFT_FACTOR = {"cpp": 1, "python": 12}


class Repository:
    def __init__(self, top, language):
        self.top = top
        self.language = language
        self.counts = dict.fromkeys(FUNCTIONS, START)
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
        for name in FUNCTIONS:
            text += f'[[timer]]\nlabel = ["{name}"]\nlanguage = "{self.language}"\nstmt = "{call.format(name)}"\n'
        return text

    def source(self):
        if self.language == "python":
            # A turn of the loop is a few dozen instructions; only ratios matter here.
            return "".join(
                f"def {name}():\n    for _ in range({count // 100}):\n        pass\n"
                for name, count in self.counts.items()
            )
        return "#pragma once\n" + "".join(
            f'inline void {name}() {{ asm volatile(".rept {count}\\n nop\\n .endr"); }}\n'
            for name, count in self.counts.items()
        )

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
        commit = repository.commit(f"Commit {number}", counts, broken=number == BROKEN)
        planted.update((commit, name) for name in counts if name != "drifting" and number > 1)
    return repository, planted, merge


def build_command(language):
    name = "work.h" if language == "cpp" else "work.py"
    return (
        f"[ ! -e broken ] || {{ echo 'work.in: is broken'; exit 1; }}; mkdir -p built; "
        f"cmp -s work.in built/{name} || cp work.in built/{name}"
    )


def run(tally, top, arguments, **more):
    environment = dict(os.environ, PYTHONPATH=str(top / "built"), **more)
    done = subprocess.run(
        [tally, *arguments], cwd=top, env=environment, capture_output=True, text=True
    )
    if done.returncode not in (0, 1):
        sys.exit(f"tally {' '.join(arguments)}: exit code {done.returncode}\n{done.stderr}")
    return done


def name_of(case):
    return case.split(" ")[0]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tally", type=os.path.abspath)
    parser.add_argument("--language", choices=["cpp", "python"], default="cpp")
    parser.add_argument("--bisect-only", action="store_true", help="not the whole history first")
    options = parser.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        top = pathlib.Path(folder).resolve() / "repository"
        top.mkdir()
        repository, planted, merge = make(top, options.language)
        how = ["--build", build_command(options.language), "--suite", "suite.toml"]
        if not options.bisect_only:
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
            if name == "still":
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
