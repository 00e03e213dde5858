#!/usr/bin/env python3
"""Runs the folders of ../shared/cases as they are, and holds what they print against what each README says is right.

    run.py [--cases FOLDER] [--list] [NAME…]      NAME: a part of "python/02-torch-local"

Needs TALLY, the built program. Skips, and passes, where there are no cases. Exit 1: a folder fails. Folders that need
torch run with --torch-python, else with the first that has it: this interpreter, `make torch-venv`'s, those of PATH and
Debian's. Where there is none they are skipped.

A check is a function of one folder, in the file of its room (rooms/): `@check("python/02-torch-local")`
over `def torch_local(case): …`, which returns nothing, or raises Wrong with what is not right, or Skipped.
"""

import argparse
import importlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ROOMS = ("cpp", "python", "public", "records", "trace", "google")
CHECKS = {}


class Wrong(Exception):
    """What a folder prints that it should not, or the other way round."""


class Skipped(Exception):
    """What a folder needs and this machine has not: it has judged nothing."""


def check(folder):
    def add(function):
        CHECKS[folder] = function
        return function

    return add


class Case:
    """A folder's copy in a scratch folder, and how its programs are run there."""

    def __init__(self, cases, name, scratch, torch_python):
        source = cases / name
        self.cases = cases
        self.folder = pathlib.Path(shutil.copytree(source, scratch / source.name))
        self.folder.chmod(0o755)
        self._torch_python = torch_python
        own = ROOT / "build" / "python" / "bin" / "python"  # that of the package's tests
        self.tests_python = str(own) if own.exists() else sys.executable
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}

    def run(self, *argv, timeout=600):
        """What it prints, both streams together, and its exit code."""
        done = subprocess.run(
            argv,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=timeout,
        )
        return done.stdout, done.returncode

    @property
    def torch_python(self):
        if self._torch_python is None:
            raise Skipped("it needs torch, and no interpreter has it: --torch-python")
        return self._torch_python

    def python(self, script, torch=False):
        """The lines that one of its scripts prints."""
        text, code = self.run(self.torch_python if torch else sys.executable, script)
        if code != 0:
            raise Wrong(f"{script} ended with {code}: {text[-2000:]}")
        return text.splitlines()

    def tally(self, *arguments):
        return self.run(os.environ["TALLY"], *arguments)


def expect(holds, what):
    if not holds:
        raise Wrong(what)


def none_with(lines, *words):
    """No line has one of these words."""
    for line in lines:
        for word in words:
            expect(word not in line, f"'{word}' in: {line}")


def has_torch(python):
    """Whether an interpreter has torch; it is not imported, which takes seconds."""
    asks = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
    try:
        return subprocess.run([python, "-c", asks], capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def find_torch_python(asked):
    """The absolute path of an interpreter with torch, or None. A requested one must have it."""
    on_path = [f"{folder or '.'}/python3" for folder in os.get_exec_path()]
    own = str(ROOT / "build" / "torch-venv" / "bin" / "python")
    tried = [asked] if asked else [sys.executable, own, *on_path, "/usr/bin/python3"]
    for python in tried:
        found = shutil.which(python)
        if found is not None and has_torch(found):
            return os.path.abspath(found)  # checks run in folders of their own
    if asked:
        sys.exit(f"run.py: --torch-python {asked} has no torch")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--cases", type=pathlib.Path, default=ROOT.parent / "shared" / "cases")
    parser.add_argument("--torch-python", help="an interpreter with torch")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    sys.modules["run"] = sys.modules["__main__"]  # what the rooms import
    sys.path.insert(0, str(HERE / "rooms"))
    for room in ROOMS:
        importlib.import_module(f"{room}_cases")
    chosen = {
        name: function
        for name, function in CHECKS.items()
        if not options.names or any(part in name for part in options.names)
    }
    if options.list:
        print("\n".join(chosen))
        return 0
    if not options.cases.is_dir():
        print(f"no cases: {options.cases}")
        return 0
    torch_python = find_torch_python(options.torch_python)
    print(f"python: {sys.executable}; with torch: {torch_python or 'none'}", flush=True)
    failed = skipped = 0
    for name, function in chosen.items():
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as scratch:
            try:
                function(Case(options.cases, name, pathlib.Path(scratch), torch_python))
                verdict = "pass"
            except Skipped as reason:
                skipped += 1
                verdict = f"SKIPPED: {reason}"
            except (Wrong, subprocess.TimeoutExpired, OSError) as error:
                failed += 1
                verdict = f"FAIL: {error}"
        print(f"{name} ({time.monotonic() - begin:.0f} s): {verdict}", flush=True)
    passed = len(chosen) - failed - skipped
    print(f"{passed} of {len(chosen)} folders pass, {failed} fail, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
