"""Where the real GPU traces lie, which not every machine has, and where `tally` is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT.parent / "shared" / "traces"
TALLY = Path(os.environ.get("TALLY") or ROOT / "build" / "release" / "tally")

needs_tally = pytest.mark.skipif(not TALLY.exists(), reason=f"tally is not built: {TALLY}")


def real_traces() -> list[Path]:
    """All of them; one entry that is skipped, with its reason, where they are not."""
    found = sorted(FOLDER.glob("*.json.gz"))
    missing = pytest.param(FOLDER, marks=pytest.mark.skip(reason=f"no real traces in {FOLDER}"))
    return found or [missing]  # type: ignore[list-item]
