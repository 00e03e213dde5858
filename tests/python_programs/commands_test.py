"""What cases of a suite can do, those of programs in Python can: parts, profiles, noise floors, two sides, one suite,
a server, a history.

TALLY=build/release/tally python3 tests/python_programs/commands_test.py. Exit code 77: this interpreter has no pytest
or no pyperf.
"""

import contextlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
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
    "test_prepared.py": """
from work import fib
def arguments():
    return (fib(4) + 2,), {}
def test_prepared(benchmark):
    benchmark.pedantic(fib, setup=arguments, teardown=lambda n: fib(3), rounds=10)
def test_plain(benchmark):
    benchmark(fib, 5)
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
SLOWER = FILES["work.py"].replace("fib(n - 1)", "+fib(n - 1)")


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


def test_what_prepares_an_execution_is_none_of_its_python_functions():
    options = ["--profiles", "--no-lines", "--no-calls"]
    cases = counted(PROJECT, *options, "--pytest", "test_prepared.py")
    rows = []
    for name, case in cases.items():
        said = tally(PROJECT, "profile", f"record.json#{name}", "--python")
        (row,) = [line.split()[0] for line in said.splitlines() if "work.fib" in line]
        rows.append(int(row.replace(",", "")) / case["counts"]["iterations"])
    # The setup's calls are half as many as the function's own. One execution alone executes some more.
    assert abs(rows[0] / rows[1] - 1) < 0.05, rows


def test_there_is_a_noise_floor():
    (case,) = counted(PROJECT, "--aa", "-f", "*9*", "--pytest", "test_work.py").values()
    assert len(case["counts"]["floor"]["samples"]) == 8, case


def test_one_suite_has_programs_of_each_kind():
    cases = counted(PROJECT, "suite.toml")
    ids = ["test_work.py::test_fib[5]", "fibs.time_fib(5)", "pyperf_fib", "script_fib"]
    ids += ["statement [python]"]
    assert list(cases) == ids, list(cases)
    # What frameworks, locks and our own host read of clocks is no reason to count a case in a second process.
    sessions = {name: len(case["attempts"]) for name, case in cases.items() if name in ids[:4]}
    assert set(sessions.values()) == {1}, sessions
    found = counts(cases)
    # The statement and the test call the function; the others are functions that call it.
    assert found["script_fib"] < 1.1 * found["statement [python]"], found


def test_two_interpreters_are_compared():
    sides = ["--a-python", sys.executable, "--b-python", sys.executable]
    options = ["--counts-only", "--rounds", "1", "--keep-env", "PYTHONPATH", "--json"]
    compared = json.loads(tally(PROJECT, "ab", "suite.toml", *sides, *options))
    verdicts = [case["verdict"] for case in compared["cases"]]
    assert verdicts == ["same"] * 5, compared


def test_two_environments_are_compared():
    """Each side has a version of a package of its own, which its command puts on the path."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "test_work.py").write_text(FILES["test_work.py"])
        (folder / "suite.toml").write_text(
            'schema = 1\n[[program]]\npytest = "test_work.py"\nargs = ["-k", "9"]\n'
        )
        for side, text in (("fast", FILES["work.py"]), ("slow", SLOWER)):
            (folder / side).mkdir()
            (folder / side / "work.py").write_text(text)
        options = ["--python", sys.executable, "--counts-only", "--rounds", "1", "--json"]
        sides = ["--a", "export PYTHONPATH=$PWD/fast", "--b", "export PYTHONPATH=$PWD/slow"]
        options += ["--keep-env", "PYTHONPATH"]
        done = run_to_end([TALLY, "ab", "suite.toml", *sides, *options], folder, dict(os.environ))
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    (case,) = json.loads(done.stdout)["cases"]
    assert (case["id"], case["verdict"]) == ("test_work.py::test_fib[9]", "slower"), case


def finished_cases(journal):
    """Ids of those that a journal has."""
    if not journal.exists():
        return []
    lines = journal.read_text().split("\n")[1:-1]
    return [case["id"] for case in (json.loads(line)["case"] for line in lines) if "id" in case]


def test_a_run_that_was_killed_is_resumed():
    whole = counted(PROJECT, "--pytest", "test_work.py")
    record, journal = PROJECT / "killed.json", PROJECT / "killed.json.journal"
    command = [TALLY, "run", "--server", "off", "--counts-only", *INTERPRETER, "--json", record]
    command += ["--pytest", "test_work.py"]
    # The last test waits until the run is killed.
    hangs = FILES["test_work.py"].replace("    benchmark(", "    wait(n)\n    benchmark(")
    hangs += """
def wait(n):
    import os, time
    while n == 9 and not os.path.exists("go on"):
        time.sleep(0.1)
"""
    (PROJECT / "test_work.py").write_text(hangs)
    killed = subprocess.Popen(
        command, cwd=PROJECT, env=environment(PROJECT), stdin=subprocess.DEVNULL
    )
    end = time.monotonic() + 300
    while not finished_cases(journal) and time.monotonic() < end:
        time.sleep(0.1)
    killed.kill()
    killed.wait()
    before = finished_cases(journal)
    assert 1 <= len(before) <= 3, before

    (PROJECT / "go on").touch()
    (PROJECT / "work.py").write_text(SLOWER)
    refused = run_to_end([*command, "--resume"], PROJECT, environment(PROJECT))
    assert refused.returncode == 2 and "work.py" in refused.stderr, refused.stderr
    (PROJECT / "work.py").write_text(FILES["work.py"])
    resumed = run_to_end([*command, "--resume", "-v"], PROJECT, environment(PROJECT))
    assert resumed.returncode == 0, resumed.stderr
    again = [name for name in before if f"counting {name}" in resumed.stderr]
    assert not again, f"these were finished: {again}"
    assert list(cases_of(record)) == list(whole), list(cases_of(record))
    assert {case["status"] for case in cases_of(record).values()} == {"ok"}
    assert not journal.exists()
    (PROJECT / "test_work.py").write_text(FILES["test_work.py"])


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


@contextlib.contextmanager
def repository():
    """Its folder, in which the second of three commits makes the function slower, and its commits' numbers."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        git = ["git", "-C", folder, "-c", "user.name=us", "-c", "user.email=us@localhost"]
        subprocess.run([*git, "init", "--quiet"], check=True)
        commits = []
        for subject, text in (("First", FILES["work.py"]), ("Slower", SLOWER), ("Last", SLOWER)):
            for name in ("test_work.py", "suite.toml"):
                (folder / name).write_text(FILES[name])
            (folder / "work.py").write_text(f"{text}# {subject}\n")
            subprocess.run([*git, "add", "."], check=True)
            subprocess.run([*git, "commit", "--quiet", "-m", subject], check=True)
            number = subprocess.check_output([*git, "rev-parse", "HEAD"], text=True)
            commits.append(number.strip())
        yield folder, git, commits


def test_a_history_names_the_commit():
    with repository() as (folder, git, commits):
        for commit in commits[:2]:
            subprocess.run([*git, "checkout", "--quiet", commit], check=True)
            counted(folder, "-f", "*9*", "--pytest", "test_work.py")
            tally(folder, "history", "add", "record.json")
        said = tally(folder, "history", "log")
    assert "Slower" in said and "test_work.py::test_fib[9]" in said, said


def test_bisect_finds_the_commit():
    with repository() as (folder, _, commits):
        (folder / "suite.toml").write_text('schema = 1\n[[program]]\npytest = "test_work.py"\n')
        usual = ["--build", "true", "--suite", "suite.toml", "--case", "*9*", "--counts-only"]
        said = tally(folder, "bisect", commits[0], commits[2], *usual, *INTERPRETER, "--json")
    (change,) = json.loads(said)["changes"]
    assert commits[1] in json.dumps(change), change


if None in (importlib.util.find_spec("pytest"), importlib.util.find_spec("pyperf")):
    print("skipped: no pytest, or no pyperf")
    sys.exit(77)
with tempfile.TemporaryDirectory() as place:
    PROJECT = Path(place)
    for name, text in FILES.items():
        (PROJECT / name).parent.mkdir(exist_ok=True)
        (PROJECT / name).write_text(text)
    all_tests.run(globals())
