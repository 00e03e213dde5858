"""The interpreters with a PyTorch that this machine has: Debian's, `make torch-venv`'s, the one that runs this."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache

import pytest
from real_traces import ROOT


@cache
def torch_version(python: str) -> str | None:
    """Of the PyTorch that an interpreter imports, or None."""
    if not os.path.exists(python):
        return None
    asked = [python, "-c", "import torch; print(torch.__version__)"]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=120, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def pythons_with_torch() -> list[object]:
    """Parameters for a test; what is not there is skipped with the reason."""
    there = {
        "debian": "/usr/bin/python3",
        "pip": str(ROOT / "build" / "torch-venv" / "bin" / "python3"),
    }
    if os.environ.get("TALLY_TORCH_PYTHON"):
        there["pip"] = os.environ["TALLY_TORCH_PYTHON"]
    mine = torch_version(sys.executable)
    if mine and mine not in map(torch_version, there.values()):
        there["this"] = sys.executable
    return [
        pytest.param(
            python,
            id=name,
            marks=[] if torch_version(python) else pytest.mark.skip(reason=f"no torch in {python}"),
        )
        for name, python in there.items()
    ]
