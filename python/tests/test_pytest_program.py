"""`pytest --tally` as its users meet it: by the exit code and by what is printed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_runs import pytest_in
from real_traces import needs_tally
from tallymark._pytest.program import id_of

pytestmark = [needs_tally, pytest.mark.end_to_end]

Pytest = Callable[..., "subprocess.CompletedProcess[str]"]

# A lock cannot be pickled.
LOCKED = """
import threading
import pytest

class Work:
    def __init__(self, size):
        self.lock = threading.Lock()
        self.size = size

    def sort(self):
        with self.lock:
            return sorted(range(self.size))

@pytest.mark.parametrize("size", [10, 100])
def test_sort(benchmark, size):
    work = Work(size * SCALE)
    assert len(benchmark(work.sort)) == size * SCALE

def test_other():
    assert True
"""


@pytest.fixture
def run(tmp_path: Path) -> Pytest:
    """Runs pytest --tally on a file with this text."""

    def pytest_on(text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "pytest.ini").write_text("[pytest]\n")
        (tmp_path / "test_mine.py").write_text(text)
        return pytest_in(tmp_path, *arguments)

    return pytest_on


def test_what_cannot_be_pickled_is_counted_and_held_to_its_baseline(run: Pytest) -> None:
    text = LOCKED.replace("SCALE", "1")
    first = run(text, "--tally", "--tally-update")
    assert first.returncode == 0, first.stdout
    assert "3 passed" in first.stdout
    assert "not measured" not in first.stdout
    again = run(text, "--tally", "--tally-limit", "instructions=+0")
    assert again.returncode == 0, again.stdout
    assert "judged 2 of 2 cases by 1 limits" in again.stdout
    slower = run(LOCKED.replace("SCALE", "2"), "--tally", "--tally-limit", "instructions=+1%")
    assert slower.returncode == 3, slower.stdout
    assert "regression: test_mine.py::test_sort[10]" in slower.stdout
    assert "3 passed" in slower.stdout  # the tests themselves are as they were


def test_a_run_that_measured_nothing_has_not_passed(run: Pytest) -> None:
    nothing = run("def test_it():\n    pass\n", "--tally")
    assert nothing.returncode == 2, nothing.stdout
    assert "nothing was measured" in nothing.stdout


@pytest.mark.parametrize("option", ["--tally-disable", "--benchmark-disable", "--collect-only"])
def test_where_nothing_shall_be_measured_that_is_no_failure(run: Pytest, option: str) -> None:
    limit = ("--tally-limit", "instructions=1")
    done = run(LOCKED.replace("SCALE", "1"), "--tally", *limit, option)
    assert done.returncode == 0, done.stdout
    assert "nothing was measured" not in done.stdout
    assert "judged nothing" not in done.stdout


@pytest.mark.parametrize(
    ("ends", "option", "code"),
    [("raise KeyboardInterrupt", "-v", 2), ("assert False", "-x", 1)],
)
def test_tests_that_were_stopped_are_not_counted(
    run: Pytest, ends: str, option: str, code: int
) -> None:
    text = "def test_a(benchmark):\n    benchmark(sorted, [2, 1])\n\n"
    text += f"def test_b():\n    {ends}\n\ndef test_c():\n    pass\n"
    done = run(text, "--tally", option)
    assert done.returncode == code, done.stdout
    assert "tally: counting" not in done.stdout
    assert "not counted, for the tests did not run to their end: 1" in done.stdout


def test_what_was_not_measured_is_named(run: Pytest) -> None:
    text = LOCKED.replace("SCALE", "1") + (
        "\ndef test_ends(benchmark):\n    import os, sys\n"
        "    benchmark(os._exit if 'tally_start' in sys.modules else int, 0)\n"
    )
    some = run(text, "--tally")
    assert some.returncode == 0, some.stdout
    assert "test_mine.py::test_ends: not measured: " in some.stdout
    assert "1 of 3 not measured" in some.stdout
    assert run(text, "--tally", "--tally-strict").returncode == 2


def test_a_fixture_that_is_requested_by_its_name_makes_a_benchmark(run: Pytest) -> None:
    text = """
import pytest

@pytest.fixture
def bench(request):
    return request.getfixturevalue("benchmark")

@pytest.mark.tally(instructions=1)
def test_in_the_test(request):
    request.getfixturevalue("benchmark")(sorted, [3, 1, 2])

def test_in_a_fixture(bench):
    bench(sorted, [3, 1, 2])

def test_neither(request):
    assert request.getfixturevalue("tmp_path")
"""
    done = run(text, "--tally", "--tally-strict")
    assert done.returncode == 3, done.stdout
    assert "regression: test_mine.py::test_in_the_test: instructions" in done.stdout
    assert "test_mine.py::test_in_a_fixture " in done.stdout
    assert "judged 1 of 1 cases by 1 limits" in done.stdout
    assert "test_neither" not in done.stdout


def test_options_of_pytest_benchmark_are_accepted(run: Pytest) -> None:
    text = LOCKED.replace("SCALE", "1")
    skipped = run(text, "--benchmark-skip", "--benchmark-sort=name")
    assert skipped.returncode == 0, skipped.stdout
    assert "2 skipped" in skipped.stdout
    assert "--benchmark-sort: of pytest-benchmark, and of no meaning here" in skipped.stdout
    alone = run(text, "--benchmark-only", "--benchmark-disable")
    assert "2 passed, 1 skipped" in alone.stdout


def test_a_selection_is_the_host_s_too(run: Pytest) -> None:
    one = run(LOCKED.replace("SCALE", "1"), "--tally", "-k", "100")
    assert one.returncode == 0, one.stdout
    assert "test_sort[100]" in one.stdout
    assert "test_sort[10] " not in one.stdout


def test_ids_are_those_of_tally() -> None:
    assert id_of("bench/test_x.py::test_a[n=3]") == "bench/test_x.py::test_a[n=3]"
    assert id_of("t.py::T::m[a/b-'c']") == "t.py::T::m[a%2Fb-%27c%27]"
