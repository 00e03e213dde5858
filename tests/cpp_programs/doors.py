"""The ways to count a benchmark: both doors of `tally run --program`, and plain Callgrind on either program.

A case is named as Google Benchmark names it (`BM_sort/64`), on both sides; of the words that say how it is timed
(`/manual_time`) our own names know nothing.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from surroundings import UNREAD, counted_environment, open_program, padded, size_of, started

SHORT = 10  # executions of the shorter call, as the built-program door makes them
# What calls a benchmark's function, by side: with its State, without reports.
CALLERS = {
    "header": "benchmark::compiled_with_tallymark_not_with_google_benchmark::internal::run_function(*",
    "google": "benchmark::internal::BenchmarkInstance::Run(*",
}
# What its loop calls at its end: what a function does after it is in no count of a door, and may grow with executions.
ENDS = {
    "header": (
        "tally::detail::next(tally::detail::Call*)",
        "tally::detail::wait(tally::detail::Call*)",
    ),
    "google": ("benchmark::State::FinishKeepRunning()",),
}
TIMING = re.compile(
    r"/(manual_time|real_time|process_time|threads:1|(min_time|min_warmup_time|repeats|iterations):[^/]*)(?=/|$)"
)
PAUSES = "State::PauseTiming()"


@dataclass(frozen=True)
class Count:
    """Instructions of an execution, or why there are none."""

    value: float | None = None
    reason: str = ""
    warnings: tuple[str, ...] = ()
    in_batches: bool = False  # KeepRunningBatch: a batch's executions share the loop's control


def clean_environment() -> dict[str, str]:
    """No server and no settings of the developer's."""
    kept = {
        name: os.environ[name] for name in ("HOME", "PATH", "XDG_CACHE_HOME") if name in os.environ
    }
    return kept | {"XDG_RUNTIME_DIR": "/nonexistent"}


def count_of(case: dict[str, Any]) -> Count:
    """A case of a record."""
    counts, failure = case.get("counts"), case.get("failure")
    warnings = case.get("warnings")
    texts = tuple(str(one) for one in warnings) if isinstance(warnings, list) else ()
    if isinstance(counts, dict) and case["status"] == "ok":
        return Count(float(counts["per_iteration"]), warnings=texts)
    if isinstance(failure, dict):
        lines = str(failure.get("message", failure)).strip().splitlines()
        return Count(reason="; ".join(dict.fromkeys((lines[0], lines[-1]))), warnings=texts)
    return Count(reason=str(case.get("skip_reason", case["status"])), warnings=texts)


def name_of(case: dict[str, Any]) -> str:
    """As Google Benchmark names it."""
    name, threads = str(case["definition"]["stmt"]), int(case["threads"])
    return f"{name}/threads:{threads}" if threads > 1 and "/threads:" not in name else name


def by_tally(argv: list[str], folder: Path, limit_s: float) -> tuple[dict[str, Count], str]:
    """Counts a program of either side; the text is what tally says where it refuses all of it."""
    with tempfile.TemporaryDirectory() as scratch:
        record = Path(scratch, "record.json")
        command = [part.replace("RECORD", str(record)) for part in argv]
        try:
            done = subprocess.run(
                command,
                env=clean_environment(),
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=limit_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return {}, f"takes more than {limit_s:.0f} s"
        if not record.exists():
            return {}, (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[0]
        cases = json.loads(record.read_text())["cases"]
    return {name_of(case): count_of(case) for case in cases}, ""


def paired(header: list[str], built: list[str]) -> dict[str, str]:
    """The header's name of each of the built program's cases that has one."""
    known = {TIMING.sub("", name): name for name in header}
    return {name: known[TIMING.sub("", name)] for name in built if TIMING.sub("", name) in known}


def namesakes(names: list[str]) -> dict[str, list[str]]:
    """All that Google Benchmark gives each one's name: tally names the second of them `f#2`."""
    alike: dict[str, list[str]] = {}
    for name in names:
        own = re.sub("#[0-9]+$", "", name)
        alike.setdefault(own if own in names else name, []).append(name)
    return {name: several for several in alike.values() for name in several}


def mean_of(counts: list[Count]) -> Count:
    """The mean of benchmarks of one name; the first one where one of them has no count."""
    values = [one.value for one in counts if one.value is not None]
    if len(values) < len(counts):
        return next(one for one in counts if one.value is None)
    return replace(counts[0], value=sum(values) / len(values))


@dataclass(frozen=True)
class Call:
    """What plain Callgrind saw of a benchmark's call."""

    instructions: int
    executions: list[int]  # of each benchmark of this name
    pauses: int


def pauses_in(profile: str) -> int:
    """Calls of PauseTiming(): one of the library's own at the loop's end, and those of the benchmark."""
    named = re.search(rf"fn=\((\d+)\) .*{re.escape(PAUSES)}", profile)
    if not named:
        return 0
    calls = re.findall(rf"^cfn=\({named.group(1)}\).*\ncalls=(\d+)", profile, re.MULTILINE)
    return sum(int(number) for number in calls)


def pattern_of(name: str) -> str:
    """Matches this name alone, for std::regex and POSIX."""
    return "^" + re.sub(r"([\\^$.|?*+()\[{])", r"\\\1", name) + "$"


@dataclass(frozen=True)
class Asked:
    """What plain Callgrind is to count: a program and its arguments, of a side, in a folder."""

    argv: list[str]
    side: str
    folder: Path
    executions: int
    limit_s: float
    shift: int = 0  # steps that its stack and heap are moved by


def command_of(
    asked: Asked, name: str, executions: int, start: list[str], report: Path
) -> tuple[list[str], dict[str, str]]:
    """The argv that begins with `start`, and the environment.

    What the program runs goes by its own command line; by variables if it has arguments of its own, for it may take no
    others. (Four variables more are 290 instructions more in a `getenv` of what is not there; they take the places of
    four others.)
    """
    environment = counted_environment(asked.side)
    flags = {"filter": pattern_of(name), "min_time": f"{executions:06d}x", "out_format": "json"}
    flags |= {"out": str(report)}
    if len(asked.argv) == 1:
        flags = {f"--benchmark_{flag}": value for flag, value in flags.items()}
        flags = padded(flags, asked.side, asked.shift, size_of(start))
        return [*start, *(f"{flag}={value}" for flag, value in flags.items())], environment
    flags = {f"BENCHMARK_{flag.upper()}": value for flag, value in flags.items()}
    unread = [f"{variable}={environment.pop(variable)}" for variable in UNREAD]
    flags = padded(flags, asked.side, asked.shift, size_of(start) - size_of(unread))
    return [*start, *asked.argv[1:]], environment | flags


def one_call(asked: Asked, name: str, executions: int) -> Call:
    """Runs one benchmark under Callgrind, which counts its function until its loop has ended.

    Without address randomisation: Google Benchmark 1.9.3 and newer would start the program again, out of Valgrind.
    """
    with tempfile.TemporaryDirectory() as folder, open_program(asked.argv[0]) as program:
        profile, report = Path(folder, "profile"), Path(folder, "report.json")
        argv, environment = command_of(asked, name, executions, started(program), report)
        command = ["setarch", "-R", "valgrind", "--tool=callgrind"]
        command += [f"--toggle-collect={CALLERS[asked.side]}", f"--callgrind-out-file={profile}"]
        command += [f"--dump-before={end}" for end in ENDS[asked.side]]
        subprocess.run(
            [*command, *argv],
            env=environment,
            cwd=asked.folder,
            capture_output=True,
            pass_fds=[program],
            timeout=asked.limit_s,
            check=False,
        )
        parts = sorted(profile.parent.glob("profile.*")) or [profile]
        texts = [part.read_text(errors="replace") for part in parts]
        runs = json.loads(report.read_text())["benchmarks"]
    totals = [re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE) for text in texts]
    made = [run["iterations"] for run in runs if run.get("run_type") == "iteration"]
    counted = sum(int(total.group(1)) for total in totals if total)
    return Call(counted, made, sum(pauses_in(text) for text in texts))


def by_callgrind(asked: Asked, name: str) -> Count:
    """The difference of a short and a long call, by the executions that one made more: with the loop's own control.

    No filter distinguishes benchmarks of one name: of these it is the mean.
    """
    try:
        short = one_call(asked, name, SHORT)
        long = one_call(asked, name, SHORT + asked.executions)
        if long.executions == short.executions:  # one batch of a loop in batches: the next one
            long = one_call(asked, name, SHORT + max(short.executions))
    except subprocess.TimeoutExpired:
        return Count(reason=f"takes more than {asked.limit_s:.0f} s under Callgrind")
    except (OSError, ValueError, LookupError) as error:
        return Count(reason=f"gives no profile ({type(error).__name__})")
    if len(set(long.executions)) != 1 or len(set(short.executions)) != 1:
        return Count(reason=f"{len(long.executions)} benchmarks of this name, of unlike executions")
    more = sum(long.executions) - sum(short.executions)
    if more <= 0:
        return Count(reason="fixes its number of executions, so two calls do not differ")
    if short.instructions == 0:
        return Count(reason="nothing was collected")
    if long.pauses >= sum(long.executions):
        return Count(reason="pauses: Callgrind counts what lies between")
    value = (long.instructions - short.instructions) / more
    return Count(value, in_batches=short.executions[0] > SHORT)
