"""Names of the caller's `__main__`, and names that stand in texts which a statement executes."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest
import tallymark
from tallymark import CaptureError
from tallymark._capture.capture import capture_text
from tallymark._capture.names import free_names, main_names, names_unseen


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def main(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    made = types.ModuleType("__main__")
    vars(made).update(text="abc", x=[1, 2, 3], sorted=sorted)
    monkeypatch.setitem(sys.modules, "__main__", made)
    return made


@pytest.mark.parametrize(
    ("setup", "stmt", "names"),
    [
        ("from __main__ import text", "text.count('a')", ["text"]),
        ("from __main__ import text as t, x", "t.count('a')", ["text", "x"]),
        ("", "from __main__ import x; len(x)", ["x"]),
        ("import __main__; text = __main__.text", "text", ["text"]),
        ("import __main__ as m", "len(m.x)", ["x"]),
        ("import __main__", "__main__.__name__", []),
        ("import __main__; __main__.y = 1", "__main__.y", []),
        ("from __main__ import *", "sorted(x)", ["x"]),
        ("def f():\n    from __main__ import x\n    return x", "f()", ["x"]),
    ],
)
def test_what_a_text_takes_from_main_leaves(
    main: types.ModuleType, setup: str, stmt: str, names: list[str]
) -> None:
    assert main_names(setup, stmt) == names
    assert [one.name for one in capture_text(stmt, setup).data] == names


def test_one_name_has_one_value(main: types.ModuleType) -> None:
    assert (
        capture_text("y", "from __main__ import y").data == ()
    )  # which fails there, and says what to write
    assert [one.name for one in capture_text("y", "from __main__ import y", {"y": 1}).data] == ["y"]
    with pytest.raises(CaptureError, match="one value in globals= and another in __main__"):
        capture_text("x + 1; main.x", "import __main__ as main", {"x": 5})
    capture_text("x + 1; main.x", "import __main__ as main", vars(main))


@pytest.mark.parametrize(
    "stmt",
    [
        "eval('d')",
        "exec('d + 1')",
        "globals()['d']",
        "vars().get('d')",
        "eval(' len(d)')",
    ],
)
def test_names_in_texts_that_are_executed_leave(stmt: str) -> None:
    assert "d" in free_names("", stmt)
    captured = capture_text(stmt, "", {"d": [1], "e": 2})
    assert [one.name for one in captured.data] == ["d"]
    assert captured.notes == ()
    assert free_names("from math import *", "d") == ["d"]


@pytest.mark.parametrize(
    ("stmt", "word"),
    [("eval(t)", "eval"), ("globals()[t]", "globals()"), ("dict(globals())", "globals()")],
)
def test_names_that_nobody_can_see_are_noted(stmt: str, word: str) -> None:
    assert names_unseen("", stmt) == word
    captured = capture_text(stmt, "", {"t": "d", "d": 1})
    assert captured.notes == (
        f"{word} may read globals whose names no text says: they stay behind",
    )
    assert capture_text(stmt, "t = 'a'").notes == ()


@pytest.mark.end_to_end
def test_the_callers_value_is_measured(engine: tallymark.Engine, main: Any) -> None:
    right = tallymark.count("text.count('a')", setup="text = 'abc'", profile=False, engine=engine)
    for setup in ("from __main__ import text", "import __main__; text = __main__.text"):
        found = tallymark.count("text.count('a')", setup=setup, profile=False, engine=engine)
        assert found.instructions == pytest.approx(right.instructions, abs=20)
