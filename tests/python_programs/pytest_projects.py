"""What tests of `tally run --pytest` share: projects, and the records that come of them."""

import json
import os
import sys
import tempfile
from pathlib import Path

from runs import run_to_end

HERE = Path(__file__).resolve().parent
TALLY = os.environ.get("TALLY") or str(HERE.parents[1] / "build/release/tally")


def tally(*arguments, folder=HERE / "pytest_project", code=None, **environment):
    command = [TALLY, *map(str, arguments)]
    done = run_to_end(command, folder, {**os.environ, **environment}, seconds=600)
    if code is not None:
        expect(
            done.returncode == code,
            f"{command}: code {done.returncode}\n{done.stdout}{done.stderr}",
        )
    return done


def expect(good, what):
    if not good:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {what}")


def record_of(*arguments, code=0, **how):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "record.json"
        done = tally(
            "run",
            "--python",
            sys.executable,
            *(() if "--wall-only" in arguments else ("--counts-only",)),
            "--server",
            "off",
            "--json",
            file,
            *arguments,
            code=code,
            **how,
        )
        record = json.loads(file.read_text())
    return {case["id"]: case for case in record["cases"]}, record, done


BENCHMARK = "def test_it(benchmark):\n    benchmark(len, '')\n"


def status_of(conftest, tests, *options, code=0, **how):
    """{test: (status, its case)} of a project with these two files."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "conftest.py").write_text(conftest)
        (Path(folder) / "test_project.py").write_text(tests)
        cases, _, _ = record_of("--pytest", folder, "--images", "off", *options, code=code, **how)
    return {name.rpartition("::")[2]: (case["status"], case) for name, case in cases.items()}


def run_checks(*checks):
    """As a test's program: exit code 77 where this interpreter has no pytest."""
    try:
        import pytest  # noqa: F401
    except ImportError:
        print("skipped: no pytest")
        sys.exit(77)
    for check in checks:
        check()
    print("ok")
