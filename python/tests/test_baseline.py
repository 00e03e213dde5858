"""The baseline's file: what stays in it when some tests are measured again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tallymark._baseline import only, update_baseline


def record(name: str, *, environment: str = "e", **settings: Any) -> dict[str, Any]:
    case = {"id": name, "machine": 0, "toolchain": "python", "language": "python"}
    return {
        "schema": 2,
        "settings": {"counts": True, "wall": False, **settings},
        "machines": [{"host": "here"}],
        "environments": {"python [python]": {"fingerprint": environment}},
        "cases": [case],
    }


def test_each_case_keeps_its_own_settings(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    assert update_baseline(path, [record("a", cache_sim=True), record("b")]) == []
    assert update_baseline(path, [record("b", iterations=10)]) == []
    written = json.loads(path.read_text())
    first, second = only(written, "a"), only(written, "b")
    assert first is not None
    assert second is not None
    assert first["settings"] == {"counts": True, "wall": False, "cache_sim": True}
    assert second["settings"] == {"counts": True, "wall": False, "iterations": 10}
    assert "case_settings" not in first, "what reads records knows one set of settings"


def test_those_of_another_environment_are_named(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    update_baseline(path, [record("a")])
    assert update_baseline(path, [record("b", environment="other")]) == ["a"]
