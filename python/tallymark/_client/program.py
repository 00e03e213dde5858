"""The program `tally` that came with this package: where it lies, and how to become it.

A wheel has it, with its hosts, as an install prefix inside the package (tools/wheel/make_wheel.sh)."""

from __future__ import annotations

import os
import shutil
import sys


def bundled_tally() -> str | None:
    """The path of the wheel's own `tally`, or None where the package came without it."""
    path = os.path.join(
        os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "_tally", "bin", "tally"
    )
    return path if os.access(path, os.X_OK) else None


def _is_python_script(path: str) -> bool:
    """Whether a file of PATH is some environment's console script, which looks for the program as this one does."""
    try:
        with open(path, "rb") as file:
            head = file.read(512)
    except OSError:
        return False
    # pip writes "#!/bin/sh" and a second line where the interpreter's path is long.
    return head.startswith(b"#!") and b"python" in b"".join(head.splitlines()[:2])


def _program_on_path() -> str | None:
    """The first `tally` on PATH that is no console script of a Python package, or None."""
    for folder in os.get_exec_path():
        found = shutil.which("tally", path=folder or os.curdir)
        if found is not None and not _is_python_script(found):
            return found
    return None


def program_path(*, scripts: bool = True) -> str | None:
    """The program: $TALLY, else the wheel's own, else the first on PATH. None where there is none.

    Without `scripts`, console scripts of Python packages on PATH are passed over: for a caller that is one, since two
    without a program would start each other for ever."""
    named = os.environ.get("TALLY") or bundled_tally()
    if named:
        return named
    return shutil.which("tally") if scripts else _program_on_path()


#: The message where program_path() has none.
NO_PROGRAM = (
    "tallymark: this installation of the package has no program in it, and PATH names none; install a wheel "
    "(make wheel), put tally on PATH, or say where the program is: TALLY=/path/to/tally"
)


def main() -> int:
    """The console script `tally`, and `python -m tallymark`: the program of program_path() takes this process over."""
    program = program_path(scripts=False)
    if program is None:
        print(NO_PROGRAM, file=sys.stderr)
        return 2
    try:
        os.execv(program, [program, *sys.argv[1:]])
    except OSError as error:
        print(f"tallymark: cannot start {program}: {error.strerror}", file=sys.stderr)
        return 1
