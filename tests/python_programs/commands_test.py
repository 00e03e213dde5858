"""What cases of a suite can do, those of programs in Python can: parts, profiles, noise floors, two sides, one suite,
a server, a history.

TALLY=build/release/tally python3 tests/python_programs/commands_test.py. Exit code 77: this interpreter has no pytest
or no pyperf.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import all_tests
from runs import run_to_end

PACKAGE = Path(__file__).resolve().parents[2] / "python"
TALLY = os.path.abspath(os.environ["TALLY"])
INTERPRETER = ["--keep-env", "PYTHONPATH", "--python", sys.executable]

FILES = {
    "work.py": """
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
""",
    "test_work.py": """
import pytest
from work import fib
@pytest.mark.parametrize("n", [3, 5, 7, 9])
def test_fib(benchmark, n):
    benchmark(fib, n)
""",
    "benchmarks/__init__.py": "",
    "benchmarks/fibs.py": """
from work import fib
def time_fib(n):
    fib(n)
time_fib.params = [5]
""",
    "asv.conf.json": '{"version": 1, "project": "work", "benchmark_dir": "benchmarks"}',
    "perf.py": """
import pyperf
from work import fib
pyperf.Runner().bench_func("pyperf_fib", fib, 5)
""",
    "script.py": """
import tallymark
from work import fib
@tallymark.bench
def script_fib():
    fib(5)
""",
    "suite.toml": """
schema = 1
[[program]]
pytest = "test_work.py"
args = ["-k", "5"]
[[program]]
asv = "."
[[program]]
pyperf = "perf.py"
[[program]]
script = "script.py"
[[timer]]
label = "statement"
language = "python"
stmt = "fib(5)"
setup = "from work import fib"
""",
}


def environment(folder):
    return {**os.environ, "PYTHONPATH": f"{folder}:{PACKAGE}"}


def tally(folder, *arguments):
    done = run_to_end([TALLY, *arguments], folder, environment(folder))
    assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
    return done.stdout


def cases_of(record):
    """By their ids."""
    return {case["id"]: case for case in json.loads(record.read_text())["cases"]}


def counted(folder, *arguments, server="off"):
    record = folder / "record.json"
    usual = ["--server", server, "--counts-only", *INTERPRETER, "--json", record]
    tally(folder, "run", *usual, *arguments)
    return cases_of(record)


def counts(cases):
    return {name: case["counts"]["per_iteration"] for name, case in cases.items()}


def test_parts_make_the_whole():
    whole = counts(counted(PROJECT, "--pytest", "test_work.py"))
    assert len(whole) == 4, whole
    for part in "12":
        counted(PROJECT, "--shard", f"{part}/2", "--pytest", "test_work.py")
        (PROJECT / "record.json").rename(PROJECT / f"part{part}.json")
    tally(PROJECT, "merge", "part1.json", "part2.json", "--output", "merged.json")
    assert counts(cases_of(PROJECT / "merged.json")) == whole


def test_a_profile_has_the_functions_of_the_program():
    (case,) = counted(PROJECT, "--profiles", "-f", "*9*", "--pytest", "test_work.py")
    said = tally(PROJECT, "profile", f"record.json#{case}", "--python")
    assert "fib" in said and "work.py" in said, said


def test_there_is_a_noise_floor():
    (case,) = counted(PROJECT, "--aa", "-f", "*9*", "--pytest", "test_work.py").values()
    assert len(case["counts"]["floor"]["samples"]) == 8, case


def test_one_suite_has_programs_of_each_kind():
    cases = counted(PROJECT, "suite.toml")
    ids = ["test_work.py::test_fib[5]", "fibs.time_fib(5)", "pyperf_fib", "script_fib"]
    ids += ["statement [python]"]
    assert list(cases) == ids, list(cases)
    found = counts(cases)
    # The statement and the test call the function; the others are functions that call it.
    assert found["script_fib"] < 1.1 * found["statement [python]"], found


def test_two_interpreters_are_compared():
    sides = ["--a-python", sys.executable, "--b-python", sys.executable]
    options = ["--counts-only", "--rounds", "1", "--keep-env", "PYTHONPATH", "--json"]
    compared = json.loads(tally(PROJECT, "ab", "suite.toml", *sides, *options))
    verdicts = [case["verdict"] for case in compared["cases"]]
    assert verdicts == ["same"] * 5, compared


def test_a_server_counts_the_same():
    socket = PROJECT / "serve.sock"
    alone = counts(counted(PROJECT, "--pytest", "test_work.py"))
    server = subprocess.Popen(
        [TALLY, "serve", "--socket", socket, "--idle", "2min"],
        env=environment(PROJECT),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert "listening on" in server.stderr.readline()
        for _ in range(2):  # the second one on a host that is warm
            served = counted(PROJECT, "--pytest", "test_work.py", server=socket)
            assert counts(served) == alone, (served, alone)
    finally:
        tally(PROJECT, "serve", "--stop", "--socket", socket)
        server.communicate()


def test_a_history_names_the_commit():
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name in ("work.py", "test_work.py"):
            (folder / name).write_text(FILES[name])
        git = ["git", "-C", folder, "-c", "user.name=us", "-c", "user.email=us@localhost"]
        subprocess.run([*git, "init", "--quiet"], check=True)
        for subject in ("First", "Slower"):
            subprocess.run([*git, "add", "work.py", "test_work.py"], check=True)
            subprocess.run([*git, "commit", "--quiet", "-m", subject], check=True)
            counted(folder, "-f", "*9*", "--pytest", "test_work.py")
            tally(folder, "history", "add", "record.json")
            (folder / "work.py").write_text(FILES["work.py"].replace("fib(n - 1)", "+fib(n - 1)"))
        said = tally(folder, "history", "log")
    assert "Slower" in said and "test_work.py::test_fib[9]" in said, said


if None in (importlib.util.find_spec("pytest"), importlib.util.find_spec("pyperf")):
    print("skipped: no pytest, or no pyperf")
    sys.exit(77)
with tempfile.TemporaryDirectory() as place:
    PROJECT = Path(place)
    for name, text in FILES.items():
        (PROJECT / name).parent.mkdir(exist_ok=True)
        (PROJECT / name).write_text(text)
    all_tests.run(globals())
