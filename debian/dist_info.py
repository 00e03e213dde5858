#!/usr/bin/env python3
"""Writes what pip and pytest look for of an installed package: NAME-VERSION.dist-info, with metadata and entry points.

    debian/dist_info.py PYPROJECT FOLDER      FOLDER: the one that the package lies in

In the place of setuptools: pyproject.toml needs version 77, and Debian 12 has 66. The command `tally` is left out: the
package tallymark has it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import tomllib


def metadata(project: dict[str, Any]) -> str:
    """The core metadata, in the version that has License-Expression (PEP 639)."""
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        *(f"Classifier: {one}" for one in project["classifiers"]),
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {one}" for one in project["dependencies"]),
    ]
    return "\n".join(lines) + "\n"


def entry_points(groups: dict[str, dict[str, str]]) -> str:
    lines = []
    for group, points in groups.items():
        lines += [f"[{group}]", *(f"{name} = {target}" for name, target in points.items())]
    return "\n".join(lines) + "\n"


def main() -> None:
    project = tomllib.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["project"]
    folder = Path(sys.argv[2]) / f"{project['name']}-{project['version']}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(metadata(project), encoding="utf-8")
    (folder / "entry_points.txt").write_text(
        entry_points(project["entry-points"]), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
