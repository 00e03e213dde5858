"""Runs pytest with our plugin, from this checkout, in a folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from real_traces import ROOT, TALLY


def pytest_in(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "python"),
        "TALLY": str(TALLY),
        "COLUMNS": "160",
    }
    environment.pop("PYTEST_ADDOPTS", None)
    plugin = ["-p", "no:cacheprovider", "-p", "tallymark.pytest_plugin"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *plugin, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
