"""The baseline's file: what stays in it when some tests are measured again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from made_records import made_record
from tallymark import Engine
from tallymark._baseline import check, only, read_baseline, update_baseline
from tallymark._client.answers import Checked
from tallymark._client.record import Record


def record(name: str, *, environment: str = "e", **settings: object) -> Record:
    return made_record(
        {"id": name, "machine": 0, "toolchain": "python", "language": "python"},
        schema=2,
        settings={"counts": True, "wall": False, **settings},
        machines=[{"host": "here"}],
        environments={"python [python]": {"fingerprint": environment}},
    )


def test_each_case_keeps_its_own_settings(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    assert update_baseline(path, [record("a", cache_sim=True), record("b")]) == []
    assert update_baseline(path, [record("b", iterations=10)]) == []
    written = json.loads(path.read_text())
    first, second = only(written, "a"), only(written, "b")
    assert first is not None
    assert second is not None
    shared = {"counts": True, "wall": False}
    assert first["settings"].items() == {**shared, "cache_sim": True}.items()
    assert second["settings"].items() == {**shared, "iterations": 10}.items()
    assert "case_settings" not in first, "what reads records knows one set of settings"


def test_those_of_another_environment_are_named(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    update_baseline(path, [record("a")])
    assert update_baseline(path, [record("b", environment="other")]) == ["a"]


class Answering(Engine):
    """An engine whose check comes out as a test wants it."""

    def __init__(self, change: float | None) -> None:
        self.change = change

    def check(
        self, base: Record, next: Record, limits: Sequence[str], *, allow_uncompared: bool = False
    ) -> Checked:
        return {
            "exit_code": 0,
            "findings": [],
            "judged": {"limits": [], "uncompared": []},
            "remarks": [],
            "cases": [
                {
                    "verdict": "slower",
                    "instructions": {"change": self.change, "threshold": 1.0},
                    "notes": [],
                    "note_codes": [],
                    "environment_changes": [],
                }
            ],
        }


def test_a_change_from_nothing_is_no_share(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    update_baseline(path, [record("a")])
    held = partial(check, read_baseline(path), record("a"), [])
    assert held(engine=Answering(0.5)).changes == {"instructions": 0.5}
    assert held(engine=Answering(None)).changes == {}
