#!/usr/bin/env python3
"""Holds files to clang-tidy; what has passed is read again when something changes that it is made of.

    tools/tidy.py BUILD [--jobs N] < FILES     BUILD: where compile_commands.json is
                                               FILES: paths, one a line

A file is made of itself, the headers of this repository that it includes, its commands, .clang-tidy
and clang-tidy's version. BUILD/tidy.passed has a line for each file that has passed, written at that
moment, so what is interrupted continues where it was. Headers of the system are left out: remove that
file after a change of these.

Prints the findings, and how many files it reads. Ends with 1 when there is a finding.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

TIDY = "clang-tidy-19"
NO_FINDING = re.compile(r"warnings? generated|warnings treated as errors|^\[\d+/\d+\] Processing")

# The folder in which a command runs, and its words.
Command = tuple[str, list[str]]


@functools.cache
def digest_of(path: str, _size: int, _changed: int) -> str:
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def content(path: str) -> str:
    """The digest of a file as it is now, which may be edited while this runs."""
    try:
        now = os.stat(path)
        return digest_of(path, now.st_size, now.st_mtime_ns)
    except OSError:
        return "gone"


def read_commands(build: pathlib.Path) -> dict[str, list[Command]]:
    """By file, relative to here: how it is compiled. Some files are compiled twice."""
    found: dict[str, list[Command]] = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = os.path.relpath(os.path.join(entry["directory"], entry["file"]))
        found.setdefault(file, []).append((entry["directory"], shlex.split(entry["command"])))
    return found


def parts_of(commands: list[Command]) -> list[str]:
    """A file and what of this repository it includes, as the compiler says."""
    parts = set()
    for folder, words in commands:
        asked = [word for before, word in zip(["", *words], words) if "-o" not in (before, word)]
        asked.remove("-c")
        # Where this fails the file does not compile, which clang-tidy says.
        rule = subprocess.run([*asked, "-MM"], cwd=folder, capture_output=True, text=True).stdout
        names = rule.partition(":")[2].replace("\\\n", " ").split()
        parts.update(os.path.relpath(os.path.join(folder, name)) for name in names)
    return sorted(parts)


def state_of(common: str, commands: list[Command], parts: list[str]) -> str:
    """The digest of all that a verdict depends on."""
    digest = hashlib.sha256(common.encode())
    for text in (repr(commands), *parts, *map(content, parts)):
        digest.update(text.encode() + b"\0")
    return digest.hexdigest()


def read_passed(journal: pathlib.Path) -> dict[str, tuple[str, list[str]]]:
    """By file: the state in which it has passed last, and the parts that this is of."""
    passed = {}
    if journal.exists():
        for line in journal.read_text().splitlines():
            # A line that a kill cut off lacks its last word.
            file, *rest = line.split("\t")
            if len(rest) == 3 and rest[2] == "passed":
                passed[file] = (rest[0], rest[1].split(" "))
    return passed


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    files = sys.stdin.read().split()
    commands = read_commands(arguments.build)
    version = subprocess.run([TIDY, "--version"], capture_output=True, text=True, check=True).stdout
    common = version + pathlib.Path(".clang-tidy").read_text()
    journal = arguments.build / "tidy.passed"
    passed = read_passed(journal)

    def stands(file: str) -> bool:
        if file not in passed:
            return False
        state, parts = passed[file]
        return state == state_of(common, commands[file], parts)

    def read(file: str) -> list[str]:
        """What was found. A file without findings gets its line in the journal."""
        parts = parts_of(commands[file])
        state = state_of(common, commands[file], parts)
        ended = subprocess.run(
            [TIDY, "-p", str(arguments.build), "--quiet", file], capture_output=True, text=True
        )
        if ended.returncode != 0:
            lines = (ended.stdout + ended.stderr).splitlines()
            return [line for line in lines if not NO_FINDING.search(line)] or [
                f"{file}: {TIDY} failed"
            ]
        with journal.open("a") as kept:
            kept.write(f"{file}\t{state}\t{' '.join(parts)}\tpassed\n")
        return []

    to_read = [file for file in files if not stands(file)]
    print(f"clang-tidy: {len(to_read)} of {len(files)} files to read", flush=True)
    with_findings = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        try:
            for findings in pool.map(read, to_read):
                with_findings += bool(findings)
                for line in findings:
                    print(line, flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    print(f"clang-tidy: {len(to_read)} of {len(files)} files read, findings in {with_findings}")
    return 1 if with_findings else 0


if __name__ == "__main__":
    sys.exit(main())
