"""The folders `records`, `public/26…` and `server` of the cases, as they are: damaged and odd records, a gate that
is to say what it judged, and requests of every kind of wrong.

Each works in a folder of its own, and says all that is not as the folder's README says it.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from run import Case, check, expect


def all_of(problems: Callable[[str, Path], list[str]]) -> Callable[[Case], None]:
    """A check of what a function of the command and the folder of all cases finds wrong."""

    def checked(case: Case) -> None:
        found = problems(os.path.abspath(os.environ["TALLY"]), case.cases)
        expect(not found, "; ".join(found))

    return checked


LIMIT = ["--limit", "instructions=+1%"]
DEADLINE_S = 120.0
# What `check two.json VARIANT` exits with where it does not refuse the variant as damaged.
JUDGED = {
    "two.json": 0,
    "B.json": 0,
    "bom.json": 0,
    "zero.json": 0,  # four instructions less
    "id_mismatch.json": 0,  # it is the id that the case has
    "othermachine.json": 0,
    "othermachine_only_machines.json": 3,
    "nest_unknown.json": 0,
    "cases_empty.json": 1,
    "ok_nocounts.json": 2,
    "schema1.json": 0,
    # Of other suites: nothing can be compared.
    "base.json": 2,
    "new.json": 2,
    "started_future.json": 0,
}


def _run(tally: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [tally, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=DEADLINE_S,
        check=False,
    )


def _is_crash(done: subprocess.CompletedProcess[str]) -> bool:
    return done.returncode < 0 or done.returncode >= 126


def _copied(cases: Path, name: str) -> Path:
    work = Path(tempfile.mkdtemp(prefix="tally-cases-"))
    for file in (cases / name).iterdir():
        shutil.copy(file, work)
        os.chmod(work / file.name, 0o644)
    return work


@check("records")
@all_of
def records(tally: str, cases: Path) -> list[str]:
    """Every variant through every command that reads records."""
    work = _copied(cases, "records")
    problems = []
    try:
        subprocess.run([sys.executable, "variants.py"], cwd=work, check=True)
        for file in sorted(work.glob("*.json")):
            problems += _variant(tally, work, file.name)
        problems += _gates(tally, work)
        problems += _bent(tally, work)
    finally:
        shutil.rmtree(work)
    return problems


def _variant(tally: str, work: Path, name: str) -> list[str]:
    problems = []
    commands = {
        "check": ["check", "two.json", name, *LIMIT],
        "compare": ["compare", "two.json", name],
        "merge": ["merge", name, "-o", "merged.out"],
        "report": ["report", name, "-o", "page.out"],
        "table": ["table", name],
    }
    refused = False
    for command, arguments in commands.items():
        done = _run(tally, *arguments, cwd=work)
        what = f"{command} of {name}"
        if _is_crash(done):
            problems.append(f"{what}: exit {done.returncode}: {done.stderr.strip()[-200:]}")
        if command == "check":
            refused = done.returncode == 2 and name in done.stderr
            expected = 2 if refused else JUDGED.get(name)
            if done.returncode != expected:
                problems.append(
                    f"{what}: exit {done.returncode}, not {expected}: {done.stdout[-300:]}"
                )
            if refused and name in JUDGED:
                problems.append(f"{what}: refused: {done.stderr.strip()}")
            if not refused and not re.search(
                r"^judged \d+ of \d+ cases by \d+ limits$", done.stdout.strip().split("\n")[-1]
            ):
                problems.append(f"{what}: its last line is not what it judged")
        elif refused and (done.returncode != 2 or name not in done.stderr):
            problems.append(
                f"{what}: exit {done.returncode} of what check refuses: {done.stderr.strip()[:200]}"
            )
    return problems


def _gates(tally: str, work: Path) -> list[str]:
    """A base of zero and less, limits of each kind, and what they judge nothing of."""
    problems = []
    expected = [
        (["base.json", "new.json", *LIMIT], 3, "from nothing"),
        (["base.json", "base.json", *LIMIT], 2, "below zero"),
        (["new.json", "base.json", *LIMIT], 2, "not compared: bench/work [cpp]"),
        (
            ["two.json", "two.json", "--limit", "instructions=+0"],
            0,
            "judged 2 of 2 cases by 1 limits",
        ),
        (["two.json", "two.json", "--limit", "instructions=21"], 3, "lists/second [cpp]"),
        (["two.json", "two.json", "--limit", "time=+10%"], 2, "the limit time=+10%"),
        (["two.json", "two.json", "--limit", "cycles=12"], 2, "the limit cycles=12"),
        (["two.json", "two.json", "--limit", "allocations=+1%"], 2, "the limit allocations=+1%"),
        (
            ["two.json", "two.json", "--limit-for", "nothing/*:instructions=+1%"],
            2,
            "matches no case",
        ),
        (["two.json", "notcomp.json", *LIMIT], 2, "lists/second [cpp]"),
        (["cases_empty.json", "cases_empty.json", *LIMIT], 2, "neither record has a case"),
    ]
    for arguments, code, text in expected:
        done = _run(tally, "check", *arguments, cwd=work)
        if done.returncode != code or text not in done.stdout + done.stderr:
            problems.append(
                f"check {' '.join(arguments)}: exit {done.returncode}, not {code} with '{text}'"
            )
    return problems


def _bent(tally: str, work: Path) -> list[str]:
    """Records cut anywhere, and with a bit turned over: none crashes a command."""
    problems = []
    good = (work / "two.json").read_bytes()
    chance = random.Random(37)
    for _ in range(40):
        bent = bytearray(good)
        at = chance.randrange(len(bent))
        if chance.random() < 0.5:
            bent = bent[:at]
        else:
            bent[at] ^= 1 << chance.randrange(8)
        (work / "bent.json").write_bytes(bent)
        for arguments in (
            ["check", "two.json", "bent.json", *LIMIT],
            ["merge", "bent.json", "-o", "merged.out"],
        ):
            done = _run(tally, *arguments, cwd=work)
            if _is_crash(done):
                kept = f"cut at {at}" if len(bent) < len(good) else f"byte {at} is {bent[at]}"
                problems.append(f"{arguments[0]} of two.json, {kept}: exit {done.returncode}")
    return problems


@check("public/26-gate-wins-and-missing-baselines")
@all_of
def gate(tally: str, cases: Path) -> list[str]:
    """public/26: wins, missing baselines and globs that match nothing."""
    work = _copied(cases, "public/26-gate-wins-and-missing-baselines")
    problems = []
    try:
        for side in ("base", "new"):
            done = _run(
                tally, "run", f"{side}.toml", "--counts-only", "--json", f"{side}.json", cwd=work
            )
            if done.returncode != 0:
                return [f"run {side}.toml: exit {done.returncode}: {done.stderr.strip()}"]
        expected = [
            (
                ["base.json", "new.json", *LIMIT],
                0,
                ["better: lists/first [python]", "new: lists/second [python]"],
            ),
            (
                ["new.json", "base.json", *LIMIT],
                3,
                [
                    "regression: lists/first [python]",
                    "gone: lists/second [python]",
                    "tally-accept.toml",
                ],
            ),
            (
                ["base.json", "new.json", "--case", "lists/second [python]", *LIMIT],
                2,
                ["the baseline has no case 'lists/second [python]'"],
            ),
            (
                ["base.json", "new.json", "--limit-for", "nothing/*:instructions=+1%"],
                2,
                ["nothing/*:instructions=+1%: it matches no case"],
            ),
        ]
        for arguments, code, texts in expected:
            done = _run(tally, "check", *arguments, cwd=work)
            missing = [text for text in texts if text not in done.stdout + done.stderr]
            if done.returncode != code or missing:
                problems.append(
                    f"check {' '.join(arguments)}: exit {done.returncode}, not {code}; not said: {missing}"
                )
    finally:
        shutil.rmtree(work)
    return problems


@check("server")
@all_of
def server(tally: str, cases: Path) -> list[str]:
    """server: one error for each request that is wrong, with its id and place, and the next is served."""
    folder = tempfile.mkdtemp(prefix="tally-cases-")
    path = f"{os.path.dirname(os.path.abspath(tally))}:{os.environ.get('PATH', '')}"
    try:
        done = subprocess.run(
            [sys.executable, str(cases / "server" / "requests.py")],
            cwd=folder,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=600,
            check=False,
        )
    finally:
        shutil.rmtree(folder)
    answers = dict(re.findall(r"^([a-z0-9 MB]+?) => (.*?) rc None$", done.stdout, re.MULTILINE))
    places = {
        "before hello": "request",
        "hello bad": "hello",
        "null": "request",
        "array": "request",
        "noid": "status.id",
        "id float": "status.id",
        "unknown key": "status",
        "unknown req": "request",
        "profile unknown": "profile.of",
        "measure empty": "measure.suite",
        "measure bad suite": "suite:3:7",
        "measure both": "measure.suite.text",
        "measure relative wf": "measure.working_folder",
        "measure env types": "measure.environment.A",
        "measure env names": "measure.environment",
        "measure iterations 0": "measure.settings.iterations",
        "measure iterations neg": "measure.settings.iterations",
        "measure iterations huge": "measure.settings.iterations",
        "measure nothing": "measure.settings",
        "measure cores": "measure.cores",
    }
    problems = []
    for name, place in places.items():
        answer = answers.get(name, "")
        if answer.count('"event":"error"') != 1 or f'"place":"{place}"' not in answer:
            problems.append(f"{name}: not one error with the place {place}: {answer[:200]}")
    for name in ("id long text", "big line 20MB", "status"):
        if '"event":"status"' not in answers.get(name, ""):
            problems.append(f"{name}: not served: {answers.get(name, '')[:200]}")
    if '"event":"record","id":20' not in done.stdout.replace("\\", ""):
        problems.append("same id twice: the first was not measured")
    if not re.search(r"^exit 0$", done.stdout, re.MULTILINE):
        problems.append(f"the server did not end by itself: {done.stdout[-200:]}")
    return problems
