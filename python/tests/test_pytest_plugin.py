"""The pytest plugin as its users meet it: in a folder of its own, by the exit code and by what is printed."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_runs import pytest_in
from real_traces import TALLY, needs_tally

pytestmark = [needs_tally, pytest.mark.end_to_end]

SORT = """
import pytest

@pytest.mark.tally(instructions="+1%")
def test_sort(tally):
    result = tally.count("sorted(x)", setup="x = list(range(SIZE))")
    assert result.instructions > SIZE
"""

Pytest = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Pytest:
    """Runs pytest on a file with this text."""

    def pytest_on(
        text: str, *arguments: str, name: str = "test_mine.py"
    ) -> subprocess.CompletedProcess[str]:
        (tmp_path / name).write_text(text)
        alone = ["--rootdir", str(tmp_path), "-c", os.devnull]
        return pytest_in(tmp_path, *alone, *arguments, name)

    return pytest_on


def baseline(folder: Path, name: str = "tally-baseline.json") -> dict[str, Any]:
    """Instructions by name."""
    record = json.loads((folder / name).read_text())
    return {case["id"]: case["counts"]["per_iteration"] for case in record["cases"]}


def test_a_baseline_is_written_held_and_exceeded(run: Pytest, tmp_path: Path) -> None:
    without = run(SORT.replace("SIZE", "100"))
    assert without.returncode == 2, without.stdout
    assert (
        "test_mine.py::test_sort: there is no baseline for the limit instructions=+1%"
        in without.stdout
    )
    assert "pytest --tally-update" in without.stdout

    wrote = run(SORT.replace("SIZE", "100"), "--tally-update")
    assert wrote.returncode == 0, wrote.stdout
    assert f"baseline written: {tmp_path}/tally-baseline.json" in wrote.stdout
    before = baseline(tmp_path)["test_mine.py::test_sort"]

    held = run(SORT.replace("SIZE", "100"))
    assert held.returncode == 0, held.stdout
    assert "+0.00 %" in held.stdout

    exceeded = run(SORT.replace("SIZE", "110"))
    assert exceeded.returncode == 3, exceeded.stdout
    assert "regression: test_mine.py::test_sort: instructions +" in exceeded.stdout
    assert "limit instructions=+1%" in exceeded.stdout
    assert "1 failed" in exceeded.stdout
    assert baseline(tmp_path)["test_mine.py::test_sort"] == before

    # `tally` itself reads the file.
    command = [str(TALLY), "check", "tally-baseline.json", "tally-baseline.json"]
    assert (
        subprocess.run(
            command, cwd=tmp_path, capture_output=True, timeout=60, check=False
        ).returncode
        == 0
    )


def test_another_failure_is_a_failure(run: Pytest) -> None:
    text = SORT.replace("SIZE", "100")
    run(text, "--tally-update")
    both = run(SORT.replace("SIZE", "110") + "\n\ndef test_wrong():\n    assert False\n")
    assert both.returncode == 1
    assert "2 failed" in both.stdout


def test_a_failing_test_writes_no_baseline(run: Pytest, tmp_path: Path) -> None:
    failed = run(
        "def test_mine(tally):\n    tally.count('pass')\n    assert False\n", "--tally-update"
    )
    assert failed.returncode == 1
    assert not (tmp_path / "tally-baseline.json").exists()


def test_an_update_keeps_what_was_not_measured(run: Pytest, tmp_path: Path) -> None:
    text = """
def test_one(tally):
    tally.count("sorted(x)", setup="x = [3, 2, 1]")
    tally.count("x + 1", setup="x = 1")
    tally.count("x + 1", setup="x = 1", label="labelled")

def test_two(tally):
    tally("[v for v in range(10)]")
"""
    assert run(text, "--tally-update").returncode == 0
    names = ["test_one", "test_one #2", "test_one labelled", "test_two"]
    before = baseline(tmp_path)
    assert list(before) == [f"test_mine.py::{name}" for name in names]
    assert (
        run(text.replace("range(10)", "range(20)"), "--tally-update", "-k", "two").returncode == 0
    )
    after = baseline(tmp_path)
    assert list(after) == list(before)
    assert after.pop("test_mine.py::test_two") > before.pop("test_mine.py::test_two")
    assert after == before


def test_ceilings_need_no_baseline(run: Pytest) -> None:
    text = SORT.replace("SIZE", "100").replace('"+1%"', "{}")
    assert run(text.format(1_000_000)).returncode == 0
    over = run(text.format(1000))
    assert over.returncode == 3
    assert "limit instructions=1000" in over.stdout


def test_limits_of_times(run: Pytest) -> None:
    text = SORT.replace("SIZE", "100").replace('instructions="+1%"', 'time="{}"')
    none = run(text.format("1s"))
    assert none.returncode == 2
    assert "no time was taken for the limit time=1s" in none.stdout
    timed = text.replace("tally.count(", "tally(")
    assert run(timed.format("1s")).returncode == 0
    assert run(timed.format("1ns")).returncode == 3


def test_a_limit_that_is_none_is_reported(run: Pytest) -> None:
    wrong = run(SORT.replace("SIZE", "100").replace("instructions=", "instrs="), "--tally-update")
    assert wrong.returncode == 0
    wrong = run(SORT.replace("SIZE", "100").replace("instructions=", "instrs="))
    assert wrong.returncode == 2
    assert "unknown metric 'instrs'" in wrong.stdout
    positional = run(SORT.replace('tally(instructions="+1%")', 'tally("+1%")'))
    assert positional.returncode != 0
    assert "limits by name" in positional.stdout


def test_limits_of_the_session_are_for_tests_without_a_marker(run: Pytest, tmp_path: Path) -> None:
    text = "def test_mine(tally):\n    tally.count('x * 2', setup='x = 2')\n"
    over = run(
        text,
        "--tally-limit",
        "instructions=1",
        "--tally-baseline",
        "other/base.json",
        "--tally-update",
    )
    assert over.returncode == 3
    assert run(text, "--tally-baseline", "other/base.json", "--tally-update").returncode == 0
    assert list(baseline(tmp_path, "other/base.json")) == ["test_mine.py::test_mine"]


def test_a_broken_baseline_is_no_pass(run: Pytest, tmp_path: Path) -> None:
    (tmp_path / "tally-baseline.json").write_text("{")
    broken = run(SORT.replace("SIZE", "100"))
    assert broken.returncode == 2
    assert "tally-baseline.json: the baseline cannot be read" in broken.stdout


def test_functions_of_the_test_are_measured(run: Pytest, tmp_path: Path) -> None:
    """By value, by reference, and the test's own closure: each runs, and a longer one counts more."""
    text = """
import textwrap

def mine(text):
    return text.split()

def test_functions(tally):
    times = 3
    def local(text):
        return text.split() * times
    assert tally(mine, "a b c").instructions < tally(local, "a b c " * 40).instructions
    tally(textwrap.dedent, "  a\\n  b")
    tally(sorted, [2, 1])
"""
    done = run(text, "--tally-update")
    assert done.returncode == 0, done.stdout
    assert len(baseline(tmp_path)) == 4


ALIAS = """
import threading
import pytest

calls = []

def add(a, b=1, *, c=0):
    calls.append(a)
    return a + b + c

def test_forms(benchmark):
    assert benchmark(add, 1, b=2, c=3) == 6

def test_decorated(benchmark):
    @benchmark
    def result():
        return 42
    assert result == 42

@pytest.mark.benchmark(group="x")
def test_pedantic(benchmark):
    benchmark.extra_info["x"] = 1
    benchmark.group = "g"
    assert benchmark.pedantic(add, args=(1,), kwargs={"c": 2}, rounds=3, iterations=2, warmup_rounds=1) == 4

def test_setup(benchmark):
    closed = []
    assert benchmark.pedantic(list.pop, setup=lambda: (([1, 2, 3],), {}), teardown=closed.append, rounds=5) == 3
    assert closed[0] == [1, 2]

def test_setup_without_arguments(benchmark):
    assert benchmark.pedantic(add, args=(4,), setup=lambda: None) == 5

def test_raises(benchmark):
    with pytest.raises(ZeroDivisionError):
        benchmark(lambda: 1 / 0)

def test_twice(benchmark):
    benchmark(add, 1)
    assert benchmark(add, 2) == 3

def test_refused(benchmark):
    lock = threading.Lock()
    assert benchmark(lambda: lock.locked()) is False

def test_wrong_arguments(benchmark):
    with pytest.raises(ValueError):
        benchmark.pedantic(add, args=(1,), iterations=0)
    with pytest.raises(TypeError, match="not from both"):
        benchmark.pedantic(add, args=(1,), setup=lambda: ((1,), {}))
"""


def test_tests_for_pytest_benchmark_count_without_edits(run: Pytest, tmp_path: Path) -> None:
    done = run(ALIAS, "--tally-update", "--strict-markers")
    assert done.returncode == 0, done.stdout
    assert "9 passed" in done.stdout
    counted = baseline(tmp_path)
    tests = [
        "decorated",
        "forms",
        "pedantic",
        "setup",
        "setup_without_arguments",
        "twice",
        "twice #2",
    ]
    assert list(counted) == [f"test_mine.py::test_{name}" for name in tests]
    assert "test_mine.py::test_refused: not measured: " in done.stdout
    assert "lock: cannot pickle a lock" in done.stdout
    assert "with its setup and teardown" in done.stdout
    assert "1 of 8 not measured" in done.stdout
    again = run(
        ALIAS, "--tally-limit", "instructions=+1%", "--deselect", "test_mine.py::test_refused"
    )
    assert again.returncode == 0, again.stdout
    assert "judged 7 of 7 cases by 1 limits" in again.stdout
    # With a limit, what cannot be measured is no pass.
    assert run(ALIAS, "--tally-limit", "instructions=1000000000", "-k", "refused").returncode == 2


def test_what_cannot_be_compared_is_no_pass(run: Pytest) -> None:
    text = "def test_a(tally):\n    tally.count('x + 1', setup='x = 1', iterations=N)\n"
    limit = ("--tally-limit", "instructions=+1%")
    assert run(text.replace("N", "100"), "--tally-update").returncode == 0
    done = run(text.replace("N", "50"), *limit)
    assert done.returncode == 2, done.stdout
    assert "pytest --tally-update writes" in done.stdout


def test_where_nothing_is_measured_or_judged_that_is_no_pass(run: Pytest) -> None:
    text = "import threading\n\nlock = threading.Lock()\n\n"
    text += "def test_one(benchmark):\n    benchmark(lambda: lock.locked())\n\n"
    text += "def test_two(benchmark):\n    benchmark(lambda: lock.locked())\n"
    done = run(text)
    assert done.returncode == 2, done.stdout
    assert "test_mine.py::test_one and 1 more: not measured: " in done.stdout
    assert "2 of 2 not measured" in done.stdout
    idle = run("def test_plain():\n    pass\n", "--tally-limit", "instructions=+1%")
    assert idle.returncode == 2, idle.stdout
    assert "the limit instructions=+1% judged nothing" in idle.stdout
    assert run("def test_plain():\n    pass\n").returncode == 0


THEIRS = """
import pytest

@pytest.fixture
def benchmark():
    return lambda f, *args: f(*args)
"""


def test_a_marker_that_judged_nothing_is_no_pass(run: Pytest, tmp_path: Path) -> None:
    """A fixture of that name stands for pytest-benchmark's."""
    (tmp_path / "conftest.py").write_text(THEIRS)
    marked = "import pytest\n\n@pytest.mark.tally(instructions=1, time='1ns')\n"
    theirs = marked + "def test_it(benchmark):\n    benchmark(sorted, [2, 1])\n"
    done = run(theirs)
    assert done.returncode == 2, done.stdout
    assert "test_mine.py::test_it: the limit instructions=1, time=1ns judged nothing" in done.stdout
    assert "pytest --tally counts it" in done.stdout
    assert run(theirs, "--tally-disable").returncode == 0
    assert run(theirs, "--benchmark-disable").returncode == 0
    for text in ("def test_it(tally):\n    pass\n", "def test_it():\n    pass\n"):
        done = run(marked + text)
        assert done.returncode == 2, done.stdout
        assert "test_it: the limit instructions=1, time=1ns judged nothing" in done.stdout
        assert "--tally counts it" not in done.stdout
    failed = run(marked + "def test_it():\n    assert False\n")
    assert failed.returncode == 1, failed.stdout
    assert "judged nothing" not in failed.stdout


def test_a_module_s_marker_is_for_its_tests_that_measure(run: Pytest) -> None:
    text = "import pytest\n\npytestmark = pytest.mark.tally(instructions=1)\n\n"
    text += "def test_plain():\n    pass\n\n"
    assert run(text).returncode == 0
    forgot = run(text + "def test_forgot(tally):\n    pass\n")
    assert forgot.returncode == 2, forgot.stdout
    assert "1 failed, 1 passed" in forgot.stdout


def test_coroutines_are_run_and_generators_named(run: Pytest) -> None:
    text = """
import asyncio

async def sums():
    total = 0
    for i in range(1000):
        total += i
    await asyncio.sleep(0)
    return total

def numbers():
    yield 1

def test_async(benchmark):
    assert benchmark(sums) == 499500

def test_behind_a_lambda(benchmark):
    assert benchmark(lambda: sums()) == 499500

def test_generator(benchmark):
    assert list(benchmark(numbers)) == [1]
"""
    done = run(text, "--tally-update")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("with asyncio's event loop") == 2
    assert "never awaited" not in done.stdout
    assert "test_generator: not measured: numbers: calling it makes a generator" in done.stdout
    rows = [line.split() for line in done.stdout.splitlines() if "event loop" in line]
    assert all(int(row[1].replace(",", "")) > 100_000 for row in rows)


@pytest.mark.parametrize("name", ["benchmark", "codspeed"])
def test_another_plugins_benchmark_comes_first(run: Pytest, tmp_path: Path, name: str) -> None:
    """Something that is registered under its name stands for pytest-benchmark, or for pytest-codspeed."""
    theirs = "import pytest\n\n@pytest.fixture\ndef benchmark():\n    return lambda f: 'theirs'\n"
    register = f"import theirs\n\ndef pytest_addoption(pluginmanager):\n    pluginmanager.register(theirs, {name!r})"
    (tmp_path / "theirs.py").write_text(theirs)
    (tmp_path / "early.py").write_text(register)
    text = "def test_mine(benchmark):\n    assert benchmark(lambda: 'ours') == 'theirs'\n"
    done = run(text, "-p", "early")
    assert done.returncode == 0, done.stdout


def test_disabled_measures_nothing(run: Pytest, tmp_path: Path) -> None:
    text = ALIAS + "\n\ndef test_mine(tally):\n    tally.count('1 +')\n"
    done = run(text, "--tally-disable", "--tally-update")
    assert done.returncode == 0, done.stdout
    assert "9 passed, 1 skipped" in done.stdout
    assert not (tmp_path / "tally-baseline.json").exists()
