#!/usr/bin/env python3
"""Makes a reference of a record: what `tally run --expect` needs of it, and nothing of who measured it or where.

make_reference.py RECORD.json OUT.json.zst

Needs the program zstd. See docs/reference/exactness.md#reference-counts.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

KEPT_OF_CASE = [
    "id", "label", "language", "runtime", "autograd", "device", "threads", "params", "tags",
    "toolchain", "machine", "environment", "definition", "status", "counts",
]  # fmt: skip


def reference_of(record: dict[str, Any]) -> dict[str, Any]:
    unfit = [case["id"] for case in record["cases"] if case["status"] != "ok" or not case["counts"]]
    if unfit:
        sys.exit(f"{len(unfit)} cases have no count, {unfit[0]} for one")
    moving = [case["id"] for case in record["cases"] if case["counts"]["spread"] != 0]
    if moving:
        sys.exit(f"{len(moving)} counts vary, {moving[0]} for one")
    cases = [
        {
            **{key: case[key] for key in KEPT_OF_CASE if key in case},
            "attempts": [], "flags": [], "warnings": [], "wall": None, "profile": None, "failure": None,
        }
        for case in record["cases"]
    ]  # fmt: skip
    kept = {
        key: value for key, value in record.items() if key not in ("source", "command", "cases")
    }
    for machine in kept["machines"]:
        machine.update(cpu="", kernel="", memory_bytes=0)
        machine.pop("name", None)
    for environment in kept["environments"].values():
        environment.pop("machine", None)
    return {**kept, "command": [], "cases": cases}


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    record = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(reference_of(record), separators=(",", ":"), sort_keys=True)
    subprocess.run(
        ["zstd", "-19", "--quiet", "--force", "-o", sys.argv[2]], input=text.encode(), check=True
    )


if __name__ == "__main__":
    main()
