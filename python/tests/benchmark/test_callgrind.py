"""Counts through the engine. Needs tally ($TALLY, or on PATH) and Valgrind."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import sys
import timeit

import pytest
from tallymark.benchmark import CallgrindStats, CopyIfCallgrind, Timer

pytestmark = [
    pytest.mark.end_to_end,
    pytest.mark.skipif(
        not (os.environ.get("TALLY") or shutil.which("tally")) or not shutil.which("valgrind"),
        reason="tally or valgrind is not here",
    ),
]

SORTED = Timer("sorted(x)", setup="x = list(range(100))")


@pytest.fixture(scope="module")
def stats() -> CallgrindStats:
    return SORTED.collect_callgrind(number=100)


def test_counts_are_raw_totals_that_repeat_to_the_instruction(stats: CallgrindStats) -> None:
    again = SORTED.collect_callgrind(number=100, repeats=3)
    assert isinstance(again, tuple)
    assert [one.counts() for one in again] == [stats.counts()] * 3
    assert stats.counts() == sum(count for count, _ in stats.stats())
    # Three thousand for the hundred numbers of each of a hundred lists, and no start of an interpreter.
    assert 100_000 < stats.counts() < 1_000_000
    assert SORTED.collect_callgrind(number=200).counts() > 1.9 * stats.counts()


def test_the_baseline_is_the_same_loop_around_pass(stats: CallgrindStats) -> None:
    baseline = stats.baseline_exclusive_stats.sum()
    assert 100 < baseline < stats.counts() / 10
    assert Timer("pass").collect_callgrind(number=100).counts() == baseline
    without = SORTED.collect_callgrind(number=100, collect_baseline=False)
    assert (len(without.baseline_exclusive_stats), without.counts()) == (0, stats.counts())


def test_functions_have_files_names_and_objects(stats: CallgrindStats) -> None:
    names = [name for _, name in stats.stats()]
    assert all(re.match(r"[^:]+:[^:]", name) for name in names)  # what has no file has ???
    assert any("_PyEval_EvalFrameDefault" in name and "[" in name for name in names)
    total = stats.counts()
    inclusive = stats.stats(inclusive=True)
    assert total not in {count for count, _ in inclusive}  # the loop's, which says nothing
    assert inclusive[0].count > stats.stats()[0].count
    assert all("[" not in name for _, name in stats.as_standardized().stats())


def test_a_difference_names_what_was_added() -> None:
    plain = Timer("x + 1.5", "x = 2.5").collect_callgrind(number=100)
    more = Timer("x + 1.5; 'a'.join(y)", "x = 2.5; y = ['b', 'c']").collect_callgrind(number=100)
    assert any("oin" in name for count, name in more.delta(plain) if count > 0)
    assert more.delta(plain).sum() == more.counts() - plain.counts()


def test_globals_travel_and_their_setup_runs_at_the_level_of_main() -> None:
    there = f"import os, __main__\nif os.getpid() != {os.getpid()}: assert (__main__.mark, os.mark) == (7, 7)"
    wrapped = CopyIfCallgrind(5, setup="import os\nmark = os.mark = 7")
    timer = Timer("k + 1", there, globals={"k": wrapped})
    literal = Timer("k + 1", "global k\nk = 5")
    assert timer.collect_callgrind(100).counts() == literal.collect_callgrind(100).counts()


def test_an_error_has_the_traceback_of_the_measured_process() -> None:
    only_there = "import os\nif os.getpid() != {}: raise LookupError('not at home')"
    timer = Timer("pass", setup=only_there.format(os.getpid()))
    with pytest.raises(OSError, match=r"^Failed to collect callgrind profile:\n") as found:
        timer.collect_callgrind(10)
    text = str(found.value)
    assert "Traceback (most recent call last):" in text
    assert "LookupError: not at home" in text
    assert "os.getpid()" in text


def test_the_statement_is_executed_here_once_first(tmp_path: pathlib.Path) -> None:
    log = tmp_path / "pids"
    timer = Timer(
        f"with open({str(log)!r}, 'a') as file: file.write(str(os.getpid()) + '\\n')", "import os"
    )
    timer.collect_callgrind(3, collect_baseline=False)
    pids = log.read_text().split()
    assert pids[0] == str(os.getpid())
    assert pids.count(str(os.getpid())) == 1
    assert len(pids) > 3


def test_a_statement_that_varies_has_the_profile_of_each_repeat() -> None:
    setup = "import os\nn = int.from_bytes(os.urandom(2), 'little')"
    several = Timer("for i in range(n): pass", setup).collect_callgrind(
        2, repeats=3, collect_baseline=False
    )
    assert isinstance(several, tuple)
    assert [one.stats().sum() for one in several] == [one.counts() for one in several]


def test_the_profile_is_kept_in_callgrinds_format_where_asked(tmp_path: pathlib.Path) -> None:
    one = SORTED.collect_callgrind(number=10, retain_out_file=True)
    text = one.stmt_callgrind_out
    assert text is not None
    assert "events: Ir" in text
    assert f"summary: {one.counts()}" in text or f"totals: {one.counts()}" in text
    assert SORTED.collect_callgrind(number=10).stmt_callgrind_out is None


def test_counts_are_those_of_a_suite(tmp_path: pathlib.Path, stats: CallgrindStats) -> None:
    import json
    import subprocess

    suite = tmp_path / "suite.toml"
    suite.write_text(
        'schema = 1\n[[timer]]\nlabel = ["sorted"]\nlanguage = "python"\n'
        'stmt = "sorted(x)"\nsetup = "x = list(range(100))"\n'
    )
    tally = os.environ.get("TALLY") or "tally"
    record = tmp_path / "record.json"
    command = [tally, "run", str(suite), "--counts-only", "--python", sys.executable, "--json"]
    subprocess.run([*command, str(record)], check=True, capture_output=True, timeout=300)
    (case,) = json.loads(record.read_text())["cases"]
    assert case["counts"]["replicates"][0] == stats.counts()


def mapped(value: int) -> Timer:
    """A C++ statement that calls the library's functions of a map."""
    return Timer(
        f"m[++i] = {value};",
        setup="std::map<int, int> m; int i = 0;",
        global_setup="#include <map>",
        timer=timeit.default_timer,
        language="cpp",
    )


def group_by_file(name: str) -> str:
    """As PyTorch's documentation has it, for FunctionCounts.transform."""
    if name.startswith("???"):
        folder, file = name.split("/")[:2]
    else:
        folder, file = name.split(":")[0].split("/")[:2]
    return f"{folder.strip()}/{file.strip()}"


def test_names_are_those_of_callgrind(stats: CallgrindStats) -> None:
    grouped = stats.stats().filter(lambda name: "/" in name).transform(group_by_file)
    assert grouped.sum() > 0.9 * stats.counts()
    one = mapped(6).collect_callgrind(number=10, retain_out_file=True)
    assert one.stats().filter(lambda name: "std::" in name).sum() > 0
    assert not [name for _, name in one.stats() if "_Z" in name]
    assert one.stmt_callgrind_out is not None
    functions = [line for line in one.stmt_callgrind_out.splitlines() if line.startswith("fn=")]
    assert any("std::" in line for line in functions)
    assert not [line for line in functions if "_Z" in line]


def test_two_cpp_statements_have_the_same_functions_in_standard_names() -> None:
    """Each is compiled under a name and into a library of its own."""
    one, other = (mapped(value).collect_callgrind(number=10) for value in (6, 7))
    assert len(one.delta(other)) > 0
    assert len(one.as_standardized().delta(other.as_standardized())) == 0


CPP = Timer(
    "s = step(s); tally::keep(s);",
    setup="unsigned s = 1;",
    global_setup="static unsigned step(unsigned x) { return x * 1664525 + 1013904223; }",
    timer=timeit.default_timer,
    language="cpp",
)


def test_cpp_is_counted_without_a_baseline_and_without_noise() -> None:
    one, other = (CPP.collect_callgrind(number=1000) for _ in range(2))
    assert one.counts() == other.counts() == one.counts(denoise=True)
    assert len(one.baseline_exclusive_stats) == 0
    assert 1000 < one.counts() < 100_000


def test_cpp_is_timed() -> None:
    seen: list[tuple[int, float]] = []
    one = CPP.timeit(10_000)
    assert (one.number_per_run, len(one.raw_times)) == (10_000, 1)
    assert 1e-11 < one.median < 1e-6
    many = CPP.blocked_autorange(callback=lambda n, s: seen.append((n, s)), min_run_time=0.02)
    assert seen == [(many.number_per_run, raw) for raw in many.raw_times]
    assert sum(many.raw_times) > 0.015
    assert CPP.adaptive_autorange(threshold=10).times


def test_cpp_that_does_not_compile_says_so_with_its_line() -> None:
    wrong = Timer("undeclared();", timer=timeit.default_timer, language="cpp")
    with pytest.raises(RuntimeError, match="undeclared"):
        wrong.timeit(1)
    with pytest.raises(OSError, match="undeclared"):
        wrong.collect_callgrind(1)
