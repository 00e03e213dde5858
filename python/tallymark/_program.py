"""The program `tally` that came with this package: where it lies, and how to become it.

A wheel has it, with its hosts, as an install prefix inside the package (tools/wheel/make_wheel.sh)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from tallymark._errors import Error


def bundled_tally() -> str | None:
    """The path of the wheel's own `tally`, or None where the package came without it."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_tally", "bin", "tally")
    return path if os.access(path, os.X_OK) else None


def run_tally(command: Sequence[str], deadline: float) -> subprocess.CompletedProcess[bytes]:
    """Output and exit code of a command that measures nothing. Raises Error after `deadline` seconds."""
    try:
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=deadline, check=False
        )
    except subprocess.TimeoutExpired:
        raise Error(
            f"no answer within {deadline:g} s",
            place=f"tally {command[1]}",
            mend="the machine may be overloaded: try again",
        ) from None


def main() -> int:
    """The console script `tally`, and `python -m tallymark`: $TALLY or the wheel's program takes this process over."""
    program = os.environ.get("TALLY") or bundled_tally()
    if program is None:
        print(
            "tallymark: this installation of the package has no program in it; "
            "install a wheel (make wheel), or say where the program is: TALLY=/path/to/tally",
            file=sys.stderr,
        )
        return 2
    try:
        os.execv(program, [program, *sys.argv[1:]])
    except OSError as error:
        print(f"tallymark: cannot start {program}: {error.strerror}", file=sys.stderr)
        return 1
