"""One function, counted in each way that there is: its loop is the same, and so is its count, to the instruction.

TALLY=build/release/tally python3 tests/python_programs/agreement_test.py
"""

import json
import os
import sys
import tempfile
from pathlib import Path

import all_tests
from runs import run_to_end

PACKAGE = Path(__file__).resolve().parents[2] / "python"
TALLY = os.path.abspath(os.environ["TALLY"])

FILES = {
    # Numbers up to 256 are there already: nothing is allocated, so it does not matter where there is room.
    "work.py": """
def step(n):
    i = 0
    while i < n:
        i += 1
""",
    "suite.toml": """
schema = 1
[[timer]]
label = "step"
language = "python"
stmt = "f(x0)"
setup = "from work import step as f; x0 = 200"
""",
    "test_work.py": """
from work import step
def test_step(benchmark):
    benchmark(step, 200)
""",
    "benchmarks/__init__.py": "",
    "benchmarks/steps.py": """
from work import step as time_step
time_step.params = [200]
""",
    "asv.conf.json": '{"version": 1, "project": "work", "benchmark_dir": "benchmarks"}',
    "script.py": """
import tallymark
from work import step
@tallymark.bench
def loop(state):
    f, x0 = step, 200
    for _ in state:
        f(x0)
""",
    "count.py": """
import json
import tallymark
from work import step
text = {"setup": "from work import step as f; x0 = 200", "profile": False}
print(json.dumps([
    tallymark.here(),
    tallymark.count(step, 200, profile=False).instructions,
    tallymark.count("f(x0)", **text).instructions,
]))
""",
}


def written(folder):
    for name, text in FILES.items():
        file = Path(folder) / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)


def ran(*command, folder):
    environment = {
        **os.environ,
        "TALLY": TALLY,
        "PYTHONPATH": f"{folder}:{PACKAGE}",
        "XDG_RUNTIME_DIR": folder,  # a server of its own
    }
    done = run_to_end(command, folder, environment)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def counted_by_run(folder, *what):
    """The counts of a run's cases."""
    record = Path(folder) / "record.json"
    options = ["--server", "off", "--counts-only", "--keep-env", "PYTHONPATH", "--json", record]
    ran(TALLY, "run", "--python", sys.executable, *options, *what, folder=folder)
    return [case["counts"]["per_iteration"] for case in json.loads(record.read_text())["cases"]]


def test_each_way_reads_the_same():
    with tempfile.TemporaryDirectory() as folder:
        written(folder)
        found = {
            "suite": counted_by_run(folder, "suite.toml"),
            "pytest": counted_by_run(folder, "--pytest", "test_work.py"),
            "asv": counted_by_run(folder, "--asv", "."),
            "script": counted_by_run(folder, "--script", "script.py"),
        }
        try:
            for what, command in (("count", []), ("exec", [TALLY, "exec", "--"])):
                said = ran(*command, sys.executable, "count.py", folder=folder)
                is_here, *found[what] = json.loads(said)
                assert is_here == (what == "exec"), said
        finally:
            ran(TALLY, "serve", "--stop", folder=folder)
    counts = {count for some in found.values() for count in some}
    assert len(counts) == 1 and all(found.values()), found
    assert min(counts) > 1000, found


all_tests.run(globals())
