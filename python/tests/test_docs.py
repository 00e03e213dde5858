"""The Python of docs/guides/python.md runs as it stands there, in its order, and prints what stands below it."""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import tallymark

pytestmark = pytest.mark.end_to_end

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "python.md"


def blocks() -> list[tuple[str, str]]:
    """(code, what stands below it)."""
    found = re.findall(r"```python\n([\s\S]*?)```\n\n((?:    .*\n|\n)*)", PAGE.read_text())
    return [(code, "\n".join(line[4:] for line in shown.splitlines())) for code, shown in found]


def executed(code: str, namespace: dict[str, Any]) -> str:
    """What it prints, and its last expression as a notebook shows it."""
    tree = ast.parse(code)
    # As IPython does it, so that inspect finds the source of what a block defines.
    name = f"<page {hash(code)}>"
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    printed = io.StringIO()
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, name, "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)
            if value is not None:
                print(repr(value))
    return printed.getvalue()


def words(text: str) -> set[str]:
    """Its vocabulary: numbers are this machine's, names are not."""
    return set(re.findall(r"[A-Za-z_]{4,}", text))


@pytest.mark.skipif(
    shutil.which("clang++-19") is None and shutil.which("c++") is None, reason="C++"
)
def test_the_page_runs(engine: tallymark.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cloudpickle")
    monkeypatch.setattr("tallymark._client.engine._default", engine)
    # The page's functions are those of a script.
    namespace = sys.modules["__main__"].__dict__.copy()
    namespace["__name__"] = "__main__"
    pages = blocks()
    assert len(pages) >= 8
    for code, shown in pages:
        printed = executed(code, namespace)
        expected = "\n".join(
            line for line in shown.splitlines() if not re.search(r"lib[a-z]|…|more$", line)
        )
        missing = words(expected) - words(printed)
        assert not missing, f"{code}\nprinted:\n{printed}\nlacks {missing}"
